import EditIngest
import EditJSON
import EditModel
import EditProtocol
import EditorSync
import NIOCore

/// A client's message, as the daemon reads it from a frame. A large frame is parsed on another thread,
/// because each event loop serves many connections.
enum Incoming: Sendable {
  case initialize(RPCID, InitializeParams, EditorAttachment)
  case shutdown(RPCID)
  case exit
  case append(RPCID, AppendRequest)
  case forward(RPCID, ForwardedMessage)
  case editor(LSPMessage)
  /// What an editor tells of its next changes. A notification has no identifier.
  case annotate(RPCID?, AnnotateRequest)
  /// The attributes of what the client types next. A notification has no identifier.
  case typingAttributes(RPCID?, TypingAttributesRequest)
  /// A request about histories. Its params are read when its turn comes.
  case question(RPCID, ProgressToken?)
  /// A request whose answer the client no longer needs.
  case cancel(RPCID)
  /// The answer of an editor to a request of the daemon.
  case answered(RPCID, isApplied: Bool)
  /// A message without an effect.
  case ignored
  /// A notification of the wrong shape. It has no reply.
  case badNotification(method: String, ProtocolError)
  /// A request that is refused. `isMessage` is false if the body is not a JSON-RPC 2.0 message.
  case refused(RPCID?, ProtocolError, isMessage: Bool)

  /// A request about subscriptions.
  case following(FollowingRequest, Asker)
  // Frames of the native dialect.
  case hello(NativeHello)
  case batch(AppendRequest, RequestTicket)
  case ping
  case refusedBatch(counter: UInt64, ProtocolError)
  /// A frame after which nothing on the connection can be trusted.
  case badFrame(ProtocolError)

  /// To whom the answer to a request about subscriptions goes.
  enum Asker: Sendable {
    case json(RPCID)
    /// The subscription with this number.
    case native(Int)
  }

  /// A message of an editor that a bridge forwards.
  struct ForwardedMessage: Sendable {
    let ticket: RequestTicket
    let message: LSPMessage
  }

  /// Reads the body of a frame. O(size).
  init(body: ByteBuffer, limits: JSON.Limits) {
    let json: JSON
    do throws(ProtocolError) {
      json = try JSON(body: body, limits: limits)
    } catch {
      // The connection continues with the next frame.
      self = .refused(Self.leadingID(of: body), error, isMessage: false)
      return
    }
    do throws(ProtocolError) {
      switch try RPCMessage(json: json) {
      case .request(let id, let method, let params): self = try Self.request(id, method, params)
      case .notification(let method, let params): self = Self.notification(method, params)
      case .response(let id, let result):
        self = .answered(id, isApplied: result["applied"] == true)
      case .failure(let id?, _): self = .answered(id, isApplied: false)
      case .failure: self = .ignored
      }
    } catch {
      self = .refused(RPCMessage.id(in: json), error, isMessage: error.code != .invalidRequest)
    }
  }

  /// Reads a whole frame of the native dialect. O(size).
  ///
  /// - Parameters:
  ///   - client: The client's hello; nil if this must be it.
  ///   - last: The document of its last batch, if it is known.
  init(nativeFrame frame: ByteBuffer, of client: NativeHello?, last: DocumentID?) {
    self = frame.withBytes { bytes in
      do {
        let (kind, body) = try NativeFrame.open(bytes)
        switch (kind, client) {
        case (.hello, nil): return .hello(try NativeHello(body))
        case (.batch, let client?):
          let (request, ticket) = try NativeBatch.read(body, of: client, last: last)
          return .batch(request, ticket)
        case (.ping, .some):
          guard body.count <= Self.pingSizeMax else {
            throw ProtocolError.tooLarge("a ping", size: body.count, sizeMax: Self.pingSizeMax)
          }
          return .ping
        case (.subscribe, .some), (.credit, .some), (.unsubscribe, .some):
          let following = try NativeFollowing(kind, body)
          return .following(following.request, .native(following.number))
        case (_, nil):
          return .badFrame(ProtocolError(.invalidRequest, "the first frame is a hello"))
        default:
          return .badFrame(ProtocolError(FrameError.unknownKind(kind.rawValue)))
        }
      } catch let refusal as NativeBatch.Refusal {
        return refusal.counter > 0
          ? .refusedBatch(counter: refusal.counter, refusal.error) : .badFrame(refusal.error)
      } catch let error as FrameError {
        return .badFrame(ProtocolError(error))
      } catch {
        return .badFrame(
          error as? ProtocolError ?? ProtocolError(.internalError, "\(error)"))
      }
    }
  }

