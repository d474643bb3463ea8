import Testing

@testable import FileWatch

@Suite struct IgnoreRulesTests {
  @Test(arguments: IgnoreCase.single + IgnoreCase.nested)
  func `paths are ignored as git ignores them`(_ rules: IgnoreCase) {
    for path in rules.ignored { #expect(Self.isIgnored(path, rules.files), "\(path)") }
    for path in rules.kept { #expect(!Self.isIgnored(path, rules.files), "\(path)") }
  }

  /// Asks for each folder of the path, then for the path, as a scan does.
  private static func isIgnored(_ path: String, _ files: [String: String]) -> Bool {
    var folder = "/r"
    var rules = FolderRules(IgnoreRules(files[".gitignore"] ?? ""), in: folder)
    let names = path.split(separator: "/").map(String.init)
    for (index, name) in names.enumerated() {
      let isFolder = index + 1 < names.count || path.hasSuffix("/")
      let entry = folder.appending(path: name)
      if rules.ignores(entry, isFolder: isFolder) { return true }
      folder = entry
      if let text = files["\(folder.dropFirst(3))/.gitignore"] {
        rules = FolderRules(IgnoreRules(text), in: folder, outer: rules)
      }
    }
    return false
  }

  @Test func `a rule of a folder is for what is in it alone`() {
    let rules = FolderRules(IgnoreRules("*.txt"), in: "/a/b")
    #expect(rules.ignores("/a/b/x.txt", isFolder: false))
    #expect(!rules.ignores("/a/bc/x.txt", isFolder: false))
    #expect(!rules.ignores("/a/x.txt", isFolder: false))
  }
}

@Suite struct GlobTests {
  /// A pattern, paths that match it, and paths that do not.
  @Test(arguments: [
    ("", [""], ["a"]), ("a", ["a"], ["", "b", "aa"]), ("*", ["", "a", ".a"], ["/", "a/b"]),
    ("**", ["", "a", "a/b"], []), ("?", ["a"], ["", "/", "ab"]),
    ("*.md", [".md", "a.md", "a.b.md"], ["a.mdx", "a/b.md"]),
    ("a*b*c", ["abc", "aXbYc", "abbcc"], ["ab", "acb", "a/bc"]),
    ("**/a", ["a", "x/a", "x/y/a"], ["xa", "a/x"]),
    ("a/**", ["a/", "a/b", "a/b/c"], ["a", "b/a/c"]),
    ("a/**/b/**/c", ["a/b/c", "a/x/b/y/z/c", "a/b/b/c"], ["a/c", "a/b", "a/bc"]),
    ("**/a*/**/b", ["a/b", "x/a1/b", "a/a/x/b", "a2/y/a3/b"], ["b", "xa/b", "a/xb"]),
    ("*/**/a", ["x/a", "x/y/a"], ["a"]), ("[a-c]", ["a", "b", "c"], ["d", "/", ""]),
    ("[!a]", ["b"], ["a", "/"]), ("\\*", ["*"], ["a", "\\*"]), ("a\\", [], ["a", "a\\"]),
    ("[a", [], ["a", "[a"]),
  ])
  func `patterns match whole paths`(pattern: String, matching: [String], others: [String]) {
    let glob = Glob(pattern.utf8)
    for path in matching { #expect(glob.matches(path.utf8), "\(pattern) \(path)") }
    for path in others { #expect(!glob.matches(path.utf8), "\(pattern) \(path)") }
  }

  /// Matching does not take exponential time in the number of stars.
  @Test(.timeLimit(.minutes(1))) func `many stars are matched in time`() {
    let path = String(repeating: "a/", count: 200) + String(repeating: "a", count: 200)
    let folders = Glob((String(repeating: "**/a*a*", count: 40) + "/b").utf8)
    #expect(!folders.matches(path.utf8))
    #expect(!Glob((String(repeating: "*a", count: 100) + "b").utf8).matches(path.utf8))
  }

  @Test(
    arguments: [
      ([], [], ["a", "x/b.md"], []), (["*.md"], [], ["a.md", "x/y.md"], ["a.txt", "md"]),
      (["docs/"], [], ["docs/a", "docs/x/b"], ["a", "docs"]),
      (["*.md", "*.txt"], ["drafts/", "/a.md"], ["x/a.md", "b.txt"], ["a.md", "c.c"]),
      ([], ["*.log", "!keep.log"], ["keep.log"], ["a.log", "x/b.log"]),
      (["/src/**/*.c"], [], ["src/a.c", "src/x/y.c"], ["a.c", "x/src/a.c"]),
    ] as [([String], [String], [String], [String])])
  func `a filter has the patterns of the command line`(
    included: [String], excluded: [String], wanted: [String], others: [String]
  ) {
    let filter = WatchFilter(included: included, excluded: excluded)
    for path in wanted { #expect(filter.wants(path[...], isFolder: false), "\(path)") }
    for path in others { #expect(!filter.wants(path[...], isFolder: false), "\(path)") }
    #expect(filter.wants("x", isFolder: true))
    #expect(!WatchFilter(excluded: ["x/"]).wants("x", isFolder: true))
  }
}
