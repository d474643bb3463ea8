import EditModel

/// The size of an attachment in a text.
struct ObjectSize: Hashable, Sendable {
  /// The place of its character, in UTF-16 units of the scanned text.
  let offset: Int
  let columns: Int
  let rows: Int

  /// The attachments among `units`, in order. O(units + attachments · log n).
  ///
  /// - Parameters:
  ///   - units: A part of the text.
  ///   - location: The place of the part in the text.
  ///   - text: The text.
  static func all(
    in units: [UInt16], at location: Int, of text: some AttributedStorage
  ) -> [ObjectSize] {
    guard units.contains(Attachment.unit) else { return [] }
    var sizes: [ObjectSize] = []
    var (attachment, end) = (Attachment?.none, location)
    for (offset, unit) in units.enumerated() where unit == Attachment.unit {
      if location + offset >= end {
        let found = text.attributes(at: location + offset)
        (attachment, end) = (Attachment(found.attributes), found.range.upperBound)
      }
      guard let attachment else { continue }
      sizes.append(
        ObjectSize(offset: offset, columns: attachment.columns, rows: attachment.rows))
    }
    return sizes
  }
}
