import DaemonTestSupport
import EditModel
import EditProtocol
import TestSupport
import Testing
import TextState

@testable import EditIngest

/// Documents in memory are counted by what they take, and requests that take too much are refused.
@Suite(.timeLimit(.minutes(10))) struct LiveMemoryTests {
  private func document(_ name: String, _ text: UTF16Text) throws -> LiveDocument {
    var state = TextState()
    // One by one, so that each has a record of its own.
    for index in stride(from: 0, to: text.count, by: 50) {
      let part = UTF16Text(units: Array(text.units[index..<min(index + 50, text.count)]))
      try state.advance(by: EditAction(replacing: UTF16Range(0..<0), with: part))
    }
    return LiveDocument(
      id: TestSupport.document(name), state: state, lastTime: Timestamp(nanoseconds: 0),
      sessions: [:])
  }

  private func remaining(of text: UTF16Text) throws -> Int {
    var options = IngestOptions(store: "/store")
    options.liveLengthMax = 200_000
    var documents = LiveDocuments(options)
    for name in 0..<8 {
      documents[TestSupport.document("\(name)")] = try document("\(name)", text)
      for _ in 0..<16 { _ = documents.trim() }
    }
    return documents.count
  }

  /// Eight texts of 10,000 units fit, but not their paragraphs if each unit is one.
  @Test func `paragraphs count`() throws {
    #expect(try remaining(of: UTF16Text(String(repeating: "x", count: 10_000))) == 8)
    #expect(try remaining(of: UTF16Text(String(repeating: "\n", count: 10_000))) < 5)
  }

  @Test func `sessions and attributes count`() throws {
    var document = try document("a", "text")
    let before = document.size
    #expect(document.sizeBound >= before)
    let text = UTF16Text("x")
    let set = AttributeSet(["data": .string(String(repeating: "x", count: 100_000))])
    let action = try EditAction(
      range: UTF16Range(0..<0), replacement: text,
      attributes: .set([AttributeRun(length: 1, attributes: set)]))
    _ = try document.stage(
      action, EntrySource(now: Timestamp(nanoseconds: 1), ticket: nil, of: nil),
      opensTransaction: true)
    #expect(document.size > before + 100_000 && document.sizeBound >= document.size)
  }

  /// Nothing is logged of a request with too many paragraphs, and the document goes on.
  @Test func `too many paragraphs in a request are refused`() async throws {
    let harness = try await IngestHarness(on: SimulatedFileSystem())
    #expect(try await harness.append("x") == 1)
    let count = AppendRequest.paragraphCountMax + 1
    let text = UTF16Text(latin1: [UInt8](repeating: 0x0A, count: count))
    let error = await #expect(throws: ProtocolError.self) {
      try await harness.append([
        AppendEdit(action: EditAction(replacing: UTF16Range(0..<0), with: text))
      ])
    }
    #expect(error?.code == .tooLarge && error?.message.contains("\(count)") == true)
    #expect(try await harness.append("y") == 2)
    try await harness.check(text: "yx")
    try await harness.end()
  }
}
