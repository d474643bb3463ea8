import EditJSON
import EditLogFormat
import EditModel
import EditProtocol
import NIOCore
import Synchronization

/// A connection that sends append requests, as batches of the native dialect.
final class AppendLink: RequestLink {
  fileprivate struct State {
    /// The number of edits of each batch that has no answer.
    var editCounts: [UInt64: Int] = [:]
    /// Bytes that may have been sent since the beginning, and those that were.
    var (granted, sent): (UInt64, UInt64) = (0, 0)
    var bodySizeMax = Int.max
  }

  /// What the link and its receiver share.
  fileprivate final class Shared: Sendable {
    let state = Mutex(State())
    let feed: AsyncStream<RequestEvent>.Continuation
    init(_ feed: AsyncStream<RequestEvent>.Continuation) { self.feed = feed }
  }

  let events: AsyncStream<RequestEvent>
  private let shared: Shared
  private let link: NativeLink

  private init(_ link: NativeLink, _ events: AsyncStream<RequestEvent>, _ shared: Shared) {
    (self.link, self.events, self.shared) = (link, events, shared)
  }

  /// Connects to the daemon's socket at `path`.
  ///
  /// - Throws: as `EditLogClient.connect`.
  static func connect(
    to path: String, _ hello: NativeHello, _ limits: SilenceLimits,
    group: (any EventLoopGroup)? = nil
  ) async throws(ProtocolError) -> AppendLink {
    let (events, feed) = AsyncStream.makeStream(of: RequestEvent.self)
    let shared = Shared(feed)
    let link = try await NativeLink.connect(
      to: path, hello, group: group, limits, awaited: { shared.awaited }
    ) { answer in
      shared.receive(answer)
    }
    return AppendLink(link, events, shared)
  }

  var room: Int {
    shared.state.withLock { Int(clamping: $0.granted - min($0.sent, $0.granted)) }
  }

  var reason: ProtocolError? { link.reason }

  func begin(_ initialize: JSON?) async throws {}

  func send(_ counter: UInt64, _ payload: ByteParts) {
    let frame = payload.last
    let size = frame.count - NativeFrame.headerSize
    let count = frame.withUnsafeBytes { NativeBatch.editCount(ofFrame: $0) }
    let sizeMax = shared.state.withLock { state in
      if size <= state.bodySizeMax {
        state.editCounts[counter] = count
        state.sent += UInt64(frame.count)
      }
      return state.bodySizeMax
    }
    guard size <= sizeMax else {
      let error = ProtocolError.tooLarge("a request", size: size, sizeMax: sizeMax)
      shared.feed.yield(.answer(counter, .failure(error)))
      return
    }
    link.send(ByteBuffer(bytes: frame))
  }

  func leave() async {}
  func startClosing() { link.startClosing() }
  func close() async { await link.close() }
}

extension AppendLink.Shared {
  fileprivate var awaited: SilenceClock.Awaited {
    state.withLock { $0.editCounts.isEmpty ? .nothing : .answer }
  }

  /// Takes a frame of the daemon; nil at the end.
  fileprivate func receive(_ answer: NativeAnswer?) {
    switch answer {
    case .grant(let grant):
      state.withLock { state in
        state.granted = max(state.granted, grant.byteCount)
        state.bodySizeMax = Int(grant.bodySizeMax)
      }
      feed.yield(.room)
    case .ack(let ack): receive(ack)
    case .nack(let nack):
      _ = state.withLock { $0.editCounts.removeValue(forKey: nack.counter) }
      feed.yield(.answer(nack.counter, .failure(nack.error)))
    case nil: feed.finish()
    case .pong, .subscribed, .delivered, .ended: break
    }
  }

  private func receive(_ ack: NativeAck) {
    // An ack of more batches than were sent is not from a sound daemon.
    let count = state.withLock { UInt64($0.editCounts.count) }
    guard ack.counters.upperBound - ack.counters.lowerBound < max(count, 1) else {
      return feed.finish()
    }
    var first = ack.edits.lowerBound
    for counter in ack.counters {
      guard let count = state.withLock({ $0.editCounts.removeValue(forKey: counter) }) else {
        continue
      }
      let last = counter == ack.counters.upperBound
      let result = AppendResult(
        first: first, sequence: last ? ack.edits.upperBound : first &+ UInt64(count) &- 1,
        durable: true, head: last ? ack.head.map { "\($0)" } : nil,
        duplicate: ack.isDuplicate)
      first = result.sequence &+ 1
      feed.yield(.answer(counter, .success(.appended(result))))
    }
  }
}
