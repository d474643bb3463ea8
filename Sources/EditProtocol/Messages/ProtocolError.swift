public import EditJSON
package import EditModel

/// An error as it goes over the wire, comes out of the client and ends the CLI: a code with a
/// stable name, and a message that says what to do.
public struct ProtocolError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The decision the receiver has to make.
  public var code: Code
  /// What is wrong and what to do, in a sentence or two. Holds no document text.
  public var message: String
  /// Further facts for programs, by name; merged into the error object's `data`.
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

  /// Bytes that are no JSON text, or one past the limits.
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

  /// Reads an error object. A code this version does not know becomes `internalError`, with the
  /// number kept in `details`.
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

// What errors of damage say to programs.
extension ProtocolError {
  /// True if `details` name a document.
  package var namesDocument: Bool { details["document"] != nil }

  /// The damaged file, if the error names one.
  package var damagedFile: String? {
    if case .string(let file)? = details["file"] { file.string } else { nil }
  }

  /// The damaged byte of that file.
  package var damagedOffset: Int? {
    if case .integer(let offset)? = details["offset"] { Int(exactly: offset) } else { nil }
  }

  /// Says where the damage is: of which document, in which file, at which byte, after which edit.
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
