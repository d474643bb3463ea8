import EditModel

extension AttributedText {
  /// The text of a file without attributes, as it is. O(n).
  ///
  /// - Parameter bytes: The file.
  /// - Throws: `InterchangeError` if it is not UTF-8, or longer than a document may be.
  public init(plain bytes: [UInt8]) throws(InterchangeError) {
    try InterchangeError.checkUTF8(bytes)
    let text = UTF16Text(String(decoding: bytes, as: UTF8.self))
    guard text.count <= EditAction.textLengthMax else {
      throw InterchangeError(
        "the text has more than \(EditAction.textLengthMax) UTF-16 units", at: bytes.count,
        in: bytes)
    }
    self.init(text)
  }
}
