public import EditJSON

/// The name that a client gives the progress of a request: the member `workDoneToken` of its params, as
/// in LSP.
public struct ProgressToken: Hashable, Sendable {
  /// The token as a value: an integer or a string.
  public let json: JSON

  /// The maximum size of a token in bytes of JSON.
  public static let sizeMax = 256

  /// The token of this number.
  public init(_ number: Int64) { json = .integer(number) }

  /// The token in the params of a request; nil if there is none.
  ///
  /// - Throws: `ProtocolError`: `invalidParams` if it is neither an integer nor a string, or longer than
  ///   `sizeMax`.
  public init?(params: JSON) throws(ProtocolError) {
    guard let token = params[Self.member], token != .null else { return nil }
    guard RPCID(json: token) != nil, token.serialized().count <= Self.sizeMax else {
      throw ProtocolError(
        .invalidParams,
        "params.\(Self.member) must be an integer or a string of at most \(Self.sizeMax) bytes")
    }
    json = token
  }

  init(json: JSON) { self.json = json }

  /// The member of params.
  static let member = "workDoneToken"

  /// `params` with this token. They must be an object, or null.
  public func added(to params: JSON) -> JSON {
    var object: JSONObject = [:]
    if case .object(let members) = params { object = members }
    object[Self.member] = json
    return .object(object)
  }
}

/// The progress of a request, as a notification of LSP.
public struct ProgressParams: Hashable, Sendable {
  /// The phases, in their order. `report` may come any number of times.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    case begin, report, end
  }

  /// The name of the notification.
  public static let method = "$/progress"

  /// The request's token.
  public var token: ProgressToken
  /// The phase.
  public var kind: Kind
  /// The part of the work that is done, 0 to 100, ascending; nil at the end.
  public var percentage: Int?

  /// A notification's params.
  public init(_ token: ProgressToken, _ kind: Kind, percentage: Int? = nil) {
    (self.token, self.kind, self.percentage) = (token, kind, percentage)
  }

  /// Reads the params of a notification; nil if they have another shape.
  public init?(json: JSON) {
    guard let token = json["token"], RPCID(json: token) != nil, let value = json["value"],
      case .string(let kind)? = value["kind"], let kind = kind.string.flatMap(Kind.init)
    else { return nil }
    self.init(ProgressToken(json: token), kind)
    if case .integer(let number)? = value["percentage"], (0...100).contains(number) {
      percentage = Int(number)
    }
  }

  /// The notification.
  public var message: RPCMessage {
    var value: JSONObject = ["kind": JSON(kind.rawValue)]
    if kind == .begin { (value["title"], value["cancellable"]) = ("Reading the history", true) }
    if let percentage { value["percentage"] = JSON(percentage) }
    return .notification(
      method: Self.method, params: ["token": token.json, "value": .object(value)])
  }
}

/// The notification by which a client cancels its request, as in LSP.
public enum CancelParams {
  /// The name of the notification.
  public static let method = "$/cancelRequest"

  /// The notification that cancels a request.
  public static func message(cancelling id: RPCID) -> RPCMessage {
    .notification(method: method, params: ["id": id.json])
  }
}
