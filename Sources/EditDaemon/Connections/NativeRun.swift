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
  /// The times of the first batch, if it may be a large deletion.
  private let timing: RequestTiming?

  init(
    _ request: AppendRequest, _ ticket: RequestTicket, size: Int, _ charge: ByteAccount.Charge,
    _ context: ChannelHandlerContext, _ timing: RequestTiming?
  ) {
    requests = AppendRun(request, ticket)
    firstCounter = ticket.counter
    frames = [(size, charge)]
    (self.context, self.timing) = (context, timing)
  }

  /// Adds a batch, if it continues the run. Its charge must be added with `add`.
  mutating func append(frame: UnsafeRawBufferPointer) -> Bool {
    guard case (.batch, let body)? = try? NativeFrame.open(frame) else { return false }
    return requests.append(batch: body)
  }

  /// Adds the size and the charge of a batch that was added.
  mutating func add(size: Int, _ charge: ByteAccount.Charge) { frames.append((size, charge)) }

  /// The request whose answer goes to `handler`.
  func request(for handler: ConnectionHandler) -> IngestRequest {
    let later = handler.later(context)
    return requests.pending(
      of: handler.client, timing: timing
    ) { [frames, firstCounter, timing] places, result in
      later { handler in
        if let timing, places.lowerBound == 0 { handler.noteUnanswered(timing) }
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