  /// True if it may be a large deletion: then the times of the request are taken.
  var mayBeMeasured: Bool {
    switch self {
    case .append(_, let request), .batch(let request, _): request.mayBeMeasured
    case .forward(_, let forwarded): forwarded.message.mayDeleteMuch
    case .editor(let message): message.mayDeleteMuch
    default: false
    }
  }

  /// The maximum size of a ping's body in bytes.
  private static let pingSizeMax = 64

  /// The identifier of a request that cannot be parsed, for example because it has too many values.
  /// Returns nil unless the identifier precedes the params. The error that answers the request needs it.
  private static func leadingID(of body: ByteBuffer) -> RPCID? {
    let start = String(decoding: body.readableBytesView.prefix(1_024), as: UTF8.self)
    guard body.readableBytes > 1_024, let params = start.firstRange(of: #","params":"#),
      let json = try? JSON.parse(start[..<params.lowerBound] + "}")
    else { return nil }
    return RPCMessage.id(in: json)
  }

  private static func request(
    _ id: RPCID, _ method: String, _ params: JSON
  ) throws(ProtocolError) -> Incoming {
    switch method {
    case "initialize":
      _ = try params.params { (json) throws(ShapeError) in try ClientIdentity(initialize: json) }
      return .initialize(
        id, InitializeParams(json: params), EditorAttachment(initialize: params))
    case "shutdown": return .shutdown(id)
    case AppendRequest.method:
      return .append(
        id, try params.params { (json) throws(ShapeError) in try AppendRequest(json: json) })
    case ForwardRequest.method:
      let forwarded = try params.params { (json) throws(ShapeError) in
        try ForwardRequest(json: json)
      }
      let message = try LSPMessage(forwarded)
      return .forward(id, ForwardedMessage(ticket: forwarded.ticket, message: message))
    case AnnotateRequest.method: return .annotate(id, try AnnotateRequest(params: params))
    case TypingAttributesRequest.method:
      return .typingAttributes(id, try TypingAttributesRequest(params: params))
    case SubscribeRequest.method:
      return .following(.subscribe(try SubscribeRequest(params: params)), .json(id))
    case CreditRequest.method:
      return .following(.credit(try CreditRequest(params: params)), .json(id))
    case UnsubscribeRequest.method:
      return .following(.unsubscribe(try UnsubscribeRequest(params: params)), .json(id))
    default:
      guard DaemonMethods.requests.contains(method) else { throw .methodNotFound(method) }
      return .question(id, try ProgressToken(params: params))
    }
  }

  private static func notification(_ method: String, _ params: JSON) -> Incoming {
    switch method {
    case "exit": return .exit
    // Kate sends `shutdown` as a notification.
    case "shutdown", "initialized": return .ignored
    case CancelParams.method:
      return params["id"].flatMap(RPCID.init).map { .cancel($0) } ?? .ignored
    default:
      do throws(ProtocolError) {
        if method == AnnotateRequest.method {
          return .annotate(nil, try AnnotateRequest(params: params))
        }
        if method == TypingAttributesRequest.method {
          return .typingAttributes(nil, try TypingAttributesRequest(params: params))
        }
        return try LSPMessage(method, params).map { .editor($0) } ?? .ignored
      } catch {
        return .badNotification(method: method, error)
      }
    }
  }

  /// Reads the request in a frame that waited.
  static func call(
    in body: ByteBuffer, limits: JSON.Limits
  ) -> Result<any MethodRequest, ProtocolError> {
    Result { () throws(ProtocolError) in
      let message = try RPCMessage(json: JSON(body: body, limits: limits))
      guard case .request(_, let method, let params) = message else {
        throw ProtocolError(.invalidRequest, "the message is not a request")
      }
      return try Methods.request(method, params)
    }
  }
}
