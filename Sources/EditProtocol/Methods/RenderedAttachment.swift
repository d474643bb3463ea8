package import EditJSON
public import EditModel

/// An attachment with its place on a sheet.
public struct RenderedAttachment: Hashable, Sendable {
  /// What the attributes of its character say.
  public var attachment: Attachment
  /// Its character in the version.
  public var units: UTF16Range
  /// The part of it that is on the sheet.
  public var rectangle: RenderRectangle
  /// Rows of it above that part, which are not on the sheet.
  public var rowsAbove: Int
  /// Rows of it in the layout, those that are not on the sheet included.
  public var rows: Int

  /// An attachment.
  ///
  /// - Parameters:
  ///   - attachment: What the attributes of its character say.
  ///   - units: Its character in the version.
  ///   - rectangle: The part of it that is on the sheet.
  ///   - rowsAbove: Rows of it above that part.
  ///   - rows: Rows of it in the layout.
  public init(
    _ attachment: Attachment, units: UTF16Range, rectangle: RenderRectangle, rowsAbove: Int,
    rows: Int
  ) {
    (self.attachment, self.units, self.rectangle) = (attachment, units, rectangle)
    (self.rowsAbove, self.rows) = (rowsAbove, rows)
  }

  package static let codec = Codec<Self>(
    { name, type, digest, byteCount, columns, height, units, rectangle, rowsAbove, rows in
      RenderedAttachment(
        Attachment(
          digest: digest.flatMap { AttachmentDigest($0) }, byteCount: byteCount, name: name,
          type: type, columns: columns, rows: height), units: units, rectangle: rectangle,
        rowsAbove: rowsAbove, rows: rows)
    },
    .optional("name", \.attachment.name, .string), .optional("type", \.attachment.type, .string),
    .optional("digest", \.digest, .string),
    .optional("bytes", \.attachment.byteCount, .count),
    .required("columns", \.attachment.columns, .count),
    .required("rows", \.attachment.rows, .count),
    .group(\.units, .range), .required("rectangle", \.rectangle, RenderRectangle.codec),
    .optional("rowsAbove", \.rowsAbove, .count, else: 0),
    .required("rowsInLayout", \.rows, .count))

  /// The digest, as text.
  private var digest: String? { attachment.digest.map { "\($0)" } }
}
