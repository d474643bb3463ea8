public import EditProtocol

/// Writes a version in each of the forms.
public enum FileWriter {
  /// A file, and what its form cannot carry. O(n).
  ///
  /// - Parameters:
  ///   - text: The version.
  ///   - format: The form.
  ///   - rule: The rule for the elements of XML.
  ///   - title: The title of a page.
  ///   - identifiers: For JSON, the paragraphs that have units; nil if they are left out.
  ///   - isOver: Called again and again while Markdown is written. If it returns true, the rest is not written.
  /// - Returns: The bytes, which are UTF-8, and the losses.
  public static func file(
    _ text: AttributedText, _ format: ExportRequest.Format, rule: XMLRule = .standard,
    title: String, identifiers: [IdentifierRun]? = nil, unless isOver: () -> Bool = { false }
  ) -> (bytes: [UInt8], losses: Losses) {
    var (bytes, losses) = content(
      text, format, rule: rule, title: title, identifiers: identifiers, unless: isOver)
    losses.attachments = text.attachmentCount
    return (bytes, losses)
  }

  private static func content(
    _ text: AttributedText, _ format: ExportRequest.Format, rule: XMLRule, title: String,
    identifiers: [IdentifierRun]?, unless isOver: () -> Bool
  ) -> (bytes: [UInt8], losses: Losses) {
    switch format {
    case .htmlText:
      var writer = HTMLWriter()
      return (writer.document(of: text, title: title), writer.losses)
    case .markdown:
      var writer = MarkdownWriter()
      return (writer.document(of: text, unless: isOver), writer.losses)
    case .xml:
      var writer = XMLWriter(rule)
      return (writer.document(of: text), writer.losses)
    case .attributedJSON:
      return (AttributedJSON.bytes(of: text, identifiers: identifiers), Losses())
    }
  }
}
