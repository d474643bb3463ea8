import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Testing

@testable import EditLogCommands

/// `show` of a text that comes in several parts.
@Suite struct ShowTests {
  @Test func `the parts of a text make one object`() async throws {
    try await withTemporaryDirectory { directory in
      let backend = try await makeStoreBackend(path: directory + "/store")
      let document = try #require(DocumentID("a"))
      // Three parts; the ends of the first two fall into a pair and beside a lone half.
      let length = ShowCommand.partLength
      var units = [UInt16](repeating: 0x61, count: length - 1) + [0xD83D, 0xDE00]
      units += [UInt16](repeating: 0x22, count: length - 3) + [0xD800, 0x2029, 0x0A, 0xE9]
      let bold = AttributeRun(length: length + 2, attributes: ["bold": .bool(true)])
      let actions = [
        EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(units: units)),
        try EditAction(
          range: UTF16Range(5..<length + 7), replacement: nil, attributes: .set([bold])),
      ]
      _ = try await backend.perform(
        AppendRequest(document: document, edits: actions.map { AppendEdit(action: $0) }))

      let json = Bench(backend)
      try await ShowCommand.parse(["a", "--json"]).run(in: json.session)
      var whole = StateAnswer.codec.encode(
        try await backend.ask(StateRequest(HistoryReference(document))))
      whole = .object(try JSONObject(["v": 1], whole.asObject()))
      #expect(json.printed == whole.description + "\n")
      let plain = Bench(backend)
      try await ShowCommand.parse(["a"]).run(in: plain.session)
      #expect(plain.printed == String(decoding: units, as: UTF16.self))
      await backend.close()
    }
  }
}

extension JSONObject {
  /// The members of both, in this order.
  fileprivate init(_ first: JSONObject, _ second: JSONObject) throws {
    self = first
    for member in second.members { self[member.name] = member.value }
  }
}
