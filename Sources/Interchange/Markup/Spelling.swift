import EditModel

extension Markup {
  /// How a paragraph is written in a file of Markdown. Each part is nil if a writer would write it so anyway.
  struct Spelling: Hashable, Sendable {
    /// What is between the paragraph before and the text: blank lines, indents and marks.
    var before: [UInt8]?
    /// The text with its marks.
    var text: [UInt8]?
    /// The rest of the last line, and lines that belong to the paragraph.
    var after: [UInt8]?

    /// The maximum size of the parts together, in bytes: longer ones are not kept.
    static let sizeMax = 1 << 16

    /// The parts.
    init(before: [UInt8]?, text: [UInt8]?, after: [UInt8]?) {
      (self.before, self.text, self.after) = (before, text, after)
    }

    /// The value of the attribute; nil if it is none.
    init?(_ value: AttributeValue?) {
      guard case .map(let parts)? = value else { return nil }
      func part(_ name: String) -> [UInt8]? {
        guard case .string(let text)? = parts[name] else { return nil }
        return Array(text.utf8)
      }
      self.init(before: part("before"), text: part("text"), after: part("after"))
    }

    /// The attribute; none if all is as usual, or too long.
    var attributes: AttributeSet {
      let parts = [("after", after), ("before", before), ("text", text)].compactMap {
        name, bytes -> AttributeSet.Element? in
        bytes.map { (name, .string(String(decoding: $0, as: UTF8.self))) }
      }
      let size = (before?.count ?? 0) + (text?.count ?? 0) + (after?.count ?? 0)
      guard !parts.isEmpty, size <= Self.sizeMax else { return .empty }
      return [Markup.spelling: .map(AttributeSet(parts))]
    }
  }
}
