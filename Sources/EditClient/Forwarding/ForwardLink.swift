import EditJSON
import EditProtocol
import NIOCore
import Synchronization

/// A connection that sends the requests of a bridge, as `editlog/forward`.
final class ForwardLink: RequestLink {
  private static let method = ForwardRequest.method

  let events: AsyncStream<RequestEvent>
  private let feed: AsyncStream<RequestEvent>.Continuation
  private let client: EditLogClient
  /// Bytes in the largest frame that the daemon takes.
  private let frameSizeMax: Atomic<Int>

  /// Makes connections to the daemon's socket at `path`, after `check`.
  static func connector(
    to path: String, _ options: EditLogClient.Options = EditLogClient.Options(),
    check: (@Sendable () async throws(ProtocolError) -> Void)? = nil
  ) -> @Sendable () async throws(ProtocolError) -> any RequestLink {
    { () async throws(ProtocolError) in
      try await check?()
      return ForwardLink(
        try await EditLogClient.connect(to: path, options: options),
        frameSizeMax: options.frameSizeMax)
    }
  }

  private init(_ client: EditLogClient, frameSizeMax: Int) {
    self.client = client
    self.frameSizeMax = Atomic(frameSizeMax)
    (events, feed) = AsyncStream.makeStream(of: RequestEvent.self)
    Task { [client, feed] in
      await client.waitUntilClosed()
      feed.finish()
    }
  }

  var room: Int { .max }
  var reason: ProtocolError? { nil }

  func begin(_ initialize: JSON?) async throws {
    guard let initialize else { return }
    let result = try await client.call("initialize", initialize)
    let size = result["capabilities"]?["experimental"]?["editlog"]?["frameSizeMax"]
    guard case .integer(let size)? = size, let size = Int(exactly: size), size > 0 else { return }
    frameSizeMax.store(
      min(size, frameSizeMax.load(ordering: .relaxed)), ordering: .relaxed)
  }

  func send(_ counter: UInt64, _ payload: ByteParts) {
    let promise = client.makePromise()
    promise.futureResult.whenComplete { [feed] result in
      let outcome = result.map { RequestQueue.Answer.forwarded($0) }.mapError { error in
        (error as? ProtocolError)
          ?? ProtocolError(.unreachable, "the connection failed: \(error)")
      }
      feed.yield(.answer(counter, outcome))
    }
    let head = Self.head(id: counter, params: payload)
    let size = head.utf8.count + payload.size + 1
    let sizeMax = frameSizeMax.load(ordering: .relaxed)
    guard size <= sizeMax else {
      return promise.fail(ProtocolError.tooLarge("a request", size: size, sizeMax: sizeMax))
    }
    client.send(
      id: .integer(Int64(clamping: counter)), frame: Self.frame(head, payload), promise)
  }

  /// A request around params that are serialised already. Their long parts are not copied.
  private static func frame(_ head: String, _ params: ByteParts) -> [ByteBuffer] {
    var (frame, part) = ([ByteBuffer](), ByteBuffer())
    part.reserveCapacity(head.utf8.count + params.last.count + 1)
    part.writeString(head)
    if !params.first.isEmpty {
      frame = [part] + params.first
      part = ByteBuffer()
    }
    part.writeBytes(params.last)
    part.writeString("}")
    return frame + [part]
  }

  /// What precedes the params in the frame of a request.
  private static func head(id: UInt64, params: ByteParts) -> String {
    let start = #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":"#
    return "Content-Length: \(start.utf8.count + params.size + 1)\r\n\r\n" + start
  }

  func leave() async { try? await client.notify("exit") }
  func startClosing() { client.startClosing() }
  func close() async { await client.close() }
}
