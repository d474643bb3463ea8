import EditIngest
import EditProtocol
import NIOCore

/// Batches of the native dialect that follow one another, and what is needed to answer them.
struct NativeRun {
  private var requests: AppendRun
  private let firstCounter: UInt64
  /// The sizes and the charges of the frames.
  private var frames: [(size: Int, charge: ByteAccount.Charge)]
  private let context: ChannelHandlerContext

  init(
    _ request: AppendRequest, _ ticket: RequestTicket, size: Int, _ charge: ByteAccount.Charge,
    _ context: ChannelHandlerContext
  ) {
    requests = AppendRun(request, ticket)
    firstCounter = ticket.counter
    frames = [(size, charge)]
    self.context = context
  }

  /// Adds a batch, if it continues the run.
  mutating func append(
    _ request: AppendRequest, _ ticket: RequestTicket, size: Int, _ charge: ByteAccount.Charge
  ) -> Bool {
    guard requests.append(request, ticket) else { return false }
    frames.append((size, charge))
    return true
  }

  /// The request whose answer goes to `handler`.
  func request(for handler: ConnectionHandler) -> IngestRequest {
    let later = handler.later(context)
    return requests.pending(of: handler.client) { [frames, firstCounter] places, result in
      later { handler in
        let frames = frames[places]
        handler.pendingCount -= frames.count
        handler.native?.settle(
          firstCounter + UInt64(places.lowerBound)...firstCounter + UInt64(places.upperBound),
          size: frames.reduce(0) { $0 + $1.size }, result,
          frames.dropFirst().reduce(frames[places.lowerBound].charge) { $0 + $1.charge })
      }
    }
  }
}
