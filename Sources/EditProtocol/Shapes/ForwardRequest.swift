public import EditJSON
public import EditModel

/// The params of `editlog/forward`: one LSP notification that a bridge forwards. With the ticket, a
/// notification that is sent twice is handled once. The notifications of a session are handled in
/// the order of their counters.
public struct ForwardRequest: Hashable, Sendable {
  /// The bridge's run, and the number of the notification in it.
  public var ticket: RequestTicket
  /// The notification's method.
  public var method: String
  /// The notification's params as the editor sent them.
  public var params: JSON

  /// A notification to forward.
  public init(ticket: RequestTicket, method: String, params: JSON) {
    (self.ticket, self.method, self.params) = (ticket, method, params)
  }

  /// Reads the params.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    guard let ticket = try object.ticketIfPresent() else {
      throw ShapeError("session", mustBe: "a string, and counter an integer", found: nil)
    }
    self.init(
      ticket: ticket, method: try object.string("method"), params: object["params"] ?? .null)
  }

  /// The params.
  public var json: JSON {
    [
      "session": JSON(ticket.session.name), "counter": JSON(ticket.counter),
      "method": JSON(method), "params": params,
    ]
  }
}

/// The result of `editlog/forward`.
public struct ForwardResult: Hashable, Sendable {
  /// Every notification of the session up to this counter was handled.
  public var counter: UInt64
  /// True if the resulting entries are on stable storage.
  public var durable: Bool
  /// The document that the notification is about, if it is about one.
  public var document: DocumentID?
  /// The version of the document that has the editor's text.
  public var sequence: SequenceNumber?

  /// A result.
  public init(
    counter: UInt64, durable: Bool, document: DocumentID? = nil, sequence: SequenceNumber? = nil
  ) {
    (self.counter, self.durable) = (counter, durable)
    (self.document, self.sequence) = (document, sequence)
  }

  /// Reads a result.
  public init(json: JSON) throws(ShapeError) { self = try ForwardRequest.answerCodec.decode(json) }

  /// The result.
  public var json: JSON { ForwardRequest.answerCodec.encode(self) }
}
