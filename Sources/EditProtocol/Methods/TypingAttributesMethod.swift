package import EditJSON
public import EditModel

/// Sets the attributes of what the client types next in a document, until it is sent again, or the
/// connection ends. Without `attributes`, typed text takes those of the text around it again.
public struct TypingAttributesRequest: MethodRequest {
  /// The document.
  public var document: DocumentID
  /// What becomes of the attributes of typed units; nil to end it.
  public var attributes: AttributeIntent?
  /// The origin of the edits that are meant. Only typing has such attributes: with another origin the
  /// request is refused.
  public var origin: Origin

  /// A call.
  ///
  /// - Parameters:
  ///   - document: The document.
  ///   - attributes: What becomes of the attributes of typed units; nil to end it.
  ///   - origin: The origin of the edits that are meant.
  public init(
    _ document: DocumentID, _ attributes: AttributeIntent?, origin: Origin = .typing
  ) {
    (self.document, self.attributes, self.origin) = (document, attributes, origin)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, TypingAttributesAnswer>(
    "editlog/typingAttributes",
    "Sets the attributes of what the client types next.",
    isChange: false,
    params: Codec(
      { TypingAttributesRequest($0, $1, origin: $2) },
      .required("document", \.document, .document),
      .optional("attributes", \.attributes, .intent),
      .optional("origin", \.origin, .origin, else: .typing)),
    answer: TypingAttributesAnswer.codec)
}

/// What holds for what the client types next.
public struct TypingAttributesAnswer: Hashable, Sendable {
  /// What becomes of the attributes of typed units; nil if they take those of the text around them.
  public var attributes: AttributeIntent?

  /// An answer.
  ///
  /// - Parameter attributes: What becomes of the attributes of typed units.
  public init(_ attributes: AttributeIntent?) { self.attributes = attributes }

  package static let codec = Codec<Self>(
    { TypingAttributesAnswer($0) }, .optional("attributes", \.attributes, .intent))
}
