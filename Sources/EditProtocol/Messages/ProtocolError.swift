public import EditJSON
package import EditModel

/// An error on the wire, of the client and of the CLI: a code with a stable name, and a message
/// that says what to do.
public struct ProtocolError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  public var code: Code
  /// One or two sentences: what is wrong, and what to do. Contains no text of documents.
  public var message: String
  /// Further members of the error object's `data`, for programs.
  public var details: JSONObject

  /// An error.
  public init(_ code: Code, _ message: String, details: JSONObject = [:]) {
    (self.code, self.message, self.details) = (code, message, details)
  }

  /// Params of the wrong shape, or an edit that contradicts itself.
  public init(_ error: ShapeError) {
    switch error.problem {
    case .mustBe: self.init(.invalidParams, "\(error)")
    case .edit: self.init(.invalidEdit, "\(error)", details: ["member": JSON(error.path)])
    }
  }

  /// Bytes that are not JSON text, or exceed the limits.
  public init(_ error: JSONError) {
    self.init(.parseError, "\(error)", details: ["offset": JSON(error.offset)])
  }

  /// The message.
  public var description: String { message }
}

extension ProtocolError {
  /// `{code, message, data: {name, retryable, …details}}`.
  public var json: JSON {
    var data: JSONObject = ["name": JSON(code.name), "retryable": .bool(code.isRetryable)]
    for member in details.members { data[member.name] = member.value }
    return ["code": JSON(code.rawValue), "message": JSON(message), "data": .object(data)]
  }

  /// Reads an error object. An unknown code becomes `internalError`, with the number in `details`.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    let number = try object.integer("code")
    message = try object.string("message")
    details = [:]
    if case .object(let data)? = object["data"] { details = data }
    (details["name"], details["retryable"]) = (nil, nil)
    if let code = Int(exactly: number).flatMap(Code.init(rawValue:)) {
      self.code = code
    } else {
      code = .internalError
      details["code"] = .integer(number)
    }
  }
}

// The details of errors about damage.
extension ProtocolError {
  /// True if `details` name a document.
  package var namesDocument: Bool { details["document"] != nil }

  /// The damaged file, if the error names one.
  package var damagedFile: String? {
    if case .string(let file)? = details["file"] { file.string } else { nil }
  }

  /// The position of the damage in that file, in bytes.
  package var damagedOffset: Int? {
    if case .integer(let offset)? = details["offset"] { Int(exactly: offset) } else { nil }
  }

  /// Sets the place of the damage: the document, the file, the byte in it, and the edit before it.
  package mutating func setDamage(
    of document: DocumentID? = nil, file: String? = nil, offset: Int? = nil,
    after: SequenceNumber? = nil
  ) {
    if let document { details["document"] = JSON(document.name) }
    if let file { details["file"] = JSON(file) }
    if let offset { details["offset"] = JSON(offset) }
    if let after { details["after"] = JSON(after) }
  }
}
