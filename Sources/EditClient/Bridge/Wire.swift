import EditProtocol
import NIOCore

/// One connection to the daemon, past `initialize`, in the name of one session.
struct Wire: Sendable {
  /// What the daemon said to one message.
  typealias Answer = (counter: UInt64, outcome: Result<Void, ProtocolError>)

  let client: EditLogClient
  /// Bytes in the largest frame the daemon takes.
  private let frameSizeMax: Int

  /// Introduces the session that `header` tells of.
  ///
  /// - Throws: `ProtocolError`, or `CancellationError`.
  init(_ client: EditLogClient, _ header: SpoolHeader) async throws {
    self.client = client
    let result = try await client.call("initialize", header.initializeParams)
    var sizeMax = FrameDecoder.defaultFrameSizeMax
    if case .integer(let size)? =
      result["capabilities"]?["experimental"]?["editlog"]?["frameSizeMax"],
      let size = Int(exactly: size), size > 0
    {
      sizeMax = min(sizeMax, size)
    }
    frameSizeMax = sizeMax
  }

  /// Sends a message; `answer` is called once, on the connection's event loop.
  func send(
    _ counter: UInt64, _ payload: [UInt8], _ answer: @escaping @Sendable (Answer) -> Void
  ) {
    let promise = client.makePromise()
    promise.futureResult.whenComplete { result in
      switch result {
      case .success: answer((counter, .success(())))
      case .failure(let error):
        answer((counter, .failure((error as? ProtocolError) ?? Self.unexpected(error))))
      }
    }
    let frame = Self.frame(counter, payload)
    guard frame.readableBytes <= frameSizeMax else {
      let error = ProtocolError.tooLarge(
        "a message", size: frame.readableBytes, sizeMax: frameSizeMax)
      return promise.fail(error)
    }
    client.send(id: .integer(Int64(clamping: counter)), frame: frame, promise)
  }

  private static func unexpected(_ error: any Error) -> ProtocolError {
    ProtocolError(.unreachable, "the connection failed: \(error)")
  }

  /// The request around params that are serialised already.
  private static func frame(_ counter: UInt64, _ params: [UInt8]) -> ByteBuffer {
    let head = #"{"jsonrpc":"2.0","id":\#(counter),"method":"editlog/forward","params":"#
    var frame = ByteBuffer()
    frame.reserveCapacity(head.utf8.count + params.count + 40)
    frame.writeString("Content-Length: \(head.utf8.count + params.count + 1)\r\n\r\n")
    frame.writeString(head)
    frame.writeBytes(params)
    frame.writeString("}")
    return frame
  }
}

extension ProtocolError {
  /// What a bridge does with a message that the daemon refused like this.
  enum Remedy {
    /// The daemon cannot now; later it may.
    case tryAgain
    /// It may be the message's fault or the daemon's: a few times more.
    case tryFewTimes
    /// The message itself is at fault, and always will be.
    case giveUp
  }

  var remedy: Remedy {
    switch code {
    case _ where code.isFaultOfRequest: .giveUp
    case .damagedLog, .internalError: .tryFewTimes
    default: .tryAgain
    }
  }
}
