import EditJSON
package import EditModel

/// The attributes that a client has set for what it types next, by document.
///
/// They belong to the units that an edit inserts, never to others that a group of edits spans. An edit
/// with attributes of its own keeps these. A composition keeps what held when it began: an editor may
/// change its typing attributes at each step of one.
package struct TypingAttributes: Sendable {
  /// The maximum number of documents with such attributes.
  package static let countMax = 256
  /// The maximum size of the attributes of a document, as JSON, in bytes.
  package static let sizeMax = 1 << 16

  private struct Held {
    var intent: AttributeIntent?
    /// The composition that goes on, and what held when it began.
    var composing: (id: String, intent: AttributeIntent?)?
  }

  private var held: [DocumentID: Held] = [:]

  package init() {}

  /// Sets the attributes for a document, or ends them.
  ///
  /// - Parameters:
  ///   - request: The client's request.
  ///   - annotated: The origin that the client gave for its next changes; nil if it gave none.
  /// - Throws: `invalidParams` if the next edits are not typed; `tooLarge` if there are too many.
  package mutating func set(
    _ request: TypingAttributesRequest, annotated: Origin?
  ) throws(ProtocolError) {
    let document = request.document
    guard let intent = request.attributes else {
      held[document]?.intent = nil
      if held[document]?.composing == nil { held[document] = nil }
      return
    }
    try Self.check(request.origin, annotated, document)
    guard intent.json.serialized().count <= Self.sizeMax else {
      throw ProtocolError(
        .tooLarge, "the attributes have more than \(Self.sizeMax) bytes as JSON")
    }
    if held[document] == nil { held = held.count < Self.countMax ? held : endingCompositions }
    guard held[document] != nil || held.count < Self.countMax else {
      throw ProtocolError(
        .tooLarge,
        """
        \(Self.countMax) documents have attributes for what is typed next; end one with \
        `editlog/typingAttributes` without attributes
        """)
    }
    held[document, default: Held()].intent = intent
  }

  private static func check(
    _ origin: Origin, _ annotated: Origin?, _ document: DocumentID
  ) throws(ProtocolError) {
    if origin != .typing {
      throw ProtocolError(
        .invalidParams,
        """
        params.origin is \(origin.name), but only typed text has pending attributes; send the \
        attributes in the edits of origin \(origin.name) themselves
        """)
    }
    if let annotated, annotated != .typing {
      throw ProtocolError(
        .invalidParams,
        """
        the next changes of \(document.shown) are annotated with origin \(annotated.name), but only \
        typed text has pending attributes; send `editlog/annotate` with origin typing, or without \
        an origin, first
        """)
    }
  }

  /// Without the documents that only have a composition.
  private var endingCompositions: [DocumentID: Held] { held.filter { $0.value.intent != nil } }

  /// What is to become of the attributes of a document's next typed text; nil if nothing is.
  package subscript(document: DocumentID) -> AttributeIntent? {
    held.isEmpty ? nil : held[document]?.intent
  }

  /// Gives the typed units of a request their attributes. O(edits).
  ///
  /// - Parameter request: The request, as it was sent.
  package mutating func apply(to request: inout AppendRequest) {
    let known = held.isEmpty ? nil : held[request.document]
    // A composition that begins without attributes stays without them.
    guard known != nil || request.edits.contains(where: { $0.composition != nil }) else { return }
    var own = known ?? Held()
    for index in request.edits.indices {
      let edit = request.edits[index]
      var intent = own.intent
      if let id = edit.composition {
        if own.composing?.id != id { own.composing = (id, own.intent) }
        intent = own.composing?.intent
      } else {
        own.composing = nil
      }
      guard let intent, request.loggedOrigin(of: edit) == .typing else { continue }
      request.edits[index].action = edit.action.typed(with: intent)
    }
    if known == nil, held.count >= Self.countMax { held = endingCompositions }
    guard known != nil || held.count < Self.countMax else { return }
    held[request.document] = own.intent == nil && own.composing == nil ? nil : own
  }
}

extension EditAction {
  /// The action with attributes for the units that it inserts; itself if it inserts none, or has
  /// attributes of its own.
  package func typed(with intent: AttributeIntent) -> EditAction {
    guard case .inherit = attributes, let replacement, !replacement.isEmpty else { return self }
    return
      (try? EditAction(
        range: range, replacement: replacement, attributes: intent.change(length: newLength)))
      ?? self
  }
}
