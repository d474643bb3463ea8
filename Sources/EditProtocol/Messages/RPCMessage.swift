public import EditJSON

/// The identifier of a request and of its response.
public enum RPCID: Hashable, Sendable, CustomStringConvertible {
  case integer(Int64)
  case string(JSONString)

  /// An identifier; nil if the value is neither an integer nor a string.
  public init?(json: JSON) {
    switch json {
    case .integer(let value): self = .integer(value)
    case .string(let value): self = .string(value)
    default: return nil
    }
  }

  /// The identifier as a value.
  public var json: JSON {
    switch self {
    case .integer(let value): .integer(value)
    case .string(let value): .string(value)
    }
  }

  /// The identifier as it is written in JSON.
  public var description: String { json.description }
}

/// One message of JSON-RPC 2.0. Batches are not supported, as in LSP.
public enum RPCMessage: Hashable, Sendable {
  /// A call with an answer. `params` is an object, an array, or null if absent.
  case request(id: RPCID, method: String, params: JSON)
  /// A call without an answer.
  case notification(method: String, params: JSON)
  /// The answer to a request.
  case response(id: RPCID, result: JSON)
  /// The refusal of a request. `id` is nil if the request's identifier could not be read.
  case failure(id: RPCID?, ProtocolError)
}

extension RPCMessage {
  /// Reads a message. Unknown members are ignored.
  ///
  /// - Throws: `ProtocolError` of code `invalidRequest`. `id(in:)` has the identifier for the
  ///   answer.
  public init(json: JSON) throws(ProtocolError) {
    guard case .object(let object) = json else {
      throw Self.invalid("a message must be an object; batches are not supported")
    }
    guard object["jsonrpc"] == "2.0" else { throw Self.invalid(#"jsonrpc must be "2.0""#) }
    let id = object["id"].flatMap(RPCID.init(json:))
    if let method = object["method"] {
      self = try Self.call(object, method: method, id: id)
    } else {
      self = try Self.answer(object, id: id)
    }
  }

  /// The identifier in a value that may not be a message, for the error that is sent back.
  public static func id(in json: JSON) -> RPCID? {
    guard case .object(let object) = json else { return nil }
    return object["id"].flatMap(RPCID.init(json:))
  }

  private static func call(
    _ object: JSONObject, method: JSON, id: RPCID?
  ) throws(ProtocolError) -> Self {
    guard case .string(let name) = method, let method = name.string else {
      throw invalid("method must be a string")
    }
    let params = object["params"] ?? .null
    switch params {
    case .object, .array, .null: break
    default: throw invalid("params must be an object or an array")
    }
    if let id { return .request(id: id, method: method, params: params) }
    guard object["id"] == nil else { throw invalid("id must be an integer or a string") }
    return .notification(method: method, params: params)
  }

  private static func answer(_ object: JSONObject, id: RPCID?) throws(ProtocolError) -> Self {
    switch (object["result"], object["error"]) {
    case (let result?, nil):
      guard let id else { throw invalid("id must be an integer or a string") }
      return .response(id: id, result: result)
    case (let result, let error?) where result == nil || result == .null:
      guard id != nil || object["id"] == .null else {
        throw invalid("id must be an integer, a string or null")
      }
      do { return .failure(id: id, try ProtocolError(json: error)) } catch {
        throw invalid("\(error.within("error"))")
      }
    default: throw invalid("a message must have a method, or either a result or an error")
    }
  }

  private static func invalid(_ message: String) -> ProtocolError {
    ProtocolError(.invalidRequest, message)
  }

  /// The message as a value.
  public var json: JSON {
    var object: JSONObject = ["jsonrpc": "2.0"]
    switch self {
    case .request(let id, let method, let params):
      (object["id"], object["method"]) = (id.json, JSON(method))
      if params != .null { object["params"] = params }
    case .notification(let method, let params):
      object["method"] = JSON(method)
      if params != .null { object["params"] = params }
    case .response(let id, let result): (object["id"], object["result"]) = (id.json, result)
    case .failure(let id, let error):
      (object["id"], object["error"]) = (id?.json ?? .null, error.json)
    }
    return .object(object)
  }
}

extension RPCMessage {
  /// Writes the response to the request `id` whose result `writeResult` writes: the text of
  /// `response`, without its values in memory.
  package static func writeResponse(
    to id: RPCID, _ writer: inout JSONWriter, _ writeResult: (inout JSONWriter) -> Void
  ) {
    writer.append(#"{"jsonrpc":"2.0","id":"#)
    writer.append(id.json)
    writer.append(#","result":"#)
    writeResult(&writer)
    writer.append(UInt8(ascii: "}"))
  }
}

extension JSON {
  /// Reads a call's params with `read`. Errors name the member with `params` at the front.
  @inlinable public func params<Value>(
    _ read: (JSON) throws(ShapeError) -> Value
  ) throws(ProtocolError) -> Value {
    do { return try read(self) } catch { throw ProtocolError(error.within("params")) }
  }

  /// The boolean `name` of a call's params; false if it is absent or null, or if there are no
  /// params.
  ///
  /// - Throws: `ProtocolError` with the code `invalidParams` if it is anything else, so that
  ///   `"dryRun": "true"` changes nothing.
  public func flag(_ name: String) throws(ProtocolError) -> Bool {
    if self == .null { return false }
    return try params { (json) throws(ShapeError) in
      try json.asObject().boolIfPresent(name) ?? false
    }
  }
}
