/// Finds addresses of the web in text, as people type them.
///
/// An address begins at the start of a word: with a scheme (`https://`, `http://`, `ftp://`, `sftp://`,
/// `ssh://`, `git://`, `mailto:`), with `www.`, or with a host whose last label is one of a few
/// (`com`, `org` and the like). It goes on to the next white space, or to a character that is not part
/// of addresses, such as `<` or `。`. Marks of punctuation at its end are not part of it, nor is a closing
/// bracket without its opening one. Letters and digits of all languages are allowed. O(units).
public enum URLFinder {
  /// An address.
  public struct Link: Hashable, Sendable {
    /// Its range in the line, in UTF-16 units.
    public var range: Range<Int>
    /// The address, with `https://` before it if it was typed without a scheme.
    public var address: String
  }

  /// The maximum length of an address in UTF-16 units. A longer one is cut.
  public static let lengthMax = 2_048

  private static let schemes: [[UInt16]] = [
    "https://", "http://", "ftp://", "sftp://", "ssh://", "git://", "mailto:",
  ].map { Array($0.utf16) }
  /// After one of these, a word is a part of a longer name.
  private static let nameMarks = Array("@.-_/:#=&?%+~".utf16)
  /// An address does not end with one of these.
  private static let endMarks = Array(".,:;!?'*_~".utf16)
  private static let mail = Array("mailto:".utf16)
  private static let www = Array("www.".utf16)
  /// Hosts without a scheme end with one of these.
  private static let topLabels: Set<[UInt16]> = Set(
    ["com", "org", "net", "edu", "gov", "info", "dev", "app"].map { Array($0.utf16) })
  /// A host has at most 253 characters (RFC 1035), and a port at most 6.
  private static let hostLengthMax = 260

  /// The addresses in a line, in order.
  ///
  /// - Parameter line: The units of the line.
  public static func links(in line: UnsafeBufferPointer<UInt16>) -> [Link] {
    var (links, next) = ([Link](), 0)
    while next < line.count {
      guard isStart(next, line) else {
        next += 1
        continue
      }
      if let link = link(at: next, line) {
        links.append(link)
        next = link.range.upperBound
      } else {
        next += 1
      }
    }
    return links
  }

  /// The addresses in a text.
  public static func links(in text: String) -> [Link] {
    Array(text.utf16).withUnsafeBufferPointer { links(in: $0) }
  }

  // MARK: Starts

  /// True if a word begins here, and is not a part of a longer name.
  private static func isStart(_ index: Int, _ line: UnsafeBufferPointer<UInt16>) -> Bool {
    guard isWord(line[index]) else { return false }
    guard index > 0 else { return true }
    let before = line[index - 1]
    // Scripts without spaces between words go on right before an address.
    if before >= 0x2E80 { return line[index] < 0x80 }
    return !isWord(before) && !nameMarks.contains(before)
  }

  /// Letters and digits of ASCII, and all that is beyond ASCII but punctuation and spaces.
  private static func isWord(_ unit: UInt16) -> Bool {
    switch unit {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0..<0x80: false
    case 0xD800...0xDFFF: true
    default: !endsAddress(unit)
    }
  }

  private static func link(at start: Int, _ line: UnsafeBufferPointer<UInt16>) -> Link? {
    for scheme in schemes where matches(scheme, at: start, line) {
      return link(from: start, afterScheme: start + scheme.count, isMail: scheme == mail, line)
    }
    let host = host(from: start, line)
    guard let host, matches(www, at: start, line) && host.labels > 1 || host.isKnown else {
      return nil
    }
    return link(start, host.end, line, prefix: "https://")
  }

  private static func matches(
    _ text: [UInt16], at start: Int, _ line: UnsafeBufferPointer<UInt16>
  ) -> Bool {
    guard start + text.count <= line.count else { return false }
    for (index, unit) in text.enumerated() {
      let other = line[start + index]
      guard (other >= 0x41 && other <= 0x5A ? other | 0x20 : other) == unit else { return false }
    }
    return true
  }

  private static func link(
    from start: Int, afterScheme next: Int, isMail: Bool, _ line: UnsafeBufferPointer<UInt16>
  ) -> Link? {
    var next = next
    // A name, and perhaps a password, before the host.
    var user = next
    while user < line.count, user - next < 128, !endsAddress(line[user]), line[user] != 0x2F,
      line[user] != 0x40
    {
      user += 1
    }
    let hasUser = user < line.count && line[user] == 0x40 && user > next
    if isMail {
      guard hasUser else { return nil }
    }
    if hasUser { next = user + 1 }
    guard let host = host(from: next, line) else { return nil }
    return link(start, host.end, line, prefix: "")
  }

