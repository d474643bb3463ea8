import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

@Suite struct TraceTests {
  /// Random patches on scalars, plainly, and through the map with tiny chunks: offsets and
  /// lengths in UTF-16 must agree after every one.
  @Test(arguments: UInt64(0)..<40)
  func mapAgreesWithScalars(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var map = CodePointMap(wideMax: 2 + Int(seed % 6))
    var oracle: [Unicode.Scalar] = []
    let pieces = ["", "a", "\r\n", "é", "👩‍🚀", "🎉🎉🎉", "日本", "a longer run", "🇫🇷"]
    for _ in 0..<120 {
      let lower = Int.random(in: 0...oracle.count, using: &random)
      let upper = Int.random(in: lower...min(oracle.count, lower + 9), using: &random)
      let text = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }.joined()
      map.replace(lower..<upper, with: Array(text.utf16))
      oracle.replaceSubrange(lower..<upper, with: text.unicodeScalars)
      #expect(map.count == oracle.count)
      var offset = 0
      for (index, scalar) in oracle.enumerated() {
        #expect(map.utf16Offset(of: index) == offset)
        offset += UTF16.width(scalar)
      }
      #expect(map.utf16Offset(of: oracle.count) == offset)
      #expect(map.utf16Count == offset)
    }
  }

  /// A random trace imported through the verb leaves the text that replaying it on scalars does.
  @Test(arguments: UInt64(0)..<12)
  func importAgreesWithNaiveReplay(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    var (text, transactions): ([Unicode.Scalar], [JSON]) = ([], [])
    for index in 0..<150 {
      var patches: [JSON] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let position = Int.random(in: 0...text.count, using: &random)
        let deleted = Int.random(in: 0...min(5, text.count - position), using: &random)
        let inserted = ["x", "é🎉", "", "two\nlines\n", "日本👩‍🚀"][Int(random.next() % 5)]
        text.replaceSubrange(position..<position + deleted, with: inserted.unicodeScalars)
        patches.append([JSON(position), JSON(deleted), JSON(inserted)])
      }
      let time = Timestamp(nanoseconds: Int64(index) * 1_500_000_000)
      transactions.append(["time": JSON(time.rfc3339), "patches": .array(patches)])
    }
    let end = String(String.UnicodeScalarView(text))
    let trace: JSON = [
      "startContent": "", "endContent": JSON(end), "txns": .array(transactions),
    ]
    let backend = try await StoreHarness()
    let bench = Bench(backend)
    try await withTemporaryFile(trace.serialized()) { path in
      try await ImportTraceCommand.parse([path, "--document", "doc"]).run(in: bench.session)
    }
    #expect(try await backend.units(of: "doc") == Array(end.utf16))
    #expect(bench.noted.hasSuffix("The text equals the trace's endContent.\n"))
    #expect(bench.printed.isEmpty)
    let edits = try await backend.edits(of: "doc")
    #expect(edits.first?.time == Timestamp(nanoseconds: 0))
    // Neighbours with one label are one transaction, and no request divides one.
    #expect(Set(edits.map(\.transaction)).count == 150)
    let labels = backend.requests.map { Set($0.edits.compactMap(\.transaction)) }
    for (left, right) in zip(labels, labels.dropFirst()) { #expect(left.isDisjoint(with: right)) }
  }

  @Test func originsAndTheirBounds() throws {
    var converter = TraceConverter(path: "t")
    func origin(_ patch: TracePatch) throws -> Origin? {
      try converter.edits(of: TraceTransaction(index: 0, time: nil, patches: [patch])).first?.origin
    }
    func insertion(_ text: String) -> TracePatch {
      TracePatch(position: 0, deleted: 0, inserted: Array(text.utf16))
    }
    #expect(try origin(insertion("a")) == .typing)
    #expect(try origin(insertion("\n")) == .typing)
    #expect(try origin(insertion("one line\n")) == .typing)
    #expect(try origin(insertion("two\nlines")) == .paste)
    #expect(try origin(insertion(String(repeating: "x", count: 64))) == .typing)
    #expect(try origin(insertion(String(repeating: "x", count: 65))) == .paste)
    #expect(try origin(TracePatch(position: 0, deleted: 1, inserted: [])) == .removal)
    #expect(try origin(TracePatch(position: 0, deleted: 1, inserted: [0x61])) == .typing)
  }

  @Test(arguments: [
    ("", "byte 0: '{' was expected"),
    ("{}", "not a trace: it has no \"txns\""),
    (
      #"{"txns":[{"patches":[[0,0,"a"]]},{"patches":[[2,0,"b"]]}]}"#,
      "transaction 1, patch 0: position 2 and 0 deleted reach past the text, which has 1 code"
    ),
    (#"{"txns":[{"patches":[[0,9223372036854775807,""]]}]}"#, "transaction 0, patch 0: position 0"),
    (#"{"txns":[{"patches":[[-1,0,"a"]]}]}"#, "a position and a count from 0 up was expected"),
    (#"{"txns":[{"patches":[[0,0]]}]}"#, "',' was expected"),
    (#"{"txns":[{"patches":[[0,1.5,"a"]]}]}"#, "a whole number was expected"),
    (#"{"txns":[{"time":"noon","patches":[[0,0,"a"]]}]}"#, "transaction 0: 'noon' is not a time"),
    (#"{"txns":[{"patches":[[0,0,"a"]]}"#, "']' was expected"),
    (#"{"txns":[]} x"#, "the end of the file was expected"),
    (#"{"txns":[],"startContent":"a"}"#, "\"startContent\" before \"txns\""),
    (#"{"txns":[{"patches":[[0,0,"\x"]]}]}"#, "an escape that JSON knows"),
    ("{\"x\":" + String(repeating: "[", count: 100), "nested less deeply"),
  ])
  func badTraces(text: String, problem: String) async throws {
    let bench = Bench(try await StoreHarness())
    let error = await #expect(throws: CommandError.self) {
      try await withTemporaryFile(Array(text.utf8)) { path in
        try await ImportTraceCommand.parse([path, "--document", "doc"]).run(in: bench.session)
      }
    }
    #expect(error?.exitCode == 65)
    #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
  }

  @Test func startContentAndLoneSurrogates() async throws {
    let trace = #"""
      {"kind":{"any":[1,-2.5e3,true,null,{}]},"txns-like":1,"startContent":"🎉b",
       "txns":[{"time":null,"patches":[[1,0,"\ud83c"]]},{"patches":[]}],
       "endContent":"🎉\ud83cb","numAgents":1}
      """#
    let backend = try await StoreHarness()
    let bench = Bench(backend)
    try await withTemporaryFile(Array(trace.utf8)) { path in
      try await ImportTraceCommand.parse([path, "--document", "d", "--json"]).run(in: bench.session)
    }
    #expect(try await backend.units(of: "d") == [0xD83C, 0xDF89, 0xD83C, 0x62])
    #expect(try await backend.edits(of: "d").map(\.origin) == [.load, .typing])
    #expect(bench.printed == #"{"v":1,"document":"d","edits":2,"transactions":2}"# + "\n")
    let error = await #expect(throws: CommandError.self) {
      try await withTemporaryFile(Array(trace.utf8)) { path in
        try await ImportTraceCommand.parse([path, "--document", "d"]).run(in: bench.session)
      }
    }
    #expect(error?.exitCode == 65)
    #expect(error?.message.contains("has a history already") == true)
  }

  @Test func aTextThatIsNotTheEndContentIsAnError() async throws {
    let trace = #"{"endContent":"abd","txns":[{"patches":[[0,0,"abc"]]}]}"#
    let backend = try await StoreHarness()
    let bench = Bench(backend)
    // D15: nothing stays, so the import can be tried again; --keep keeps it.
    for (arguments, isKept) in [([], false), ([], false), (["--keep"], true)] {
      let error = await #expect(throws: CommandError.self) {
        try await withTemporaryFile(Array(trace.utf8)) { path in
          try await ImportTraceCommand.parse([path, "--document", "d"] + arguments)
            .run(in: bench.session)
        }
      }
      #expect(error?.exitCode == 65)
      #expect(error?.message.contains("from UTF-16 unit 2 on") == true)
      #expect(error?.message.contains("the document was removed") == !isKept)
      #expect((try await backend.units(of: "d") == nil) == !isKept)
    }
  }
}
