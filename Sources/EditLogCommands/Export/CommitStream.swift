import EditModel
import EditProtocol
import TextState

/// The commits of a history, in the language of `git fast-import`.
struct CommitStream {
  private let path: GitPath
  private(set) var state: TextState
  /// Authors of the edits since the last commit, in order, the last of each counts.
  private var authors: [String] = []
  private var (inserted, removed) = (0, 0)
  private var time: Timestamp?
  private var committed: UTF16Text?
  private(set) var count = 0
  /// True if a text had a lone surrogate, which UTF-8 cannot have.
  private(set) var hasLoneSurrogates = false

  /// The commits of a document from a version on.
  init(document: String, from state: TextState) {
    path = GitPath(document: document)
    self.state = state
  }

  /// Applies an edit.
  ///
  /// - Throws: `EditError` if it does not fit the text.
  mutating func add(_ edit: Edit) throws(EditError) {
    try state.apply(edit.action)
    let author = edit.author ?? "unknown"
    if authors.last.map({ $0.isExactly(author) }) != true {
      authors.removeAll { $0.isExactly(author) }
      authors.append(author)
    }
    if let replacement = edit.action.replacement {
      inserted += replacement.count
      removed += edit.action.range.length
    }
    time = edit.time
  }

  /// A commit of the text after the last edit; nil if the text is that of the last commit.
  mutating func commit(_ sequence: SequenceNumber, _ what: String) -> [UInt8]? {
    let text = state.text
    guard let time, text != committed else { return nil }
    committed = text
    count += 1
    let string = String(text)
    if text.validString == nil { hasLoneSurrogates = true }
    let author = Self.identity(authors.last ?? "unknown", time)
    var message = "\(what): +\(inserted) -\(removed) UTF-16 units\n\nEdit: \(sequence)\n"
    for other in authors.dropLast() { message += "Co-authored-by: \(Self.person(other))\n" }
    (authors, inserted, removed) = ([], 0, 0)
    let stream = """
      commit refs/heads/main
      author \(author)
      committer \(author)
      data \(message.utf8.count)
      \(message)
      M 100644 inline \(path.quoted())
      data \(string.utf8.count)

      """
    return Array(stream.utf8) + Array(string.utf8) + [0x0A]
  }

  /// A name and an address that git accepts. A name may have its address: `Ann <ann@example.org>`.
  private static func person(_ author: String) -> String {
    let parts = author.split(separator: "<", maxSplits: 1, omittingEmptySubsequences: false)
    func cleaned(_ text: Substring) -> String {
      let scalars = text.unicodeScalars.filter {
        $0 != "<" && $0 != ">" && $0.properties.generalCategory != .control
      }
      let words = String(String.UnicodeScalarView(scalars)).split(separator: " ")
      return words.joined(separator: " ")
    }
    let name = cleaned(parts.first ?? "")
    let address = parts.count > 1 && author.hasSuffix(">") ? cleaned(parts[1]) : ""
    return "\(name.isEmpty ? "unknown" : name) <\(address)>"
  }

  private static func identity(_ author: String, _ time: Timestamp) -> String {
    // The format has no time before 1970.
    "\(person(author)) \(max(0, time.wholeSeconds)) +0000"
  }
}
