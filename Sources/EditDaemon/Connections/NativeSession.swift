import EditLogFormat
import EditModel
import EditProtocol
import NIOCore

/// The state of a connection in the native dialect.
struct NativeSession {
  /// The first frame. Nil before it.
  var hello: NativeHello?
  /// The document of the last batch: the next one is mostly the same.
  var document: DocumentID?
  /// Bytes of batches that were received, and those whose answers are made.
  private var receivedCount: UInt64 = 0
  private var answeredCount: UInt64 = 0
  private var grant: UInt64 = 0
  /// How many bytes the client may have sent that are not answered.
  private var window: UInt64
  private let windowMax: UInt64
  private let bodySizeMax: Int
  /// Frames that are not in the connection's answers yet.
  private var frames = NativeFrames()
  private var charge: ByteAccount.Charge?
  /// The acknowledgement that the next result may extend.
  private var ack: NativeAck?

  private static let windowMin: UInt64 = 256 << 10

  init(_ limits: DaemonLimits) {
    bodySizeMax = limits.frameSizeMax
    windowMax = UInt64(max(1, limits.connectionBytesMax / 4))
    window = min(Self.windowMin, windowMax)
  }

  /// Records the hello, and grants the first bytes.
  mutating func begin(_ hello: NativeHello) {
    self.hello = hello
    grantMore()
  }

  /// Records that a batch of `size` bytes was received.
  mutating func noteReceived(_ size: Int) { receivedCount += UInt64(size) }

  /// Adds the answer to batches of `size` bytes.
  mutating func settle(
    _ counters: ClosedRange<UInt64>, size: Int, _ result: Result<AppendResult, ProtocolError>,
    _ charge: ByteAccount.Charge
  ) {
    add(charge)
    // A client that fills its window is waiting for the disk: a larger one gives larger batches.
    if receivedCount - answeredCount > window / 4 * 3 { window = min(2 * window, windowMax) }
    answeredCount += UInt64(size)
    switch result {
    case .success(let result):
      let next = NativeAck(counters, result)
      if ack?.extend(with: next) != true {
        endAck()
        ack = next
      }
    case .failure(let error): for counter in counters { refuse(counter, error) }
    }
  }

  /// Adds the refusal of a batch; with counter 0, of the connection.
  mutating func refuse(_ counter: UInt64, _ error: ProtocolError) {
    endAck()
    NativeNack(counter: counter, error).write(to: &frames.bytes)
  }

  /// Adds the answer to a ping.
  mutating func pong(_ frame: ByteBuffer, _ charge: ByteAccount.Charge) {
    add(charge) { bytes in
      frame.withBytes { ping in
        let body = UnsafeRawBufferPointer(rebasing: ping.dropFirst(NativeFrame.headerSize))
        NativeFrame.write(.pong, to: &bytes) { $0.write(bytes: body) }
      }
    }
  }

  /// Adds the frame that `write` writes.
  mutating func add(_ charge: ByteAccount.Charge, _ write: (inout ByteWriter) -> Void) {
    add(charge)
    endAck()
    write(&frames.bytes)
  }

  /// The frames to send, and the charge to release then. Nil if there are none.
  mutating func takeFrames() -> (bytes: ByteBuffer, charge: ByteAccount.Charge?)? {
    endAck()
    if hello != nil, answeredCount + window >= grant + window / 4 { grantMore() }
    guard frames.bytes.count > 0 else { return nil }
    defer {
      frames.bytes.removeAll()
      charge = nil
    }
    return (frames.bytes.withUnsafeBytes { ByteBuffer(bytes: $0) }, charge)
  }

  /// The charge of frames that will never be sent.
  mutating func removeAll() -> ByteAccount.Charge? {
    defer { charge = nil }
    return charge
  }

  private mutating func add(_ other: ByteAccount.Charge) {
    charge = charge.map { $0 + other } ?? other
  }

  private mutating func endAck() {
    ack?.write(to: &frames.bytes)
    ack = nil
  }

  private mutating func grantMore() {
    grant = answeredCount + window
    NativeGrant(byteCount: grant, bodySizeMax: UInt32(clamping: bodySizeMax))
      .write(to: &frames.bytes)
  }
}

/// The bytes of frames; `ByteWriter` cannot be a member of a copyable value.
private final class NativeFrames { var bytes = ByteWriter() }

extension NativeAck {
  fileprivate init(_ counters: ClosedRange<UInt64>, _ result: AppendResult) {
    self.init(
      counters: counters, edits: result.first...result.sequence,
      isDuplicate: result.duplicate,
      head: result.head.flatMap { ContentDigest(hex: $0) }
        .flatMap { ChainHead(bytes: $0.bytes) })
  }

  /// Extends the acknowledgement with the next one, if it follows it.
  fileprivate mutating func extend(with next: NativeAck) -> Bool {
    guard !isDuplicate, !next.isDuplicate,
      next.counters.lowerBound == counters.upperBound &+ 1,
      next.edits.lowerBound == edits.upperBound &+ 1
    else { return false }
    counters = counters.lowerBound...next.counters.upperBound
    edits = edits.lowerBound...next.edits.upperBound
    head = next.head
    return true
  }
}
