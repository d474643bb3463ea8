public import EditJSON

/// A call of a method: its params. `definition` has its name and its codecs.
///
/// `Methods.all` lists the types. A method may have several types of params: `editlog/undo` lists
/// steps, shows what an undo would do, or undoes.
public protocol MethodRequest: Hashable, Sendable {
  /// The result of the call.
  associatedtype Answer: Hashable, Sendable

  /// The name, the summary and the codecs of the call.
  static var definition: MethodDefinition<Self, Answer> { get }
}

/// The name and summary of a method, and the codecs of its params and its answer.
public struct MethodDefinition<Request: Sendable, Answer: Sendable>: Sendable {
  /// The name on the wire, such as `editlog/state`.
  public let name: String
  /// One sentence about the method, for the article and the schema.
  public let summary: String
  /// True if the call changes the store. A client does not repeat such a call automatically.
  public let isChange: Bool
  /// The codec of the params.
  public let params: Codec<Request>
  /// The codec of the answer.
  public let answer: Codec<Answer>
  /// Returns true if params mean this type, if the method has several.
  let isMeant: @Sendable (JSON) throws(ProtocolError) -> Bool

  init(
    _ name: String, _ summary: String, isChange: Bool, params: Codec<Request>,
    answer: Codec<Answer>,
    isMeant: @escaping @Sendable (JSON) throws(ProtocolError) -> Bool = { _ in true }
  ) {
    (self.name, self.summary, self.isChange) = (name, summary, isChange)
    (self.params, self.answer, self.isMeant) = (params, answer, isMeant)
  }
}

extension MethodRequest {
  /// The name on the wire, such as `editlog/state`.
  public static var method: String { definition.name }
  /// The codec of the answer.
  public static var answerCodec: Codec<Answer> { definition.answer }

  /// Reads the params of a call. Absent params count as an empty object.
  ///
  /// - Throws: `ProtocolError`: `invalidParams`, which names the member.
  public init(params: JSON) throws(ProtocolError) {
    do {
      self = try Self.definition.params.decode(params == .null ? [:] : params)
    } catch { throw ProtocolError(error.within("params")) }
  }

  /// The params of the call.
  public var params: JSON { Self.definition.params.encode(self) }

  /// Reads the answer to this call.
  ///
  /// - Throws: `ProtocolError`: `internalError` if the answer has an unexpected shape.
  public static func answer(_ json: JSON) throws(ProtocolError) -> Answer {
    do { return try answerCodec.decode(json) } catch {
      throw ProtocolError(
        .internalError, "the answer to \(method) has an unexpected shape: \(error)")
    }
  }
}

/// All methods of the protocol, except those of LSP.
public enum Methods {
  /// The types of params, in the order of the article `Protocol`.
  public static let all: [any MethodRequest.Type] =
    writing + reading + places + attachments + following + store

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

  /// The rows of the table of methods in the article `Protocol`.
  package static var articleRows: [String] {
    names.map { name in
      let types = all.filter { $0.method == name }
      let changes = types.contains { $0.isChange } ? "yes" : "no"
      return "| `\(name)` | \(types.map { $0.summary }.joined(separator: " ")) | \(changes) |"
    }
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
  fileprivate static var summary: String { definition.summary }
  fileprivate static var isChange: Bool { definition.isChange }
  fileprivate static var paramsSchema: JSON { .object(definition.params.schema) }
  fileprivate static var resultSchema: JSON { .object(definition.answer.schema) }

  fileprivate static func isMeant(by params: JSON) throws(ProtocolError) -> Bool {
    try definition.isMeant(params)
  }
}
