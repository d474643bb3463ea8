import Testing

/// Rules, and what `git check-ignore --no-index` (git 2.39.5) says of paths with them. A path that ends
/// in `/` is a folder.
struct IgnoreCase: Sendable, CustomTestStringConvertible {
  let files: [String: String]
  let ignored: [String]
  let kept: [String]

  init(_ files: [String: String], ignored: [String], kept: [String]) {
    (self.files, self.ignored, self.kept) = (files, ignored, kept)
  }

  var testDescription: String { "\(files)" }

  static let single: [IgnoreCase] = [
    Self(
      [".gitignore": "foo\n"],
      ignored: ["foo", "a/foo", "foo/", "foo/bar", "a/foo/b"],
      kept: ["foobar"]),
    Self([".gitignore": "/foo\n"], ignored: ["foo", "foo/x"], kept: ["a/foo"]),
    Self([".gitignore": "foo/\n"], ignored: ["foo/", "a/foo/", "foo/x"], kept: ["foo", "a/foo"]),
    Self([".gitignore": "a/b\n"], ignored: ["a/b", "a/b/c"], kept: ["x/a/b", "ab"]),
    Self(
      [".gitignore": "*.log\n!keep.log\n"],
      ignored: ["a.log", ".log"],
      kept: ["keep.log", "x/keep.log", "a.logs"]),
    Self([".gitignore": "!keep.log\n*.log\n"], ignored: ["keep.log"], kept: []),
    Self([".gitignore": "build/\n!build/keep\n"], ignored: ["build/keep", "build/"], kept: []),
    Self([".gitignore": "/*\n!/src\n"], ignored: ["a", "b/c"], kept: ["src", "src/a"]),
    Self(
      [".gitignore": "/*\n!/src/\n/src/*\n!/src/a\n"],
      ignored: ["src/b", "x"],
      kept: ["src/", "src/a"]),
    Self([".gitignore": "**/foo\n"], ignored: ["foo", "a/foo", "a/b/foo"], kept: ["afoo"]),
    Self(
      [".gitignore": "**/foo/bar\n"],
      ignored: ["foo/bar", "x/foo/bar", "x/y/foo/bar"],
      kept: ["x/bar"]),
    Self(
      [".gitignore": "abc/**\n"],
      ignored: ["abc/x", "abc/x/y"],
      kept: ["abc/", "x/abc/y", "abc"]),
    Self(
      [".gitignore": "a/**/b\n"],
      ignored: ["a/b", "a/x/b", "a/x/y/b"],
      kept: ["ab", "a/xb", "x/a/b"]),
    Self([".gitignore": "a**b\n"], ignored: ["ab", "axb", "axxb", "x/axb"], kept: ["a/b"]),
    Self([".gitignore": "x/a**b\n"], ignored: ["x/ab", "x/axb"], kept: ["x/a/b"]),
    Self([".gitignore": "a/**b\n"], ignored: ["a/b", "a/xb"], kept: ["a/x/b"]),
    Self([".gitignore": "**\n"], ignored: ["a", "a/b"], kept: []),
    Self([".gitignore": "*/b\n"], ignored: ["a/b"], kept: ["b", "a/x/b"]),
    Self([".gitignore": "a?c\n"], ignored: ["abc"], kept: ["ac", "a/c", "aéc"]),
    Self([".gitignore": "a??c\n"], ignored: ["aéc", "abbc"], kept: []),
    Self([".gitignore": "a[bc]d\n"], ignored: ["abd", "acd"], kept: ["aed", "a/d"]),
    Self([".gitignore": "a[!bc]d\n"], ignored: ["aed"], kept: ["abd", "a/d"]),
    Self([".gitignore": "a[^b-d]e\n"], ignored: ["axe"], kept: ["abe", "ace"]),
    Self([".gitignore": "a[]]b\n"], ignored: ["a]b"], kept: ["ab"]),
    Self([".gitignore": "a[]-]b\n"], ignored: ["a]b", "a-b"], kept: ["axb"]),
    Self([".gitignore": "a[b-]c\n"], ignored: ["a-c", "abc"], kept: ["ab-c"]),
    Self([".gitignore": "a[\\]]b\n"], ignored: ["a]b"], kept: ["a\\]b"]),
    Self([".gitignore": "a[bc\n"], ignored: [], kept: ["a[bc", "ab"]),
    Self([".gitignore": "[[:digit:]]x\n"], ignored: ["1x"], kept: ["ax"]),
    Self(
      [".gitignore": "[[:alpha:][:digit:]_-]x\n"],
      ignored: ["1x", "ax", "_x", "-x"],
      kept: ["+x"]),
    Self([".gitignore": "[[:nope:]]x\n"], ignored: [], kept: ["nx", ":x"]),
    Self([".gitignore": "[[:x\n"], ignored: [], kept: ["[x", ":x"]),
    Self([".gitignore": "[[:]x\n"], ignored: ["[x", ":x"], kept: []),
    Self([".gitignore": "[a-\n"], ignored: [], kept: ["a", "-"]),
    Self([".gitignore": "[c-a]x\n"], ignored: ["cx"], kept: ["ax", "bx"]),
    Self([".gitignore": "\\#a\n#b\n"], ignored: ["#a"], kept: ["#b", "b"]),
    Self([".gitignore": "\\!a\n"], ignored: ["!a"], kept: ["a"]),
    Self([".gitignore": "a\\*b\n"], ignored: ["a*b"], kept: ["axb"]),
    Self([".gitignore": "a\\\n"], ignored: [], kept: ["a", "a\\"]),
    Self([".gitignore": "a \n"], ignored: ["a"], kept: ["a "]),
    Self([".gitignore": "a\\ \n"], ignored: ["a "], kept: ["a"]),
    Self([".gitignore": "a\\ b  \n"], ignored: ["a b"], kept: []),
    Self([".gitignore": "a\\\\ \n"], ignored: ["a\\"], kept: ["a\\ "]),
    Self([".gitignore": "a\t\n"], ignored: ["a\t"], kept: ["a"]),
    Self([".gitignore": "a\r\nb\r\n"], ignored: ["a", "b"], kept: []),
    Self([".gitignore": "\u{FEFF}a\n"], ignored: ["a"], kept: []),
    Self([".gitignore": "\n\n  \n"], ignored: [], kept: [" ", "  ", "a"]),
    Self([".gitignore": "/\n"], ignored: [], kept: ["a", "a/"]),
    Self([".gitignore": "!\n"], ignored: [], kept: ["a"]),
    Self([".gitignore": "a"], ignored: ["a"], kept: []),
    Self(
      [".gitignore": "*\n!*/\n!*.txt\n"],
      ignored: ["b.c", "x/b.c"],
      kept: ["a.txt", "x/a.txt", "x/"]),
    Self([".gitignore": "*.txt\n"], ignored: ["ü.txt", "a.txt"], kept: ["A.TXT"]),
    Self([".gitignore": "Foo\n"], ignored: ["Foo"], kept: ["foo"]),
    Self([".gitignore": "a/*/c\n"], ignored: ["a/b/c"], kept: ["a/b/d/c", "a/c"]),
    Self([".gitignore": "a/*\n"], ignored: ["a/b", "a/b/c"], kept: ["a/"]),
    Self([".gitignore": "*a*b*c*\n"], ignored: ["xaxbxcx", "abc", "aabbc"], kept: ["acb"]),
    Self([".gitignore": "foo*/bar\n"], ignored: ["foo1/bar", "foo/bar"], kept: ["foo/x/bar"]),
    Self([".gitignore": "foo//bar\n"], ignored: [], kept: ["foo/bar"]),
    Self([".gitignore": "./foo\n"], ignored: [], kept: ["foo"]),
    Self(
      [".gitignore": "**/a/**/b\n"],
      ignored: ["a/b", "x/a/b", "x/a/y/b", "x/a/y/z/b"],
      kept: ["a/x"]),
    Self([".gitignore": "a/**/**/b\n"], ignored: ["a/b", "a/x/b"], kept: []),
    Self([".gitignore": "**/*.o\n"], ignored: ["x.o", "a/b/x.o"], kept: []),
    Self([".gitignore": "*.o/**\n"], ignored: ["x.o/a"], kept: ["b/x.o/a"]),
    Self([".gitignore": "a/***\n"], ignored: ["a/b", "a/b/c"], kept: []),
    Self([".gitignore": "***/a\n"], ignored: ["a", "x/a", "x/y/a"], kept: []),
  ]
  static let nested: [IgnoreCase] = [
    Self(
      [".gitignore": "*.txt\n", "sub/.gitignore": "!keep.txt\n"],
      ignored: ["a.txt", "sub/a.txt", "keep.txt"],
      kept: ["sub/keep.txt"]),
    Self(
      [".gitignore": "!a.txt\n", "sub/.gitignore": "/a.txt\n"],
      ignored: ["sub/a.txt"],
      kept: ["a.txt", "sub/x/a.txt"]),
    Self([".gitignore": "sub/\n", "sub/.gitignore": "!*\n"], ignored: ["sub/a"], kept: []),
    Self(
      [".gitignore": "/sub/b\n", "sub/.gitignore": "b\n!/b\n"],
      ignored: ["sub/x/b"],
      kept: ["sub/b"]),
    Self(["sub/.gitignore": "x/y\n"], ignored: ["sub/x/y"], kept: ["x/y", "sub/z/x/y"]),
  ]
}
