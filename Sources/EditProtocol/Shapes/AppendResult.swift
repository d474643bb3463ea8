public import EditJSON
public import EditModel

/// The result of `editlog/append`.
public struct AppendResult: Hashable, Sendable {
  /// The sequence number of the request's first edit.
  public var first: SequenceNumber
  /// The sequence number of its last edit.
  public var sequence: SequenceNumber
  /// True if the edits are on stable storage: they survive a power cut.
  public var durable: Bool
  /// The head of the document's hash chain after the edits. A client that keeps it can prove later
  /// that no acknowledged edit was lost. Nil if the daemon sends none.
  public var head: String?
  /// True if the request was logged before, and this is its first answer again.
  public var duplicate: Bool

  /// A result.
  public init(
    first: SequenceNumber, sequence: SequenceNumber, durable: Bool, head: String? = nil,
    duplicate: Bool = false
  ) {
    (self.first, self.sequence, self.durable) = (first, sequence, durable)
    (self.head, self.duplicate) = (head, duplicate)
  }

  /// Reads a result.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    first = try object.unsigned("first")
    sequence = try object.unsigned("sequence")
    durable = try object.read("durable") { (json) throws(ShapeError) in try json.asBool() }
    head = try object.stringIfPresent("head")
    duplicate = try object.boolIfPresent("duplicate") ?? false
  }

  /// The result.
  public var json: JSON {
    var object: JSONObject = [
      "first": JSON(first), "sequence": JSON(sequence), "durable": .bool(durable),
    ]
    object["head"] = head.map { JSON($0) }
    object["duplicate"] = .bool(duplicate)
    return .object(object)
  }
}
