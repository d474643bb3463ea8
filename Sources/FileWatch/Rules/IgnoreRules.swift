/// The lines of a `.gitignore` file, with git's meaning. The last line that matches decides.
package struct IgnoreRules: Hashable, Sendable {
  fileprivate struct Rule: Hashable, Sendable {
    let glob: Glob
    /// True for `!…`: what matches is not ignored.
    let isNegated: Bool
    /// True for `…/`: only folders match.
    let isForFolders: Bool
    /// True if a name is enough, in any folder. False if the pattern has a slash, and is for the path.
    let isForNames: Bool
  }
  private let rules: [Rule]

  package var isEmpty: Bool { rules.isEmpty }

  /// Reads the text of a file.
  package init(_ text: some StringProtocol) {
    var text = Array(text.utf8)[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    self.init(lines: text.split(separator: UInt8(ascii: "\n")))
  }

  /// Reads patterns, one each.
  package init(patterns: [String]) { self.init(lines: patterns.map(\.utf8)) }

  private init(lines: [some Sequence<UInt8>]) { rules = lines.compactMap { Rule(Array($0)) } }

  /// True if a path is ignored, false if a line takes it back, nil if no line matches. The path is
  /// relative to the folder of the file; its folders must have been asked for before. O(lines · path).
  package func decision(_ path: some StringProtocol, isFolder: Bool) -> Bool? {
    let path = Array(path.utf8)
    let name = path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
    for rule in rules.reversed() where isFolder || !rule.isForFolders {
      if rule.glob.matches(rule.isForNames ? name : path[...]) { return !rule.isNegated }
    }
    return nil
  }

  /// True if a path, or a folder that it is in, is ignored.
  func ignores(fileAt path: Substring) -> Bool {
    for slash in path.utf8.indices where path.utf8[slash] == UInt8(ascii: "/") {
      if decision(path[..<slash], isFolder: true) == true { return true }
    }
    return decision(path, isFolder: false) == true
  }
}

extension IgnoreRules.Rule {
  /// Nil for a comment and for an empty line.
  fileprivate init?(_ line: [UInt8]) {
    var line = line[...]
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard line.first != UInt8(ascii: "#") else { return nil }
    line = Self.withoutTrailingSpaces(line)
    isNegated = line.first == UInt8(ascii: "!")
    if isNegated { line.removeFirst() }
    isForFolders = line.last == UInt8(ascii: "/")
    if isForFolders { line.removeLast() }
    isForNames = !line.contains(UInt8(ascii: "/"))
    if line.first == UInt8(ascii: "/") { line.removeFirst() }
    guard !line.isEmpty else { return nil }
    glob = Glob(line)
  }

  /// The line without the spaces at its end that no backslash keeps.
  private static func withoutTrailingSpaces(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var (end, index) = (line.startIndex, line.startIndex)
    while index < line.endIndex {
      if line[index] == UInt8(ascii: "\\"), index + 1 < line.endIndex {
        index += 1
        end = index + 1
      } else if line[index] != UInt8(ascii: " ") {
        end = index + 1
      }
      index += 1
    }
    return line[..<end]
  }
}
