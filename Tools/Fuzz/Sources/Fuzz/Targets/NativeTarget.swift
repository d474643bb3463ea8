import EditLogFormat
import EditModel
import EditProtocol
import NIOCore

/// A connection's bytes in the native dialect, from either side.
struct NativeTarget: Target {
  var format: (any Format)? { NativeFormat() }

  private static let session = SessionID("fuzz") ?? SessionID.newRun(of: "fuzz")
  private static let hello = NativeHello(
    client: SessionDescription(client: "fuzz"), session: session)

  func run(_ bytes: [UInt8]) {
    let frames = assemble(bytes, pieceSize: bytes.count)
    if assemble(bytes, pieceSize: 7) != frames {
      contradiction("frames depend on how bytes arrive")
    }
    for frame in frames { frame.withUnsafeBytes { read($0) } }
  }

  /// The frames before the first error, of bytes that arrive in pieces.
  private func assemble(_ bytes: [UInt8], pieceSize: Int) -> [[UInt8]] {
    var (assembler, frames) = (FrameAssembler(nativeBodySizeMax: 1 << 16), [[UInt8]]())
    for start in stride(from: 0, to: bytes.count, by: max(pieceSize, 1)) {
      assembler.append(ByteBuffer(bytes: bytes[start..<min(start + pieceSize, bytes.count)]))
      do {
        reading: while true {
          switch try assembler.next() {
          case .incomplete: break reading
          case .announced: assembler.admit()
          case .body(let frame): frames.append(Array(frame.readableBytesView))
          }
        }
      } catch { return frames }
    }
    return frames
  }

  private func read(_ frame: UnsafeRawBufferPointer) {
    guard let (kind, body) = try? NativeFrame.open(frame) else { return }
    switch kind {
    case .hello:
      guard let hello = try? NativeHello(body) else { return }
      let again = written(hello.write).withBody { try? NativeHello($1) }
      // The version, the host and the process of a client without a name are not kept.
      if again != hello { contradiction("a hello changes when written") }
    case .batch: readBatch(body)
    case .subscribe, .credit, .unsubscribe:
      guard let following = try? NativeFollowing(kind, body) else { return }
      let again = written(following.write).withBody { try? NativeFollowing($0, $1) }
      if again != following { contradiction("a frame about a subscription changes when written") }
    default:
      guard case .delivered(let delivery)? = try? NativeAnswer(frame) else { return }
      let again = (try? delivery.nativeFrame())?.withUnsafeBytes { try? NativeAnswer($0) }
      if again != .delivered(delivery) { contradiction("a delivery changes when written") }
    }
  }

  private func readBatch(_ body: UnsafeRawBufferPointer) {
    guard let written = rewritten(body) else { return }
    // Transactions that are not of neighbours are split the first time.
    if written.withBody({ rewritten($1) }) != written {
      contradiction("a batch changes when written")
    }
  }

  /// The frame of a batch that was read. Nil if it cannot be read.
  private func rewritten(_ body: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let (request, ticket) = try? NativeBatch.read(body, of: Self.hello, last: nil) else {
      return nil
    }
    var bytes = ByteWriter()
    var scratch = RecordScratch()
    do throws(ProtocolError) {
      try NativeBatch.write(request, counter: ticket.counter, to: &bytes, with: &scratch)
    } catch { contradiction("a batch that was read cannot be written: \(error)") }
    return bytes.bytes
  }

  private func written(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var bytes = ByteWriter()
    write(&bytes)
    return bytes.bytes
  }

  func seeds() -> [[UInt8]] {
    guard let document = DocumentID("notes"), let session = SessionID("s") else { return [] }
    let time = Timestamp(nanoseconds: 1_795_187_045_123_000_000)
    let run = AttributeRun(length: 2, attributes: ["bold": .bool(true), "size": .double(1.5)])
    let actions = [
      EditAction(replacing: UTF16Range(0..<0), with: "h\u{E9}\u{1F600}"),
      try? EditAction(range: UTF16Range(0..<2), replacement: nil, attributes: .merge([run])),
    ].compactMap { $0 }
    let edits = actions.enumerated().map { index, action in
      Edit(
        sequence: SequenceNumber(index + 1), action: action, origin: .typing, transaction: 1,
        author: "ada", session: session, counter: 7, time: time)
    }
    let mark = HistoryEvent(kind: .mark(label: "m", at: 2), after: 2, time: time)
    let request = AppendRequest(
      document: document, base: 3,
      edits: actions.map { AppendEdit(action: $0, time: time, author: "ada", transaction: 1) })
    let delivery = Delivery(
      subscription: 1, document: document, entries: edits.map { .edit($0) } + [.event(mark)],
      next: HistoryPosition(after: 2, events: 1))
    let subscribe = NativeFollowing(1, SubscribeRequest(document, from: HistoryPosition()))
    let batch = written { bytes in
      var scratch = RecordScratch()
      try? NativeBatch.write(request, counter: 1, to: &bytes, with: &scratch)
    }
    return [
      written(Self.hello.write) + batch + written(subscribe.write),
      written(NativeFollowing(CreditRequest(subscription: 1, credit: 9)).write)
        + written(NativeFollowing(UnsubscribeRequest(subscription: 1)).write),
      written(SubscribeAnswer(subscription: 1, from: HistoryPosition(after: 2)).write)
        + ((try? delivery.nativeFrame()) ?? []),
      written(NativeEnd(subscription: 1, document: document, .unknownDocument(document)).write)
        + written(NativeAck(counters: 1...2, edits: 3...9).write)
        + written(NativeGrant(byteCount: 1 << 18, bodySizeMax: 1 << 20).write),
    ]
  }
}

extension [UInt8] {
  /// Runs `body` on the kind and the body of a frame.
  fileprivate func withBody<Value>(
    _ body: (NativeFrame.Kind, UnsafeRawBufferPointer) -> Value?
  ) -> Value? {
    withUnsafeBytes { bytes in
      guard let (kind, part) = try? NativeFrame.open(bytes) else { return nil }
      return body(kind, part)
    }
  }
}
