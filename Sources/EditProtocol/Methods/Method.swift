public import EditJSON

/// A call of a method: its params, what it is called, and how params and answer are written.
///
/// `Methods.all` lists the types. A method may have several types of params, which `isMeant` tells
/// apart: `editlog/undo` lists steps, shows what an undo would do, or undoes.
public protocol MethodRequest: Hashable, Sendable {
  /// The result of the call.
  associatedtype Answer: Hashable, Sendable

  /// The name on the wire, as `editlog/state`.
  static var method: String { get }
  /// One sentence: what the method is for.
  static var summary: String { get }
  /// True if the call changes the store. A client does not repeat such a call by itself.
  static var isChange: Bool { get }
  /// How params are written.
  static var codec: Codec<Self> { get }
  /// How the answer is written.
  static var answerCodec: Codec<Answer> { get }
  /// True if params ask for this type, among all types of the method.
  static func isMeant(by params: JSON) throws(ProtocolError) -> Bool
}

extension MethodRequest {
  /// True: the method has one type of params.
  public static func isMeant(by params: JSON) throws(ProtocolError) -> Bool { true }

  /// Reads the params of a call. No params are an empty object.
  ///
  /// - Throws: `ProtocolError`, `invalidParams`, which names the member.
  public init(params: JSON) throws(ProtocolError) {
    do {
      self = try Self.codec.decode(params == .null ? [:] : params)
    } catch { throw ProtocolError(error.within("params")) }
  }

  /// The params of the call.
  public var params: JSON { Self.codec.encode(self) }

  /// Reads the answer to this call.
  ///
  /// - Throws: `ProtocolError`, `internalError`, if the answer has another shape.
  public static func answer(_ json: JSON) throws(ProtocolError) -> Answer {
    do { return try answerCodec.decode(json) } catch {
      throw ProtocolError(.internalError, "the answer to \(method) has another shape: \(error)")
    }
  }
}

/// All methods of the protocol, besides those of LSP.
public enum Methods {
  /// The types of params, in the order of the article `Protocol`.
  public static let all: [any MethodRequest.Type] = writing + reading + store

  /// The names, each once, in the order of `all`.
  public static let names: [String] = all.reduce(into: []) { names, type in
    if names.last != type.method { names.append(type.method) }
  }

  /// The call of the method `name` with these params.
  ///
  /// - Throws: `ProtocolError`: `methodNotFound`, `invalidParams`.
  public static func request(
    _ name: String, _ params: JSON
  ) throws(ProtocolError) -> any MethodRequest {
    for type in all where type.method == name {
      if try type.isMeant(by: params) { return try type.init(params: params) }
    }
    throw .methodNotFound(name)
  }

  /// The JSON Schema of every method: `{"editlog/state": {"params": …, "result": …}, …}`. A method
  /// with several types of params has `anyOf`.
  public static var schema: JSON {
    let methods = names.map { name in
      let types = all.filter { $0.method == name }
      let (params, results) = (types.map { $0.paramsSchema }, types.map { $0.resultSchema })
      let schema: JSONObject = [
        "summary": JSON(types.map { $0.summary }.joined(separator: " ")),
        "changes": .bool(types.contains { $0.isChange }),
        "params": params.count == 1 ? params[0] : ["anyOf": .array(params)],
        "result": results.count == 1 ? results[0] : ["anyOf": .array(results)],
      ]
      return JSONObject.Member(name: name, value: .object(schema))
    }
    var object: JSONObject = [:]
    for member in methods { object[member.name] = member.value }
    return [
      "$schema": "https://json-schema.org/draft/2020-12/schema", "methods": .object(object),
    ]
  }
}

extension MethodRequest {
  fileprivate static var paramsSchema: JSON { .object(codec.schema) }
  fileprivate static var resultSchema: JSON { .object(answerCodec.schema) }
}
