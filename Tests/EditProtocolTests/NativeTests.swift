import EditLogFormat
import EditModel
import EditProtocol
import NIOCore
import TestSupport
import Testing

/// The frames of the native dialect.
@Suite struct NativeTests {
  private static func session(_ name: String) throws -> SessionID {
    try #require(SessionID(name))
  }

  private static func bytes(
    _ body: (inout ByteWriter) throws -> Void
  ) rethrows -> [UInt8] {
    var writer = ByteWriter()
    try body(&writer)
    return writer.bytes
  }

  /// A request with edits of all kinds.
  private static func request(
    _ edits: inout EditGenerator, session: SessionID, counter: UInt64
  ) throws -> AppendRequest {
    var made: [AppendEdit] = []
    for index in 0..<(1 + edits.below(6)) {
      made.append(
        AppendEdit(
          action: edits.action(length: 100),
          time: edits.below(2) == 0 ? nil : Timestamp(nanoseconds: Int64(edits.below(1 << 40))),
          origin: Origin.allCases[edits.below(Origin.allCases.count)],
          author: edits.below(3) == 0 ? "Ada \(index)" : nil,
          transaction: edits.below(2) == 0 ? nil : Int64(edits.below(2))))
    }
    return AppendRequest(
      document: document("file:///\(edits.below(3)).md"),
      base: edits.below(3) == 0 ? UInt64(edits.below(1_000)) : nil,
      ticket: RequestTicket(session: session, counter: counter), isSaved: edits.below(5) == 0,
      edits: made)
  }

