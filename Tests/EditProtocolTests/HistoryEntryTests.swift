import EditJSON
import EditModel
import EditProtocol
import NIOCore
import TestSupport
import Testing

@Suite struct HistoryEntryTests {
  @Test func anEditIsWrittenAsTheArticleSays() throws {
    let edit = Edit(
      sequence: 12, action: EditAction(replacing: UTF16Range(0..<0), with: "hello"),
      author: "Ada", session: SessionID("s1"), counter: 3,
      time: Timestamp(nanoseconds: 1_790_000_000_123_456_789))
    #expect(
      HistoryEntry.edit(edit).json.description
        == #"{"v":1,"sequence":12,"actions":["characters"],"location":0,"length":0,"changeInLength":5,"text":"hello","origin":"typing","transaction":12,"author":"Ada","session":"s1","counter":3,"time":"2026-09-21T14:13:20.123456789Z","timeMicros":1790000000123456}"#
    )
  }

  @Test func eventsAreWrittenAsTheArticleSays() throws {
    let digest = try #require(ContentDigest(bytes: Array(0..<32)))
    let other = try #require(ContentDigest(bytes: Array(repeating: 0xFF, count: 32)))
    let name = try #require(DocumentID("file:///old"))
    let hex = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    let neovim = try #require(
      SessionDescription(client: "Neovim", version: "0.7.2", host: "desk", process: 4711))
    let client = try #require(SessionDescription(client: "c"))
    let kinds: [(HistoryEvent.Kind, String)] = [
      (.mark(label: "x", at: 12), #""event":"mark","after":13,"label":"x","at":12"#),
      (.baseline(digest), #""event":"baseline","after":13,"digest":"\#(hex)""#),
      (.saved(digest), #""event":"saved","after":13,"digest":"\#(hex)""#),
      (.closed(unsaved: true), #""event":"closed","after":13,"unsaved":true"#),
      (
        .divergence(ours: digest, theirs: other),
        #""event":"divergence","after":13,"ours":"\#(hex)","theirs":"\#(String(repeating: "f", count: 64))""#
      ),
      (.renamed(from: name), #""event":"renamed","after":13,"from":"file:///old""#),
      (
        .session(neovim),
        #""event":"session","after":13,"client":"Neovim","version":"0.7.2","host":"desk","process":4711"#
      ),
      (.session(client), #""event":"session","after":13,"client":"c""#),
      (.copied(from: name, at: 7), #""event":"copied","after":13,"from":"file:///old","at":7"#),
      (
        .undo(UndoneChange(undone: SequenceSet([1...2, 9...9])), to: 0),
        #""event":"undo","after":13,"undone":[[1,2],[9,9]],"redone":[],"to":0"#
      ),
      (
        .undo(UndoneChange(redone: SequenceSet(3...3)), to: nil),
        #""event":"undo","after":13,"undone":[],"redone":[[3,3]]"#
      ),
    ]
    for (kind, text) in kinds {
      let entry = HistoryEntry.event(
        HistoryEvent(kind: kind, after: 13, time: Timestamp(nanoseconds: -1)))
      #expect(
        entry.json.description
          == #"{"v":1,\#(text),"time":"1969-12-31T23:59:59.999999999Z","timeMicros":-1}"#)
      #expect(try HistoryEntry(json: JSON.parse(entry.json.serialized())) == entry)
    }
  }

  @Test(arguments: UInt64(0)..<48)
  func entriesRoundTrip(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<30 {
      let sequence = UInt64.random(in: 1 ... .max, using: &random) >> random.next() % 64 | 1
      let some = Bool.random(using: &random)
      let edit = Edit(
        sequence: sequence, action: try .random(using: &random),
        origin: Origin.allCases[Int.random(in: 0..<9, using: &random)],
        transaction: UInt64.random(in: 1...sequence, using: &random),
        author: some ? .random(using: &random) : nil, session: some ? SessionID("s") : nil,
        counter: Bool.random(using: &random) ? random.next() : 0,
        time: Timestamp(nanoseconds: .random(using: &random)),
        clientTime: some ? Timestamp(nanoseconds: .random(using: &random)) : nil)
      let entry = HistoryEntry.edit(edit)
      #expect(try HistoryEntry(json: JSON.parse(entry.json.serialized())) == entry)
    }
  }

  @Test(arguments: [
    (#"{"v":2}"#, "v must be an integer from 1 to 1, but is 2"),
    (
      #"{"v":1,"event":"dream","after":1,"time":0}"#,
      #"event must be one of mark, baseline, saved, closed, divergence, renamed, session, copied, undo, but is a string of 5 bytes"#
    ),
    (
      #"{"v":1,"event":"saved","after":1,"time":0,"digest":"00"}"#,
      #"digest must be 64 hexadecimal digits, but is a string of 2 bytes"#
    ),
    (
      #"{"v":1,"sequence":2,"actions":["characters"],"location":0,"length":0,"changeInLength":0,"text":"","transaction":3,"time":0}"#,
      "transaction must be an integer from 1 to 2, but is 3"
    ),
  ])
  func whatIsNoEntryIsRefused(text: String, message: String) throws {
    let json = try JSON.parse(text)
    let error = #expect(throws: ShapeError.self) { try HistoryEntry(json: json) }
    #expect(error?.description == message)
  }
}

@Suite struct AttributeValueTests {
  /// Each value, and the one way it is written.
  @Test(arguments: [
    (AttributeValue.bool(true), "true"), (.integer(.min), "-9223372036854775808"),
    (.double(1), "1.0"), (.double(-0.0), "-0.0"), (.double(1e300), "1e+300"),
    (.double(.nan), #"{"$double":"nan"}"#), (.double(.infinity), #"{"$double":"inf"}"#),
    (.double(-.infinity), #"{"$double":"-inf"}"#), (.string("é\n"), #""é\n""#),
    (.bytes([]), #"{"$bytes":""}"#), (.bytes([0]), #"{"$bytes":"AA=="}"#),
    (.bytes([0xFB, 0xFF]), #"{"$bytes":"+/8="}"#), (.bytes([1, 2, 3]), #"{"$bytes":"AQID"}"#),
    (.list([.bool(false), .list([])]), "[false,[]]"),
    (.map(["b": .integer(1), "a": .map([:])]), #"{"a":{},"b":1}"#),
    (.map(["$bytes": .string("AA==")]), #"{"$map":{"$bytes":"AA=="}}"#),
    (.map(["$map": .map(["$": .bool(true)])]), #"{"$map":{"$map":{"$map":{"$":true}}}}"#),
  ])
  func isWrittenInOneWay(value: AttributeValue, text: String) throws {
    #expect(value.json.description == text)
    #expect(try AttributeValue(json: JSON.parse(text)) == value)
  }

  @Test(arguments: [
    "null", #"{"$bytes":"A"}"#, #"{"$bytes":"A==="}"#, #"{"$bytes":"AB=="}"#, #"{"$bytes":"AA-="}"#,
    #"{"$bytes":5}"#, #"{"$double":"x"}"#, #"{"$double":1}"#, #"{"$new":1}"#,
    #"{"$bytes":"","a":1}"#,
    #"{"a":1,"$map":{}}"#, #"{"$map":[]}"#, #""\ud800""#,
  ])
  func otherValuesAreRefused(text: String) throws {
    let json = try JSON.parse(text)
    #expect(throws: ShapeError.self) { try AttributeValue(json: json) }
  }

  @Test func clientsWithoutDoublesCanWriteThem() throws {
    #expect(try AttributeValue(json: ["$double": "1"]) == .double(1))
    #expect(try AttributeValue(json: ["$double": "-2.5e3"]) == .double(-2500))
  }

  /// The deepest value allowed fits a message; one level more is refused.
  @Test func depthIsBounded() throws {
    func nested(_ depth: Int) -> AttributeValue {
      (0..<depth).reduce(.bool(true)) { inner, _ in .map(["$": inner]) }
    }
    let run = AttributeRun(length: 1, attributes: ["a": nested(AttributeValue.depthMax)])
    let request = AppendRequest(
      document: try #require(DocumentID("a")),
      edits: [
        AppendEdit(
          action: try EditAction(
            range: UTF16Range(0..<1), replacement: nil, attributes: .set([run])))
      ])
    let message = RPCMessage.request(id: .integer(1), method: "x", params: request.json)
    guard
      case .request(_, _, let params) = try RPCMessage(
        body: .init(bytes: message.json.serialized()))
    else {
      Issue.record("the message is no request")
      return
    }
    #expect(try AppendRequest(json: params) == request)
    let deeper = nested(AttributeValue.depthMax + 1).json
    #expect(throws: ShapeError.self) { try AttributeValue(json: deeper) }
  }

  @Test(arguments: UInt64(0)..<32)
  func roundTrips(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<50 {
      let value = AttributeValue.random(depth: 5, using: &random)
      #expect(try AttributeValue(json: JSON.parse(value.json.serialized())) == value)
    }
  }
}
