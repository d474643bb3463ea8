import Testing

@testable import EditProtocol

@Suite struct FileURITests {
  @Test(arguments: [
    ("file:///a/b", "/a/b"), ("file://localhost/a", "/a"), ("file:///a%20b%c3%A4", "/a bä"),
    ("file:///a/../b", "/a/../b"), ("file:///", "/"), ("file:///50%25", "/50%"),
    // Other hosts, schemes and relative paths.
    ("file://host/a", nil), ("file:/a", nil), ("http:///a", nil), ("file://", nil), ("", nil),
    // Escapes that are cut, have a sign or no digits, and bytes that no path has.
    ("file:///a%", nil), ("file:///a%2", nil), ("file:///a%+5", nil), ("file:///a%-0", nil),
    ("file:///a%g0", nil), ("file:///a%00", nil), ("file:///a%ff", nil), ("file:///%２0", nil),
  ])
  func `the path of a URI`(uri: String, path: String?) {
    #expect(FileURI.path(uri) == path)
  }

  /// Only what an editor writes for a normalized path stands for that path.
  @Test(arguments: ["/a b/ä#?.txt", "/", "/!$&'()*+,;=:@", "/50%/[x]"])
  func `both forms are read back`(path: String) {
    for uri in FileURI.uris(of: path) {
      #expect(FileURI.path(uri) == path)
      #expect(FileURI.normalizedPath(uri) == path)
    }
  }

  @Test(arguments: ["file:///a/../b", "file:///a//b", "file:///a/", "file:///%61", "file:///a%2f"])
  func `other forms are no normalized path`(uri: String) {
    #expect(FileURI.path(uri) != nil)
    #expect(FileURI.normalizedPath(uri) == nil)
  }
}