  /// The transactions of a request, as the daemon forms them.
  private static func opens(_ request: AppendRequest) -> [Bool] {
    request.edits.indices.map { index in
      let label = request.edits[index].transaction
      return index == 0 || label == nil || label != request.edits[index - 1].transaction
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func batchesComeBackAsTheyWere(seed: UInt64) throws {
    var edits = EditGenerator(seed: seed)
    var scratch = RecordScratch()
    let hello = NativeHello(
      client: SessionDescription(client: "test"), session: try Self.session("s"), author: "Bob")
    for counter in 1...300 as ClosedRange<UInt64> {
      let request = try Self.request(&edits, session: hello.session, counter: counter)
      let frame = try Self.bytes {
        try NativeBatch.write(request, counter: counter, to: &$0, with: &scratch)
      }
      let (read, ticket) = try frame.withUnsafeBytes { bytes in
        let (kind, body) = try NativeFrame.open(bytes)
        #expect(kind == .batch)
        return try NativeBatch.read(
          body, of: hello, last: counter % 2 == 0 ? request.document : document("other"))
      }
      #expect(ticket.counter == counter)
      #expect(read.document == request.document && read.base == request.base)
      #expect(read.author == "Bob" && read.ticket == request.ticket)
      #expect(read.isSaved == request.isSaved)
      #expect(read.edits.map(\.action) == request.edits.map(\.action))
      #expect(read.edits.map(\.time) == request.edits.map(\.time))
      #expect(read.edits.map(\.author) == request.edits.map(\.author))
      #expect(read.edits.map(\.origin) == request.edits.map(\.origin))
      #expect(Self.opens(read) == Self.opens(request), "seed \(seed), batch \(counter)")
    }
  }

  /// A batch joins those before it exactly if it would be read alone, and continues them.
  @Test(arguments: [1, 2, 3] as [UInt64]) func batchesThatFollowOneAnotherAreJoined(seed: UInt64)
    throws
  {
    var edits = EditGenerator(seed: seed)
    var scratch = RecordScratch()
    let hello = NativeHello(
      client: SessionDescription(client: "test"), session: try Self.session("s"))
    var joined = AppendRequest(document: document("file:///0.md"), atRest: true, edits: [])
    let editCountMax = 500
    var (joinedCount, refusedCount) = (0, 0)
    for _ in 0..<2_000 {
      if edits.below(100) == 0 { joined.edits = [] }
      let last = UInt64(edits.below(3))
      let counter = edits.below(4) == 0 ? UInt64(edits.below(4)) : last + 1
      var request = try Self.request(&edits, session: hello.session, counter: counter)
      request.atRest = edits.below(5) > 0
      if edits.below(2) == 0 { (request.document, request.base) = (joined.document, nil) }
      var body = Array(
        try Self.bytes {
          try NativeBatch.write(request, counter: counter, to: &$0, with: &scratch)
        }.dropFirst(NativeFrame.headerSize))
      if edits.below(5) == 0 { body[edits.below(body.count)] ^= UInt8(1 + edits.below(255)) }
      let alone = body.withUnsafeBytes {
        try? NativeBatch.read($0, of: hello, last: joined.document).request
      }
      let before = joined
      let isJoined = body.withUnsafeBytes {
        NativeBatch.read($0, to: &joined, after: last, editCountMax: editCountMax)
      }
      var expected: AppendRequest?
      if let alone, alone.atRest, !alone.isSaved, alone.base == nil,
        alone.ticket?.counter == last + 1, alone.document == joined.document,
        before.edits.count + alone.edits.count <= editCountMax
      {
        expected = before
        expected?.edits += alone.edits
      }
      #expect(isJoined == (expected != nil), "seed \(seed)")
      #expect(joined == expected ?? before, "seed \(seed)")
      if isJoined { joinedCount += 1 } else { refusedCount += 1 }
    }
    #expect(joinedCount > 100 && refusedCount > 100)
  }

  @Test func answersComeBackAsTheyWere() throws {
    let head = try #require(ChainHead(bytes: Array(0..<32)))
    let answers: [(NativeAnswer, (inout ByteWriter) -> Void)] = [
      {
        let grant = NativeGrant(byteCount: .max, bodySizeMax: 7)
        return (.grant(grant), grant.write)
      }(),
      {
        let ack = NativeAck(counters: 3...9, edits: 1...70, head: head)
        return (.ack(ack), ack.write)
      }(),
      {
        let ack = NativeAck(counters: 3...3, edits: 5...5, isDuplicate: true)
        return (.ack(ack), ack.write)
      }(),
      {
        let nack = NativeNack(
          counter: 4, .sequenceConflict(document: document("a"), base: 1, latest: 2))
        return (.nack(nack), nack.write)
      }(),
      {
        let begun = SubscribeAnswer(subscription: 7, from: HistoryPosition(after: 300, events: 2))
        return (.subscribed(begun), begun.write)
      }(),
      {
        let begun = SubscribeAnswer(subscription: 1)
        return (.subscribed(begun), begun.write)
      }(),
      {
        let end = NativeEnd(
          subscription: 9, document: document("a"), .unknownDocument(document("a")))
        return (.ended(end), end.write)
      }(),
      {
        let end = NativeEnd(subscription: 9, .overloaded(retryAfterMillis: 5))
        return (.ended(end), end.write)
      }(),
    ]
    for (answer, write) in answers {
      #expect(try Self.bytes(write).withUnsafeBytes { try NativeAnswer($0) } == answer)
    }
  }

  @Test func framesAboutSubscriptionsComeBackAsTheyWere() throws {
    let frames = [
      NativeFollowing(1, SubscribeRequest(nil)),
      NativeFollowing(200, SubscribeRequest(document("a"), from: HistoryPosition(), credit: 0)),
      NativeFollowing(
        NativeFollowing.numberMax,
        SubscribeRequest(document("é"), from: HistoryPosition(after: 1 << 40, events: 300))),
      NativeFollowing(CreditRequest(subscription: 3, credit: SubscribeRequest.creditMax)),
      NativeFollowing(UnsubscribeRequest(subscription: 4)),
    ]
    for frame in frames {
      let read = try Self.bytes(frame.write).withUnsafeBytes { bytes in
        let (kind, body) = try NativeFrame.open(bytes)
        return try NativeFollowing(kind, body)
      }
      #expect(read == frame)
    }
  }

  /// Entries of all kinds, as records of the log.
  @Test(arguments: [1, 2] as [UInt64]) func deliveriesComeBackAsTheyWere(seed: UInt64) throws {
    var edits = EditGenerator(seed: seed)
    for count in [0, 1, 300] {
      var entries: [HistoryEntry] = []
      for number in 0..<count {
        let sequence = SequenceNumber(1_000 + number)
        entries.append(
          .edit(
            Edit(
              sequence: sequence, action: edits.action(length: 100), origin: .paste,
              transaction: sequence - UInt64(edits.below(9)), author: "Ada",
              session: try Self.session("s"), counter: 7,
              time: Timestamp(nanoseconds: Int64(number)))))
        entries.append(
          .event(
            HistoryEvent(
              kind: .mark(label: "m\(number)", at: sequence), after: sequence,
              time: Timestamp(nanoseconds: 1))))
      }
      let delivery = Delivery(
        subscription: 5, document: document("a"), entries: entries,
        next: HistoryPosition(after: 1_000 + UInt64(count), events: 1))
      let frame = try delivery.nativeFrame()
      #expect(try frame.withUnsafeBytes { try NativeAnswer($0) } == .delivered(delivery))
    }
  }

  /// What a hostile or broken peer may send about subscriptions.
  @Test func badFramesAboutSubscriptionsAreRefused() throws {
    let place: [UInt8] = [1, 0]
    let bad: [(NativeFrame.Kind, [UInt8], String)] = [
      (.subscribe, [], "nothing"),
      (.subscribe, [0, 1, 0] + place, "number 0"),
      (.subscribe, [0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 1, 0] + place, "a number of 2^33"),
      (.subscribe, [1, 0xC1, 0x84, 0x3D, 0] + place, "too much credit"),
      (.subscribe, [1, 1, 5, 0x61], "a name that is cut"),
      (.subscribe, [1, 1, 0x85, 0x60] + [UInt8](repeating: 0x61, count: 12_293), "a long name"),
      (.subscribe, [1, 1, 1, 0xFF] + place, "a name that is not UTF-8"),
      (.subscribe, [1, 1, 0, 1], "a place without events"),
      (.subscribe, [1, 1, 0] + place + [0], "a byte too many"),
      (.credit, [1, 0], "no credit"),
      (.credit, [1], "credit left out"),
      (.unsubscribe, [0], "number 0"),
      (.unsubscribe, [1, 1], "a byte too many"),
      (.ping, [1], "another kind"),
    ]
    for (kind, body, what) in bad {
      let error = #expect(throws: ProtocolError.self, "\(what)") {
        try body.withUnsafeBytes { _ = try NativeFollowing(kind, $0) }
      }
      #expect(error?.code == .invalidParams, "\(what)")
      #expect(error?.message.hasPrefix("\(kind): ") == true, "\(what)")
    }
  }

  /// Damaged deliveries are refused before memory is allocated for what they announce.
  @Test(arguments: [1, 2] as [UInt64]) func corruptDeliveriesAreRefused(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let edit = Edit(
      sequence: 1, action: EditAction(replacing: UTF16Range(0..<0), with: "text"),
      origin: .typing, transaction: 1, author: nil, session: nil, counter: 0,
      time: Timestamp(nanoseconds: 0))
    let frame = try Delivery(
      subscription: 1, document: document("a"), entries: [.edit(edit), .edit(edit)],
      next: HistoryPosition(after: 1)
    ).nativeFrame()
    var refusedCount = 0
    for _ in 0..<2_000 {
      var body = Array(frame.dropFirst(NativeFrame.headerSize))
      switch Int.random(in: 0..<3, using: &random) {
      case 0: body.removeLast(Int.random(in: 1...body.count, using: &random))
      case 1: body.append(UInt8.random(in: 0...255, using: &random))
      default:
        let place = Int.random(in: 0..<body.count, using: &random)
        body[place] = UInt8.random(in: 0...255, using: &random)
      }
      let damaged = Self.bytes { NativeFrame.write(.deliver, to: &$0) { $0.write(bytes: body) } }
      do {
        _ = try damaged.withUnsafeBytes { try NativeAnswer($0) }
      } catch let error as ProtocolError {
        refusedCount += 1
        #expect(error.code == .parseError)
      }
    }
    #expect(refusedCount > 1_000)
  }

  @Test func framesComeBackHoweverTheyAreCut() throws {
    var random = SplitMix64(seed: 5)
    var sent: [[UInt8]] = []
    for size in [0, 1, 100, FrameAssembler.largeSizeMin - 13, FrameAssembler.largeSizeMin, 7] {
      let body = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
      sent.append(Self.bytes { NativeFrame.write(.ping, to: &$0) { $0.write(bytes: body) } })
    }
    let bytes = sent.flatMap { $0 }
    for size in [1, 11, 12, 13, 1_000, 70_000, bytes.count] {
      var assembler = FrameAssembler(nativeBodySizeMax: 1 << 20)
      var frames: [[UInt8]] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        assembler.append(ByteBuffer(bytes: bytes[start..<min(bytes.count, start + size)]))
        reading: while true {
          switch try assembler.next() {
          case .incomplete: break reading
          case .announced: assembler.admit()
          case .body(let frame): frames.append(Array(frame.readableBytesView))
          }
        }
      }
      #expect(frames == sent, "pieces of \(size)")
    }
  }

