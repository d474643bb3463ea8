import FileWatch

/// Reads text of a named encoding, with iconv(3).
struct CharacterDecoder: Sendable {
  let encoding: TextEncoding

  /// The encoding of this name; nil if iconv does not know it.
  init?(named name: String) {
    guard let encoding = TextEncoding(inLibrary: name) else { return nil }
    self.encoding = encoding
  }

  /// The encoding that a commit names. Nil if it is UTF-8, or not one of those in which messages are written:
  /// a repository that comes from someone else does not choose among all converters of the system.
  init?(ofCommit name: String) {
    let known = [
      "iso-8859-", "iso8859-", "latin", "cp125", "windows-125", "koi8-", "euc-jp", "euc-kr",
      "shift_jis", "sjis", "gb18030", "gbk", "gb2312", "big5",
    ]
    guard known.contains(where: { name.lowercased().hasPrefix($0) }) else { return nil }
    self.init(named: name)
  }

  /// The text; nil if the bytes are not of this encoding, or it is longer than `GitObjectReader.contentSizeMax`.
  func text(_ bytes: [UInt8]) -> String? {
    guard let units = encoding.decode(bytes),
      let text = String(validating: units, as: UTF16.self),
      text.utf8.count <= GitObjectReader.contentSizeMax
    else { return nil }
    return text
  }
}
