import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Glibc
import NIOCore
import Testing

@testable import EditLogCommands

@Suite struct AppendTests {
  /// Runs `append` with these lines as its input.
  private func append(
    _ lines: [String], to backend: any Backend, _ options: [String] = [], ending: String = "\n"
  ) async throws -> (printed: [Substring], error: CommandError?) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw CreateError(code: errno) }
    defer { close(ends[0]) }
    let bytes = Array((lines.joined(separator: "\n") + ending).utf8)
    _ = bytes.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
    close(ends[1])
    let bench = Bench(backend)
    var failure: CommandError?
    do {
      try await AppendCommand.parse(["doc", "--author", "ada"] + options).run(
        in: bench.session, input: LineReader(descriptor: ends[0], sizeMax: 1000))
    } catch let error as CommandError { failure = error }
    return (bench.printed.split(separator: "\n"), failure)
  }

  private func insertion(_ text: String, at location: Int) -> String {
    AppendEdit(
      action: EditAction(
        replacing: UTF16Range(location..<location), with: UTF16Text(text))
    ).json.description
  }

  @Test func eachLineIsAnswered() async throws {
    let backend = try await StoreHarness()
    let lines = [
      insertion("hello", at: 0), "", insertion(" world", at: 5),
      "[\(insertion("a", at: 0)),\(insertion("b", at: 1))]",
    ]
    let (printed, error) = try await append(lines, to: backend, ending: "")
    #expect(error == nil)
    let expected = [
      #"{"v":1,"line":1,"first":1,"sequence":1,"durable":true,"head":"doc@1:"#,
      #"{"v":1,"line":3,"first":2,"sequence":2,"durable":true,"head":"doc@2:"#,
      #"{"v":1,"line":4,"first":3,"sequence":4,"durable":true,"head":"doc@4:"#,
    ]
    #expect(printed.count == 3 && zip(printed, expected).allSatisfy { $0.hasPrefix($1) })
    #expect(try await backend.units(of: "doc") == Array("abhello world".utf16))
    #expect(backend.requests.map(\.base) == [nil, 1, 2])
    let edits = try await backend.edits(of: "doc")
    #expect(edits.allSatisfy { $0.author == "ada" })
    #expect(edits.map(\.transaction) == [1, 2, 3, 3])
  }

  @Test(arguments: [
    ("nonsense", "line 2: JSON, byte 1"),
    ("{\"actions\":[\"characters\"]}", "line 2: location must be an integer"),
    ("[]", "line 2: the array is empty"),
    (
      #"{"actions":["characters"],"location":0,"length":0,"changeInLength":2,"text":"a"}"#,
      "changeInLength is 2"
    ),
    (
      #"{"actions":["characters"],"location":9,"length":1,"changeInLength":-1}"#,
      "line 2: params.edits[0]: range {9, 1} ends at 10"
    ),
    (String(repeating: "x", count: 5000), "more than 1000 bytes"),
    (
      #"{"actions":["attributes"],"location":0,"length":5,"changeInLength":0,"#
        + #""attributes":{"merge":[{"length":5,"attributes":{"heading":99}}]}}"#,
      "line 2: attributes: heading must be from 1 to 6; found 99"
    ),
  ])
  func aBadLineEndsTheRun(line: String, problem: String) async throws {
    let backend = try await StoreHarness()
    let (printed, error) = try await append(
      [insertion("hello", at: 0), line, insertion("never", at: 0)], to: backend)
    #expect(error?.exitCode == 65)
    #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
    #expect(printed.count == 1)
    #expect(try await backend.units(of: "doc") == Array("hello".utf16))
  }

  /// A copy of a history keeps all of it.
  @Test func aCopiedEditKeepsAValueThatIsRefusedToday() async throws {
    let backend = try await StoreHarness()
    let entry =
      #"{"v":1,"type":"edit","sequence":1,"transaction":1,"origin":"typing","time":"2024-01-01T00:00:00Z","#
      + #""actions":["characters","attributes"],"location":0,"length":0,"changeInLength":1,"text":"a","#
      + #""attributes":{"set":[{"length":1,"attributes":{"heading":99}}]}}"#
    let (_, error) = try await append([entry], to: backend)
    #expect(error == nil)
    let id = try #require(DocumentID("doc"))
    let state = try await backend.ask(StateRequest(HistoryReference(id)))
    #expect(
      state.attributeRuns == [AttributeRun(length: 1, attributes: ["heading": .integer(99)])])
  }

  /// The text of a long line is not decoded before it is sent. Half of a surrogate pair stays.
  @Test func longLinesAreAppendedWhole() async throws {
    let backend = try await StoreHarness()
    let texts = (0..<6).map { UTF16Text(units: Self.units($0)) }
    let lines = texts.enumerated().map { index, text in
      let edit = AppendEdit(action: EditAction(replacing: UTF16Range(0..<0), with: text)).json
      return (index == 4 ? JSON.array([edit]) : edit).serialized()
    }
    try await withTemporaryFile(Array(lines.joined(separator: [0x0A]))) { path in
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      defer { close(descriptor) }
      try await AppendCommand.parse(["doc"]).run(
        in: Bench(backend).session, input: LineReader(descriptor: descriptor, sizeMax: 1 << 20))
    }
    #expect(try await backend.units(of: "doc") == texts.reversed().flatMap(\.units))
    #expect(try await backend.edits(of: "doc").map(\.transaction) == Array(1...6))
  }

  private static func units(_ index: Int) -> [UInt16] {
    let pieces = ["a\n\"", "ä\u{2028}", "😀"].map { Array($0.utf16) } + [[0xD83D], [0xDE00]]
    return (0..<[1, 30_000][index % 2]).flatMap { pieces[($0 + index) % pieces.count] }
  }

  /// A line is the same whether it is kept or not while the next ones are read.
  @Test func linesOfAllLengthsAreRead() async throws {
    let lengths = [0, 5, 200_000, 1, 65_535, 65_536, 0, 65_537, 131_072, 3]
    let lines = lengths.enumerated().map { index, length in
      [UInt8](repeating: UInt8(ascii: "a") + UInt8(index), count: length)
    }
    for isEnded in [true, false] {
      let bytes = Array(lines.joined(separator: [0x0A])) + (isEnded ? [0x0A] : [])
      try await withTemporaryFile(bytes) { path in
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var (reader, kept) = (LineReader(descriptor: descriptor, sizeMax: 200_000), [ByteBuffer]())
        while let line = try await reader.next() { kept.append(line) }
        #expect(kept.map { Array(buffer: $0) } == lines)
      }
    }
  }

  @Test func theFirstLineMayNameItsVersion() async throws {
    let backend = try await StoreHarness()
    _ = try await append([insertion("hello", at: 0)], to: backend)
    let lines = [insertion("a", at: 0), insertion("b", at: 0)]
    let (printed, error) = try await append(lines, to: backend, ["--base", "1"])
    #expect(error == nil)
    #expect(printed.count == 2)
    let late = try await append(lines, to: backend, ["--base", "1"])
    #expect(late.printed.isEmpty)
    #expect(late.error?.message.contains("line 1: ") == true, "\(late.error?.message ?? "")")
    #expect(throws: (any Error).self) { try AppendCommand.parse(["doc", "--base", "-1"]) }
    #expect(backend.requests.map(\.base) == [nil, 1, 2, 1])
    #expect(try await backend.units(of: "doc") == Array("bahello".utf16))
  }

  @Test func anEmptyAuthorIsRefused() async throws {
    for author in ["", String(repeating: "a", count: 1_025)] {
      #expect(throws: (any Error).self) { try AppendCommand.parse(["doc", "--author", author]) }
    }
  }

  @Test func nothingIsLoggedForNoLines() async throws {
    let backend = try await StoreHarness()
    let (printed, error) = try await append([], to: backend, ending: "")
    #expect(printed.isEmpty && error == nil)
    #expect(try await backend.units(of: "doc") == nil)
  }
}