  @Test func otherFramesAreRefusedBeforeTheyAreRead() {
    func refusal(_ bytes: [UInt8]) -> FrameError? {
      var assembler = FrameAssembler(nativeBodySizeMax: 100)
      assembler.append(ByteBuffer(bytes: bytes))
      do throws(FrameError) {
        _ = try assembler.next()
        return nil
      } catch { return error }
    }
    #expect(refusal([0x88]) == .notNative(0x88))
    #expect(
      refusal([0x89, 3, 0, 0, 101, 0, 0, 0, 0, 0, 0, 0]) == .bodyTooLarge(size: 101, sizeMax: 100))
    #expect(refusal([0x89, 3, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0]) != nil)
    #expect(refusal([0x89, 3, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0]) == nil)
  }

  @Test func helloDescribesTheClient() throws {
    let session = try Self.session("s")
    let clients = [
      nil, SessionDescription(client: "c"),
      SessionDescription(client: "c", version: "1", host: "h", process: 70_000),
    ]
    for client in clients {
      let hello = NativeHello(client: client, session: session, author: "ann")
      let frame = Self.bytes(hello.write)
      let read = try frame.withUnsafeBytes { try NativeHello(try NativeFrame.open($0).body) }
      #expect(read == hello)
      #expect(read.identity?.author == (client == nil ? nil : "ann"))
    }
    // Earlier clients end after the author.
    let old: [UInt8] = [1, 0, 1, 0x63, 1, 0x73, 0]
    let hello = try old.withUnsafeBytes { try NativeHello($0) }
    #expect(hello == NativeHello(client: SessionDescription(client: "c"), session: session))
    for end in [[0, 0], [0, 0, 0x80, 0x80, 0x80, 0x80, 0x10], [0, 0, 0, 0]] as [[UInt8]] {
      let bytes = old + end
      #expect(throws: ProtocolError.self) {
        try bytes.withUnsafeBytes { _ = try NativeHello($0) }
      }
    }
  }

  @Test func everyFlippedBitIsDamage() throws {
    let hello = NativeHello(
      client: SessionDescription(client: "test"), session: try Self.session("s"))
    let frame = Self.bytes(hello.write)
    for bit in 0..<8 * frame.count where !(32..<64).contains(bit) {
      var damaged = frame
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: FrameError.damaged, "bit \(bit)") {
        try damaged.withUnsafeBytes { _ = try NativeFrame.open($0) }
      }
    }
  }

  /// A body with a valid checksum is either read or refused.
  @Test(arguments: [1, 2] as [UInt64]) func corruptBodiesAreRefused(seed: UInt64) throws {
    var edits = EditGenerator(seed: seed)
    var random = SplitMix64(seed: seed)
    var scratch = RecordScratch()
    let hello = NativeHello(
      client: SessionDescription(client: "test"), session: try Self.session("s"))
    var refusedCount = 0
    for counter in 1...200 as ClosedRange<UInt64> {
      let request = try Self.request(&edits, session: hello.session, counter: counter)
      let frame = try Self.bytes {
        try NativeBatch.write(request, counter: counter, to: &$0, with: &scratch)
      }
      for _ in 0..<20 {
        var body = Array(frame.dropFirst(NativeFrame.headerSize))
        switch Int.random(in: 0..<3, using: &random) {
        case 0: body.removeLast(Int.random(in: 1...body.count, using: &random))
        case 1: body.append(UInt8.random(in: 0...255, using: &random))
        default:
          let place = Int.random(in: 0..<body.count, using: &random)
          body[place] = UInt8.random(in: 0...255, using: &random)
        }
        do {
          _ = try body.withUnsafeBytes { try NativeBatch.read($0, of: hello, last: nil) }
        } catch let refusal as NativeBatch.Refusal {
          refusedCount += 1
          #expect(refusal.error.code == .invalidParams)
        }
      }
    }
    #expect(refusedCount > 1_000)
  }

  @Test func anEditOutsideAnyTextIsRefusedByTheWriter() throws {
    var scratch = RecordScratch()
    let length = EditAction.textLengthMax
    let edit = EditAction(replacing: UTF16Range(length..<length), with: "a")
    let request = AppendRequest(document: document("a"), edits: [AppendEdit(action: edit)])
    var bytes = ByteWriter()
    #expect(throws: ProtocolError.self) {
      try NativeBatch.write(request, counter: 1, to: &bytes, with: &scratch)
    }
    #expect(bytes.count == 0)
  }
}
