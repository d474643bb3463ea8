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
    guard content.count <= Self.sizeMax, let type = Self.type(of: content) else { return false }
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

  /// The type of a picture, by its first bytes. What an attachment says of its type does not count.
  private static func type(of content: [UInt8]) -> String? {
    if content.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      return "image/png"
    }
    if content.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if content.starts(with: "GIF87a".utf8) || content.starts(with: "GIF89a".utf8) {
      return "image/gif"
    }
    let isWebP = content.starts(with: "RIFF".utf8) && content.dropFirst(8).starts(with: "WEBP".utf8)
    return isWebP ? "image/webp" : nil
  }
}
