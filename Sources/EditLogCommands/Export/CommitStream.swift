import EditModel
import EditProtocol
import TextState

/// The commits of a history.
struct CommitStream {
  /// The length of the text in a commit's subject, in columns.
  private static let changeLength = 50

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
  init(from state: TextState) { self.state = state }

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
  mutating func commit(_ sequence: SequenceNumber, _ what: String) -> NewCommit? {
    let text = state.text
    guard let time, text != committed else { return nil }
    let change = Self.change(from: committed ?? UTF16Text(), to: text)
    let author = Self.identity(authors.last ?? "unknown", time)
    var message =
      "\(what): \(change)\n\n+\(inserted) -\(removed) UTF-16 units\n\nEdit: \(sequence)\n"
    for other in authors.dropLast() { message += "Co-authored-by: \(Self.person(other))\n" }
    return commit(author, message)
  }

  /// The commit that the text was imported from, which may have the text of the commit before it.
  mutating func commit(_ imported: ImportedCommit) -> NewCommit {
    commit(imported.author, imported.message)
  }

  private mutating func commit(_ identity: String, _ message: String) -> NewCommit {
    let text = state.text
    if text.validString == nil { hasLoneSurrogates = true }
    (authors, inserted, removed) = ([], 0, 0)
    committed = text
    count += 1
    return NewCommit(identity: identity, message: message, content: Array(String(text).utf8))
  }

  /// The beginning of what was inserted, or else deleted, for the subject of a commit.
  private static func change(from old: UTF16Text, to new: UTF16Text) -> String {
    let (old, new) = (old.units, new.units)
    var (start, end) = (0, 0)
    let common = min(old.count, new.count)
    while start < common, old[start] == new[start] { start += 1 }
    while end < common - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    func excerpt(_ units: [UInt16]) -> String? {
      guard start < units.count - end else { return nil }
      // Not within a surrogate pair.
      let first = start > 0 && UTF16.isTrailSurrogate(units[start]) ? start - 1 : start
      let part = units[first..<units.count - end].prefix(changeLength * 4)
      let words = String(decoding: part, as: UTF16.self).split(whereSeparator: \.isWhitespace)
      if words.isEmpty { return nil }
      return Excerpt.quoted(words.joined(separator: " "), width: changeLength)
    }
    if let inserted = excerpt(new) { return inserted }
    return excerpt(old).map { "deleted \($0)" } ?? "white space"
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
