public import EditModel

extension AttributedText {
  /// The number of runs that stand for an attachment. O(runs).
  public var attachmentCount: Int {
    runs.count { $0.attributes[Attachment.attribute] != nil }
  }

  /// A part of a text that is read as a list of contents: text between attachments, and attachments.
  public enum Content: Hashable, Sendable {
    /// Text without an attachment; it is not empty.
    case text(UTF16Range)
    /// An attachment, at the offset of its U+FFFC, with its attribute. Nil if the character has none.
    case attachment(at: Int, AttributeValue?)
  }

  /// The contents, in order. Together they are the text. An attachment that is put inside a text makes
  /// two more contents, one beside another content one more; one that is removed between two texts joins
  /// them. O(n).
  public var contents: [Content] {
    var (contents, start, place): ([Content], Int, Int) = ([], 0, 0)
    forEachRun { units, attributes in
      for unit in units {
        if unit == Attachment.unit {
          if start < place { contents.append(.text(UTF16Range(start..<place))) }
          contents.append(.attachment(at: place, attributes[Attachment.attribute]))
          start = place + 1
        }
        place += 1
      }
    }
    if start < place { contents.append(.text(UTF16Range(start..<place))) }
    return contents
  }
}
