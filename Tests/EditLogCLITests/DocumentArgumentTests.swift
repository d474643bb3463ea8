import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Testing

@testable import EditLogCommands

@Suite struct DocumentArgumentTests {
  private func candidates(_ argument: String, resolve: String? = nil) throws -> [String] {
    try DocumentArgument(argument, directory: "/home/ada/my work", resolve: { _ in resolve })
      .candidates.map(\.name)
  }

  @Test(arguments: [
    ("notes.txt", ["notes.txt", "file:///home/ada/my%20work/notes.txt"]),
    ("./a/../b.md", ["./a/../b.md", "file:///home/ada/my%20work/b.md"]),
    ("/tmp//x.md", ["/tmp//x.md", "file:///tmp/x.md"]),
    ("../../../../x", ["../../../../x", "file:///x"]),
    // VS Code encodes more than others do.
    ("/a(1)+b.md", ["/a(1)+b.md", "file:///a(1)+b.md", "file:///a%281%29%2Bb.md"]),
    ("/ü%.md", ["/ü%.md", "file:///%C3%BC%25.md"]),
    ("file:///x.md", ["file:///x.md"]),
    ("untitled://1", ["untitled://1"]),
  ])
  func candidates(argument: String, expected: [String]) throws {
    #expect(try candidates(argument) == expected)
  }

  @Test func linksAreResolvedLast() throws {
    #expect(
      try candidates("/link.md", resolve: "/real.md")
        == ["/link.md", "file:///link.md", "file:///real.md"])
  }

  @Test func impossibleNamesAreUsageErrors() throws {
    for name in ["", String(repeating: "x", count: 1025)] {
      let error = #expect(throws: CommandError.self) { try DocumentArgument(name) }
      #expect(error?.exitCode == 64)
    }
  }

  @Test func aCallTriesTheNameThenTheFile() async throws {
    let backend = FakeBackend { _, params in
      guard params["document"] == "file:///x.md" else {
        throw ProtocolError.unknownDocument(try params.document("document"))
      }
      return ["entries": []]
    }
    let bench = Bench(backend)
    let options = try ReadingOptions.parse([])
    let answer = try await bench.session.ask("/x.md", options) { LogRequest($0, after: 7) }
    #expect(answer.entries == [])
    #expect(
      backend.calls == [
        #"editlog/log {"document":"/x.md","after":7}"#,
        #"editlog/log {"document":"file:///x.md","after":7}"#,
      ])
    let error = await #expect(throws: ProtocolError.self) {
      try await bench.session.ask("/y.md", options) { LogRequest($0) }
    }
    #expect(error?.details["document"] == "/y.md")
    #expect(try await bench.session.documentForWriting("/x.md").id.name == "file:///x.md")
    #expect(try await bench.session.documentForWriting("/y.md").id.name == "/y.md")
  }

  @Test(
    arguments: [
      (
        nil, nil, [:],
        Location.socket("/run/editlog/editlogd.sock")
      ),
      (
        nil, nil, ["XDG_RUNTIME_DIR": "/run/user/1", "XDG_STATE_HOME": "/s", "HOME": "/h"],
        .either(socket: "/run/user/1/editlog/editlogd.sock", store: "/s/editlog")
      ),
      (nil, nil, ["EDITLOG_SOCKET": "/a", "HOME": "/h"], .socket("/a")),
      (nil, nil, ["EDITLOG_STORE": "/b"], .store("/b")),
      (
        nil, nil, ["EDITLOG_SOCKET": "/a", "EDITLOG_STORE": "/b"],
        .either(socket: "/a", store: "/b")
      ),
      ("/c", nil, ["EDITLOG_STORE": "/b"], .socket("/c")),
      (nil, "/d", ["EDITLOG_SOCKET": "/a"], .store("/d")),
    ] as [(String?, String?, [String: String], Location)])
  func locations(socket: String?, store: String?, variables: [String: String], place: Location) {
    #expect(Location(socket: socket, store: store) { variables[$0] } == place)
  }
}