  // MARK: Hosts

  /// The host and port that begin here: labels of letters, digits and hyphens with dots between them, or
  /// an address in brackets.
  private static func host(
    from start: Int, _ line: UnsafeBufferPointer<UInt16>
  ) -> (end: Int, labels: Int, isKnown: Bool)? {
    var (next, labels, labelStart) = (start, 0, start)
    let limit = min(line.count, start + hostLengthMax)
    if next < limit, line[next] == 0x5B {
      next += 1
      while next < limit, isHexadecimal(line[next]) || line[next] == 0x3A || line[next] == 0x2E {
        next += 1
      }
      guard next < limit, line[next] == 0x5D, next > start + 2 else { return nil }
      return (port(from: next + 1, line), 1, false)
    }
    var last: Range<Int> = start..<start
    while next < limit {
      let unit = line[next]
      if isWord(unit) || (unit == 0x2D || unit == 0x5F) && next > labelStart {
        next += 1
        continue
      }
      guard next > labelStart else { break }
      (last, labels) = (labelStart..<next, labels + 1)
      guard unit == 0x2E, next + 1 < limit, isWord(line[next + 1]) else { break }
      next += 1
      labelStart = next
    }
    if next == limit, next > labelStart { (last, labels) = (labelStart..<next, labels + 1) }
    guard labels > 0 else { return nil }
    let top = line[last].map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    return (port(from: last.upperBound, line), labels, labels > 1 && topLabels.contains(top))
  }

  private static func port(from start: Int, _ line: UnsafeBufferPointer<UInt16>) -> Int {
    guard start + 1 < line.count, line[start] == 0x3A else { return start }
    var next = start + 1
    while next < line.count, next - start <= 5, (0x30...0x39).contains(line[next]) { next += 1 }
    return next > start + 1 ? next : start
  }

  private static func isHexadecimal(_ unit: UInt16) -> Bool {
    switch unit {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  // MARK: Ends

  /// The address up to its end; `hostEnd` is that of its host and port.
  private static func link(
    _ start: Int, _ hostEnd: Int, _ line: UnsafeBufferPointer<UInt16>, prefix: String
  ) -> Link? {
    var end = hostEnd
    // What follows a host is a path, a query or a fragment.
    if end < line.count, [0x2F, 0x3F, 0x23].contains(line[end]) {
      let limit = min(line.count, start + lengthMax)
      while end < limit, !endsAddress(line[end]) { end += 1 }
      if end == limit, end < line.count, UTF16.isLeadSurrogate(line[end - 1]) { end -= 1 }
      end = trimmed(start..<end, line)
    }
    guard end > start else { return nil }
    let text = String(units: UnsafeBufferPointer(rebasing: line[start..<end]))
    return Link(range: start..<end, address: prefix + text)
  }

  /// The end of an address without the punctuation after it.
  private static func trimmed(
    _ range: Range<Int>, _ line: UnsafeBufferPointer<UInt16>
  ) -> Int {
    var depths: [UInt16: Int] = [0x28: 0, 0x5B: 0, 0x7B: 0]
    for unit in line[range] {
      if depths[unit] != nil { depths[unit, default: 0] += 1 }
      if let opening = opening(of: unit) { depths[opening, default: 0] -= 1 }
    }
    var end = range.upperBound
    while end > range.lowerBound {
      let unit = line[end - 1]
      if let opening = opening(of: unit) {
        guard depths[opening, default: 0] < 0 else { break }
        depths[opening, default: 0] += 1
      } else if !endMarks.contains(unit) {
        break
      }
      end -= 1
    }
    return end
  }

  private static func opening(of unit: UInt16) -> UInt16? {
    switch unit {
    case 0x29: 0x28
    case 0x5D: 0x5B
    case 0x7D: 0x7B
    default: nil
    }
  }

  /// True if an address cannot have this unit: white space, controls, quotes, brackets of XML, and
  /// punctuation beyond ASCII.
  private static func endsAddress(_ unit: UInt16) -> Bool {
    switch unit {
    case 0...0x20, 0x7F...0xA0: return true
    case 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7C: return true
    case 0..<0x7F: return false
    case 0xD800...0xDFFF: return false
    default: break
    }
    guard let scalar = Unicode.Scalar(UInt32(unit)) else { return true }
    switch scalar.properties.generalCategory {
    case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
      .otherPunctuation, .dashPunctuation, .spaceSeparator, .lineSeparator, .paragraphSeparator,
      .control, .format, .unassigned, .privateUse:
      return true
    default: return false
    }
  }
}
