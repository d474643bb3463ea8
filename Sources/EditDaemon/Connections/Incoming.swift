import EditJSON
import EditModel
import EditProtocol
import NIOCore

/// What a frame of a client asks for, with the parts that the daemon needs. A large frame is read
/// beside the event loops, since all connections wait for those.
enum Incoming: Sendable {
  case initialize(RPCID, InitializeParams, EditorAttachment)
  case shutdown(RPCID)
  case exit
  case append(RPCID, AppendRequest)
  case forward(RPCID, ForwardedMessage)
  case editor(LSPMessage)
  /// A question about histories; its params are read when it is begun.
  case question(RPCID)
  /// A message that has nothing to tell.
  case ignored
  /// A notification of the wrong shape, which has no reply.
  case badNotification(method: String, ProtocolError)
  /// What is to be refused; no message at all where `isMessage` is false.
  case refused(RPCID?, ProtocolError, isMessage: Bool)

  /// A message of an editor that a bridge sends on.
  struct ForwardedMessage: Sendable {
    let ticket: RequestTicket
    let message: LSPMessage
  }

  /// Reads the body of a frame. O(size).
  init(body: ByteBuffer) {
    let json: JSON
    do throws(ProtocolError) {
      json = try JSON(body: body, limits: .request)
    } catch {
      // An undecodable message is skipped: the frame's end is known.
      self = .refused(Self.leadingID(of: body), error, isMessage: false)
      return
    }
    do throws(ProtocolError) {
      switch try RPCMessage(json: json) {
      case .request(let id, let method, let params): self = try Self.request(id, method, params)
      case .notification(let method, let params): self = Self.notification(method, params)
      case .response, .failure: self = .ignored
      }
    } catch {
      self = .refused(RPCMessage.id(in: json), error, isMessage: error.code != .invalidRequest)
    }
  }

  /// The identifier of a request that cannot be read to its end, as of one with too many values;
  /// nil unless it stands before the params. The error that answers the request needs it.
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
    default:
      guard DaemonMethods.requests.contains(method) else { throw .methodNotFound(method) }
      return .question(id)
    }
  }

  private static func notification(_ method: String, _ params: JSON) -> Incoming {
    switch method {
    case "exit": return .exit
    // Kate says it as a notification.
    case "shutdown", "initialized": return .ignored
    default:
      do throws(ProtocolError) {
        guard DaemonMethods.told.contains(method) else { return .ignored }
        return try LSPMessage(method, params).map { .editor($0) } ?? .ignored
      } catch {
        return .badNotification(method: method, error)
      }
    }
  }

  /// The call in a frame that waited.
  static func call(in body: ByteBuffer) -> Result<any MethodRequest, ProtocolError> {
    Result { () throws(ProtocolError) in
      let message = try RPCMessage(json: JSON(body: body, limits: .request))
      guard case .request(_, let method, let params) = message else {
        throw ProtocolError(.invalidRequest, "the message is not a request")
      }
      return try Methods.request(method, params)
    }
  }
}
