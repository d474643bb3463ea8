import EditModel

/// What a commit says: its author, time and message.
struct GitCommit: Hashable, Sendable {
  let hash: String
  /// The author's name and address; empty if the commit has none.
  let name: String
  let address: String
  /// The author's time, in seconds since 1970; nil if the commit has none.
  let seconds: Int64?
  /// The author's time zone, such as `+0100`.
  let zone: String
  let message: String

  /// The maximum size of a message that is kept, in bytes.
  static let messageSizeMax = 16 << 10

  /// The author's time; nil if it is none, or not in the range of times.
  var time: Timestamp? {
    guard let seconds else { return nil }
    let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : Timestamp(nanoseconds: nanoseconds)
  }

  /// Reads the object of a commit. What is malformed in it is left out.
  ///
  /// - Parameter decoder: Reads what is not UTF-8, if the commit does not name its encoding.
  init(_ hash: String, _ object: [UInt8], decoder: CharacterDecoder? = nil) {
    self.hash = hash
    let (header, message) = Self.parts(of: object)
    func value(_ name: String) -> ArraySlice<UInt8>? {
      let start = Array((name + " ").utf8)
      return header.first { $0.starts(with: start) }?.dropFirst(start.count)
    }
    let named = value("encoding").flatMap {
      CharacterDecoder(ofCommit: String(decoding: $0, as: UTF8.self))
    }
    func text(_ bytes: ArraySlice<UInt8>) -> String {
      let bytes = Array(bytes)
      return named?.text(bytes) ?? String(validating: bytes, as: UTF8.self) ?? decoder?.text(bytes)
        ?? String(decoding: bytes, as: UTF8.self)
    }
    // `NAME <ADDRESS> SECONDS ZONE`
    let author = value("author") ?? []
    let open = author.firstIndex(of: UInt8(ascii: "<")) ?? author.endIndex
    let close = author.lastIndex(of: UInt8(ascii: ">")) ?? open
    name = Self.trimmed(text(author[..<open]))
    address = open < close ? Self.trimmed(text(author[(open + 1)..<close])) : ""
    let time = String(decoding: author[close...].dropFirst(), as: UTF8.self).split(separator: " ")
    seconds = time.first.flatMap { Int64($0) }
    zone = time.count > 1 && Self.isZone(time[1]) ? String(time[1]) : "+0000"
    self.message = text(message.prefix { $0 != 0 }.prefix(Self.messageSizeMax))
  }

  /// True for `+HHMM` or `-HHMM` of at most 14 hours, which is all that `git fast-import` takes.
  static func isZone(_ text: Substring) -> Bool {
    let digits = text.dropFirst()
    return (text.hasPrefix("+") || text.hasPrefix("-")) && digits.utf8.count == 4
      && digits.utf8.allSatisfy { (0x30...0x39).contains($0) } && (Int(digits) ?? .max) <= 1400
  }

  private static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars.filter {
      $0 != "<" && $0 != ">" && $0.properties.generalCategory != .control
    }
    return String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ")
  }

  /// The lines before the first empty one, and what is after it.
  private static func parts(
    of object: [UInt8]
  ) -> (header: [ArraySlice<UInt8>], message: ArraySlice<UInt8>) {
    var (header, rest) = ([ArraySlice<UInt8>](), object[...])
    while !rest.isEmpty {
      let line = rest.prefix { $0 != 0x0A }
      rest = rest.dropFirst(line.count + 1)
      if line.isEmpty { break }
      header.append(line)
    }
    return (header, rest)
  }
}
