import EditModel

/// A commit that a version of a document was imported from, as marks of that version carry it.
///
/// The first mark is the commit's hash, so that `--at mark:HASH` is its version. The second is the author as a
/// commit has it, `NAME <ADDRESS> SECONDS ZONE`. The third is the first line of the message, and others are
/// the rest of it, in parts.
struct ImportedCommit: Hashable, Sendable {
  let hash: String
  let author: String
  let message: String

  /// A subject that is longer is not recognised as a whole line.
  private static let subjectSizeMax = HistoryEvent.labelSizeMax - 6

  /// The commit.
  init(_ commit: GitCommit) {
    hash = commit.hash
    let (name, address) = (commit.name.cut(toSize: 120), commit.address.cut(toSize: 100))
    // A commit of `git fast-import` has no time before 1970.
    author =
      "\(name.isEmpty ? "unknown" : name) <\(address)> \(max(0, commit.seconds ?? 0)) \(commit.zone)"
    message = commit.message
  }

  private init(hash: String, author: String, message: String) {
    (self.hash, self.author, self.message) = (hash, author, message)
  }

  /// The labels of the marks, in order.
  var labels: [String] {
    var (labels, rest) = ([hash, author], message[...])
    if let end = message.utf8.firstIndex(of: 0x0A), !message[..<end].isEmpty,
      message[..<end].utf8.count <= Self.subjectSizeMax, !GitObjectReader.isHash(message[..<end])
    {
      labels.append(String(message[..<end]))
      rest = message[message.utf8.index(after: end)...]
    }
    while !rest.isEmpty {
      let part = Self.part(of: rest)
      labels.append(String(part))
      rest = rest[part.endIndex...]
    }
    return labels
  }

  /// The beginning of a text that fits in a label: whole lines, or else whole characters.
  private static func part(of text: Substring) -> Substring {
    var scalars = text.unicodeScalars[...]
    var (end, size) = (text.startIndex, 0)
    while let scalar = scalars.first, size + UTF8.width(scalar) <= HistoryEvent.labelSizeMax {
      size += UTF8.width(scalar)
      scalars = scalars.dropFirst()
      end = scalars.startIndex
    }
    let part = text[..<end]
    guard end < text.endIndex, let last = part.utf8.lastIndex(of: 0x0A) else { return part }
    return text[..<text.utf8.index(after: last)]
  }

  /// The commits that the labels of a version's marks name, in order.
  static func commits(in labels: [String]) -> [ImportedCommit] {
    var (commits, rest) = ([ImportedCommit](), labels[...])
    while let hash = rest.popFirst() {
      guard GitObjectReader.isHash(hash), let author = rest.first, isAuthor(author) else {
        continue
      }
      rest = rest.dropFirst()
      var parts: [String] = []
      while let part = rest.first,
        !(GitObjectReader.isHash(part) && rest.dropFirst().first.map(isAuthor) == true)
      {
        parts.append(part)
        rest = rest.dropFirst()
      }
      if let first = parts.first, first.utf8.count <= subjectSizeMax, !first.utf8.contains(0x0A) {
        parts[0] = first + "\n"
      }
      commits.append(ImportedCommit(hash: hash, author: author, message: parts.joined()))
    }
    return commits
  }

  /// True for an author that `git fast-import` takes.
  private static func isAuthor(_ text: String) -> Bool {
    let parts = text.split(separator: "> ", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.filter({ $0 == UInt8(ascii: "<") }).count == 1,
      parts[0].contains(" <"), !text.utf8.contains(where: { $0 < 0x20 })
    else { return false }
    let time = parts[1].split(separator: " ", omittingEmptySubsequences: false)
    return time.count == 2 && time[0].utf8.allSatisfy { (0x30...0x39).contains($0) }
      && (Int64(time[0]) ?? -1) >= 0 && GitCommit.isZone(time[1])
  }
}

extension String {
  /// The text, or its beginning of at most `sizeMax` bytes, in whole characters.
  func cut(toSize sizeMax: Int) -> String {
    var text = self
    while text.utf8.count > sizeMax { text.removeLast() }
    return text
  }
}

/// Gathers the commits that versions of a history were imported from.
struct ImportedCommits {
  private var (labels, session): ([String], SessionID?) = ([], nil)

  /// Adds an event. Only marks of the version that was just reached count, and of one client's run: the user
  /// may have marked the version too.
  mutating func add(_ event: HistoryEvent) {
    guard case .mark(let label, let version) = event.kind, version == event.after else { return }
    if GitObjectReader.isHash(label), labels.isEmpty { session = event.session }
    if event.session == session { labels.append(label) }
  }

  /// The commits of the version, which are then forgotten.
  mutating func take() -> [ImportedCommit] {
    defer { labels = [] }
    return labels.isEmpty ? [] : ImportedCommit.commits(in: labels)
  }
}
