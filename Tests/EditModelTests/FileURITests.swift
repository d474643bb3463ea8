import TestSupport
import Testing

@testable import EditModel

@Suite struct FileURITests {
  @Test(arguments: [
    ("file:///a/b", "/a/b"), ("file://localhost/a", "/a"), ("file:///a%20b%c3%A4", "/a bä"),
    ("file:///a/../b", "/a/../b"), ("file:///", "/"), ("file:///50%25", "/50%"),
    ("file:/a", "/a"), ("FILE:///a", "/a"), ("file:///a?b#c", "/a?b#c"),
    // Other hosts, schemes and relative paths.
    ("file://host/a", nil), ("file:a", nil), ("http:///a", nil), ("file://", nil), ("", nil),
    // Escapes that are cut, have a sign or no digits, and bytes that no path has.
    ("file:///a%", nil), ("file:///a%2", nil), ("file:///a%+5", nil), ("file:///a%-0", nil),
    ("file:///a%g0", nil), ("file:///a%00", nil), ("file:///a%ff", nil), ("file:///%２0", nil),
  ])
  func `the path of a URI`(uri: String, path: String?) {
    #expect(FileURI.path(uri) == path)
  }

  @Test(arguments: ["/a b/ä#?.txt", "/", "/!$&'()*+,;=:@", "/50%/[x]", "/a/\u{301}b"])
  func `the URI of a path is read back`(path: String) {
    let uri = FileURI.uri(of: path)
    #expect(FileURI.path(uri).isExactly(path))
    #expect(FileURI.normalizedPath(uri).isExactly(path))
    #expect(FileURI.canonical(uri) == uri)
  }

  @Test(arguments: ["file:///a/../b", "file:///a//b", "file:///a/"])
  func `other paths are not normalized`(uri: String) {
    #expect(FileURI.path(uri) != nil)
    #expect(FileURI.normalizedPath(uri) == nil)
  }

  /// As Neovim, VS Code, Java and careless programs write them.
  @Test(arguments: [
    ("file:///%c3%a9.md", "file:///%C3%A9.md"), ("file:///%61.md", "file:///a.md"),
    ("file:///é.md", "file:///%C3%A9.md"), ("file:///a%28b%29", "file:///a(b)"),
    ("file:///a(b)", "file:///a(b)"), ("file:///c%3A/x", "file:///c:/x"),
    ("file:///%5bid%5D", "file:///%5Bid%5D"), ("file:/a b", "file:///a%20b"),
    ("FILE://localhost/a", "file:///a"), ("file:///a%2fb", "file:///a/b"),
    ("file:///a?b", "file:///a%3Fb"), ("file:///%ff", "file:///%FF"),
    // Segments that mean nothing in a URI (RFC 3986). A slash at the end names a folder.
    ("file:////a", "file:///a"), ("file:///a//b", "file:///a/b"), ("file:///a///", "file:///a/"),
    ("file:///a/./b", "file:///a/b"), ("file:///./a", "file:///a"), ("file:///a/.", "file:///a/"),
    ("file:///a/b/../c", "file:///a/c"), ("file:///../a", "file:///a"), ("file:///..", "file:///"),
    ("file:///a/b/..", "file:///a/"), ("file:///a/..", "file:///"), ("file:///a/", "file:///a/"),
    ("file:///a/b/c/./../../g", "file:///a/g"), ("file:///a/%2E%2e/b", "file:///b"),
    ("file:///a/%2e/b", "file:///a/b"), ("file:///a%2F%2Fb", "file:///a/b"),
    ("file:///.a/..b/...", "file:///.a/..b/..."), ("file:///a/.%20/b.", "file:///a/.%20/b."),
    ("file:////", "file:///"), ("file:/a//b", "file:///a/b"), ("file:", "file:"),
    ("file://host/a//b", "file://host/a//b"), ("http://x/a/../b", "http://x/a/../b"),
    // Not the URIs of files of this machine, or not read by everyone alike.
    ("file:///%4", "file:///%4"), ("file:///%zz", "file:///%zz"), ("file:///%00", "file:///%00"),
    ("file://host/%61", "file://host/%61"), ("untitled:%61", "untitled:%61"), ("%61", "%61"),
    ("", ""), ("file:", "file:"), ("file://", "file://"),
  ])
  func `the form in which names are compared`(uri: String, canonical: String) {
    #expect(FileURI.canonical(uri).isExactly(canonical))
    #expect(FileURI.canonical(canonical).isExactly(canonical))
  }

  /// By a slow rule that reads a path from the left, for paths of few characters.
  @Test(arguments: 1...20)
  func `paths get the form that a reader from the left gives them`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let path =
        "/"
        + (0..<Int.random(in: 0...10, using: &random)).map { _ in
          ["/", ".", "..", "a", "/../", "/./"].randomElement(using: &random) ?? ""
        }.joined()
      var folders: [String] = []
      let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      for part in parts {
        if part == ".." { _ = folders.popLast() }
        if !["", ".", ".."].contains(part) { folders.append(part) }
      }
      let isFolder = ["", ".", ".."].contains(parts.last ?? "") && !folders.isEmpty
      let expected = "file:///" + folders.joined(separator: "/") + (isFolder ? "/" : "")
      #expect(FileURI.canonical("file://" + path) == expected, "seed \(seed), \(path)")
    }
  }

  /// Random bytes of a path, each written in one of the ways that programs have.
  @Test(arguments: 1...20)
  func `all spellings of a path are one name`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let path = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        UInt8.random(in: 1...255, using: &random)
      }
      func spelling() -> String {
        "file:///"
          + path.map { byte -> String in
            let digits = String(byte, radix: 16, uppercase: .random(using: &random))
            let isPlain = byte.isMultiple(of: 2) || !(0x61...0x7A).contains(byte)
            return isPlain || .random(using: &random)
              ? "%" + (byte < 16 ? "0" : "") + digits : String(Unicode.Scalar(byte))
          }.joined()
      }
      let (one, other) = (DocumentID(spelling()), DocumentID(spelling()))
      #expect(one != nil && one == other, "seed \(seed)")
    }
  }

  @Test func `composed and decomposed names are two names`() {
    #expect(DocumentID("file:///caf\u{E9}") != DocumentID("file:///cafe\u{301}"))
    #expect(FileURI.absolute("cafe\u{301}/../\u{301}x", in: "/a").isExactly("/a/\u{301}x"))
  }

  @Test func `the name of another history of a file`() throws {
    let file = try #require(DocumentID("file:///a.md"))
    let other = try #require(file.otherHistory(12))
    #expect(other.name == "file:///a.md?history=12")
    #expect(DocumentID(other.name) == other)
    #expect(other.fileOfOtherHistory == file)
    #expect(FileURI.path(other.name) == nil)
    #expect(file.fileOfOtherHistory == nil)
    #expect(DocumentID("file:///a?history=x")?.name == "file:///a%3Fhistory=x")
  }

  @Test func `the URI of the longest path is a name`() {
    let path = "/" + String(repeating: "\u{6587}", count: 1_364)
    #expect(path.utf8.count == 4_093)
    #expect(DocumentID(FileURI.uri(of: path)) != nil)
    #expect(DocumentID(String(repeating: "a", count: DocumentID.sizeMax)) != nil)
    #expect(DocumentID(String(repeating: "a", count: DocumentID.sizeMax + 1)) == nil)
    // Each of these bytes becomes three.
    #expect(DocumentID("file:///" + String(repeating: "\u{E9}", count: 6_000)) == nil)
  }
}
