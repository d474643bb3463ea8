import EditModel

/// The version of a file in a commit.
struct GitVersion: Hashable, Sendable {
  /// What the commit has at the file's path.
  enum Content: Hashable, Sendable {
    /// A file with the content of this hash.
    case file(String)
    /// Nothing: the commit removed the file.
    case removed
    /// Something that has no text, such as a symbolic link.
    case other(String)
  }

  /// The commit's hash.
  let commit: String
  let content: Content
  /// True if the file is new in the commit, which may have renamed it.
  let isNew: Bool
  /// For a merge: the numbers of its parents that do not have the file.
  let parentsWithout: [Int]
  /// True if the commit has several parents.
  let isMerge: Bool

  /// Reads the output of `git log --raw -c -z --format=%x01%H`, newest version first. Only what happened at
  /// `path` itself counts: it may have been a folder.
  static func parse(_ log: [UInt8], path: [UInt8]) -> [GitVersion] {
    var (versions, commit) = ([GitVersion](), "")
    var parts = log.split(separator: 0, omittingEmptySubsequences: false)[...]
    while let part = parts.popFirst() {
      if part.first == 0x01 {
        commit = String(decoding: part.dropFirst(), as: UTF8.self)
        continue
      }
      let change = part.drop { $0 == 0x0A }
      guard change.first == UInt8(ascii: ":") else { continue }
      guard let changed = parts.popFirst(), changed.elementsEqual(path),
        let version = GitVersion(commit, String(decoding: change, as: UTF8.self))
      else { continue }
      versions.append(version)
    }
    return versions
  }

  /// A version from a line of a change: as many colons as there are parents, a mode and a hash for each of
  /// them and for the result, and a letter for each parent. Nil if it is none.
  private init?(_ commit: String, _ line: String) {
    let parentCount = line.prefix { $0 == ":" }.count
    let fields = line.dropFirst(parentCount).split(separator: " ")
    guard GitObjectReader.isHash(commit), fields.count == 2 * (parentCount + 1) + 1 else {
      return nil
    }
    self.commit = commit
    let (mode, hash) = (fields[parentCount], String(fields[2 * parentCount + 1]))
    let letters = fields[2 * parentCount + 2]
    content =
      switch mode {
      case "000000": .removed
      case "120000": .other("a symbolic link")
      case "160000": .other("a submodule")
      default:
        mode.hasPrefix("100") && GitObjectReader.isHash(hash) ? .file(hash) : .other("not a file")
      }
    isMerge = parentCount > 1
    isNew = letters == "A"
    parentsWithout = isMerge ? letters.enumerated().filter { $0.element == "A" }.map(\.offset) : []
  }
}
