public import EditModel
import TextGrid

/// The pictures of attachments, which HTML and SVG draw in their frames. A file holds them itself, so it still
/// loads nothing.
public struct Pictures: Hashable, Sendable {
  /// The maximum size of a picture, in bytes.
  public static let sizeMax = 1 << 21
  /// The maximum size of all pictures of a file, each counted as often as it is drawn, in bytes.
  public static let totalSizeMax = 1 << 23

  private var addresses: [AttachmentDigest: String] = [:]

  /// No pictures.
  public init() {}

  /// True if there are none.
  public var isEmpty: Bool { addresses.isEmpty }

  /// Adds a picture.
  ///
  /// - Parameters:
  ///   - content: The bytes. They are a picture if they begin as PNG, JPEG, GIF or WebP do.
  ///   - base64: The same bytes in base 64.
  ///   - digest: The digest of the bytes.
  /// - Returns: False if they are no picture, or too large; nothing is added then.
  @discardableResult
  public mutating func add(
    _ content: [UInt8], base64: String, of digest: AttachmentDigest
  ) -> Bool {
    guard content.count <= Self.sizeMax, let type = MediaFormat(of: content).type,
      Self.types.contains(type)
    else { return false }
    addresses[digest] = "data:\(type);base64,\(base64)"
    return true
  }

  /// The address of an attachment's picture; nil if it has none, or if a part of it is on another page.
  func address(of attachment: SheetAttachment) -> String? {
    guard attachment.rowsAbove == 0, attachment.rectangle.rows == attachment.rows else {
      return nil
    }
    return attachment.attachment.digest.flatMap { addresses[$0] }
  }

  /// The pictures that every browser shows. What an attachment says of its type does not count.
  private static let types: Set<String> = ["image/png", "image/jpeg", "image/gif", "image/webp"]
}
