/// What the renderers of whole files say about a document.
public struct RenderedDocument: Hashable, Sendable {
  /// The document's name, as it is shown.
  public var title: String
  /// What is shown of it, such as the version.
  public var subtitle: String

  /// A document.
  public init(title: String, subtitle: String) { (self.title, self.subtitle) = (title, subtitle) }
}
