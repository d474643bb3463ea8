import EditJSON
import EditProtocol
import EditSpool
import NIOCore

// Connections: made, used until they are lost, and made again.
extension ForwardingClient {
  /// One connection, in the name of one session.
  struct Connection {
    typealias Answer = (counter: UInt64, outcome: RequestQueue.Outcome)

    let client: EditLogClient
    /// Bytes in the largest frame that the daemon takes.
    let frameSizeMax: Int
    /// Where the answers go.
    let answers: AsyncStream<Answer>.Continuation
    /// Set after a refusal that may pass: everything will be sent again over the next connection,
    /// so that the order holds, and later refusals on this one say nothing.
    var isGivenUp = false
  }

  /// Makes and uses connections until the task is cancelled, the patience is over, or an inherited
  /// spool is done.
  func run(_ first: EditLogClient? = nil) async {
    var (first, pause) = (first, options.pauseMin)
    while !Task.isCancelled, !isDone {
      do {
        let client: EditLogClient
        if let first {
          client = first
        } else {
          client = try await EditLogClient.connect(to: options.socketPath, options: options.client)
        }
        first = nil
        await use(client)
      } catch { lastError = error }
      connectionLost()
      if let patience = options.patience, !queue.isEmpty, .now - lastProgress > patience {
        return endAll(lastError)
      }
      if hasProgress { pause = options.pauseMin }
      if !isDone { try? await Task.sleep(for: max(pause, pauseAsked ?? .zero)) }
      (hasProgress, pauseAsked) = (false, nil)
      pause = min(pause * 2, options.pauseMax)
    }
  }

  /// True if an inherited spool was sent, or could not be.
  private var isDone: Bool {
    isInherited && (queue.isEmpty || failureCount >= Self.failureCountMax)
  }

  private func connectionLost() {
    connection = nil
    queue.connectionLost()
    isAway = true
    spoolAll()
  }

  /// Uses a connection until it ends.
  private func use(_ client: EditLogClient) async {
    await withTaskCancellationHandler {
      await sendInheritedSpools()
      do { try await converse(over: client) } catch let error as ProtocolError {
        lastError = error
      } catch {}
    } onCancel: {
      client.startClosing()
    }
    await client.close()
    failureCount = hasProgress ? 0 : failureCount + 1
  }

  private func converse(over client: EditLogClient) async throws {
    let frameSizeMax = try await introduce(client)
    let (answers, feed) = AsyncStream.makeStream(of: Connection.Answer.self)
    connection = Connection(client: client, frameSizeMax: frameSizeMax, answers: feed)
    isAway = false
    let closing = Task {
      await client.waitUntilClosed()
      feed.finish()
    }
    defer { closing.cancel() }
    sendQueued()
    for await answer in answers {
      take(answer)
      sendQueued()
      if isDone { return try await client.notify("exit") }
    }
  }

  /// Sends `initialize`, if there is one, and returns the bytes in the largest frame that the
  /// daemon takes.
  private func introduce(_ client: EditLogClient) async throws -> Int {
    guard let initialize else { return options.client.frameSizeMax }
    var params = initialize
    if !options.isProgram {
      let header = SpoolHeader(
        session: session, initialize: initialize, open: queue.openDocuments.sorted)
      params = header.initializeParams
    }
    let result = try await client.call("initialize", params)
    let size = result["capabilities"]?["experimental"]?["editlog"]?["frameSizeMax"]
    guard case .integer(let size)? = size, let size = Int(exactly: size), size > 0 else {
      return options.client.frameSizeMax
    }
    return min(size, options.client.frameSizeMax)
  }

  /// Sends what may be sent now.
  func sendQueued() {
    guard let connection else { return }
    while let counter = queue.takeNextToSend(
      sizeMax: options.windowSizeMax, countMax: options.windowCountMax)
    {
      do throws(SpoolError) {
        send(counter, try payload(counter), over: connection)
      } catch {
        note("\(error)")
        end(counter, .failure(ProtocolError(.storeUnreadable, "\(error)")))
      }
    }
  }

  private func send(_ counter: UInt64, _ payload: ByteParts, over connection: Connection) {
    let promise = connection.client.makePromise()
    promise.futureResult.whenComplete { result in
      let outcome = result.mapError { error in
        (error as? ProtocolError)
          ?? ProtocolError(.unreachable, "the connection failed: \(error)")
      }
      connection.answers.yield((counter, outcome))
    }
    let size = Self.frameSize(id: counter, method: options.method, params: payload)
    guard size <= connection.frameSizeMax else {
      return promise.fail(
        ProtocolError.tooLarge("a request", size: size, sizeMax: connection.frameSizeMax))
    }
    let frame = Self.frame(id: counter, method: options.method, params: payload)
    connection.client.send(id: .integer(Int64(clamping: counter)), frame: frame, promise)
  }

  /// A request around params that are serialised already. Their long parts are not copied.
  private static func frame(id: UInt64, method: String, params: ByteParts) -> [ByteBuffer] {
    let head = head(id: id, method: method, params: params)
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

  /// Bytes in the frame of a request.
  static func frameSize(id: UInt64, method: String, params: ByteParts) -> Int {
    head(id: id, method: method, params: params).utf8.count + params.size + 1
  }

  /// What precedes the params in the frame of a request.
  private static func head(id: UInt64, method: String, params: ByteParts) -> String {
    let start = #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":"#
    return "Content-Length: \(start.utf8.count + params.size + 1)\r\n\r\n" + start
  }

  private func take(_ answer: Connection.Answer) {
    guard case .failure(let error) = answer.outcome else {
      return end(answer.counter, answer.outcome)
    }
    guard connection?.isGivenUp == false else { return }
    if let countMax = options.refusalCountMax(error.code),
      queue.countRefusal(answer.counter) >= countMax
    {
      return end(answer.counter, answer.outcome)
    }
    lastError = error
    if case .integer(let millis)? = error.details["retryAfterMillis"] {
      pauseAsked = .milliseconds(min(max(millis, 0), 60_000))
    }
    connection?.isGivenUp = true
    connection?.client.startClosing()
  }
}
