/// What a character U+FFFC says about the attachment that it stands for: the map in its attribute
/// `attachment`.
public struct Attachment: Hashable, Sendable {
  /// The name of the attribute.
  public static let attribute = "attachment"
  /// The character that stands for an attachment, as a UTF-16 unit.
  public static let unit: UInt16 = 0xFFFC
  /// The maximum size on a grid. A larger one counts as this.
  public static let (columnsMax, rowsMax) = (10_000, 256)
  /// The maximum number of Unicode scalars of a name or a type. A longer one is cut.
  public static let nameLengthMax = 256

  /// The digest of the bytes; nil if the map has none.
  public var digest: AttachmentDigest?
  /// The number of bytes; nil if the map has none.
  public var byteCount: Int?
  /// The name of the file; nil if the map has none.
  public var name: String?
  /// The kind of the bytes, such as `image/png`; nil if the map has none.
  public var type: String?
  /// The cells of a row that it takes: 1 to `columnsMax`.
  public var columns: Int
  /// The rows that it takes: 1 to `rowsMax`.
  public var rows: Int

  /// An attachment.
  ///
  /// - Parameters:
  ///   - digest: The digest of the bytes.
  ///   - byteCount: The number of bytes.
  ///   - name: The name of the file.
  ///   - type: The kind of the bytes.
  ///   - columns: The cells of a row that it takes. What is too small or too large is replaced by the
  ///     nearest that is not.
  ///   - rows: The rows that it takes, with the same limits.
  public init(
    digest: AttachmentDigest? = nil, byteCount: Int? = nil, name: String? = nil,
    type: String? = nil, columns: Int = 1, rows: Int = 1
  ) {
    (self.digest, self.byteCount) = (digest, byteCount)
    (self.name, self.type) = (name.map { Self.cut($0) }, type.map { Self.cut($0) })
    self.columns = min(max(columns, 1), Self.columnsMax)
    self.rows = min(max(rows, 1), Self.rowsMax)
  }

  private static func cut(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(nameLengthMax)))
  }

  /// The attachment of a character with these attributes. A member of another type than its own counts
  /// as absent.
  ///
  /// - Parameter attributes: The attributes of the character.
  /// - Returns: Nil if they have no map `attachment`.
  public init?(_ attributes: AttributeSet) {
    guard case .map(let map)? = attributes[Self.attribute] else { return nil }
    func text(_ name: String) -> String? {
      if case .string(let text)? = map[name] { text } else { nil }
    }
    func number(_ name: String) -> Int? {
      if case .integer(let number)? = map[name] { Int(clamping: number) } else { nil }
    }
    self.init(
      digest: text("digest").flatMap { AttachmentDigest($0) }, byteCount: number("bytes"),
      name: text("name"), type: text("type"), columns: number("columns") ?? 1,
      rows: number("rows") ?? 1)
  }

  /// The attribute of the character. A size of one cell is left out.
  public var attributes: AttributeSet {
    var map: AttributeSet = [:]
    if let digest { map["digest"] = .string("\(digest)") }
    if let byteCount { map["bytes"] = .integer(Int64(byteCount)) }
    if let name { map["name"] = .string(name) }
    if let type { map["type"] = .string(type) }
    if columns > 1 || rows > 1 {
      (map["columns"], map["rows"]) = (.integer(Int64(columns)), .integer(Int64(rows)))
    }
    return [Self.attribute: .map(map)]
  }
}
