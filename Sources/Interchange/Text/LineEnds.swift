/// The ends of the lines of a file, in their order: LF, CR or CR LF.
struct LineEnds {
  private let file: [UInt8]
  private var place = 0

  /// The ends of the lines of a file.
  init(of file: [UInt8]) { self.file = file }

  /// Some ends that follow each other.
  struct Part {
    /// Their number, and the number of those that are CR LF, and of those that have a CR.
    var (count, pairCount, returnCount) = (0, 0, 0)

    /// The number of those that change if all become CR LF, or else LF.
    func changeCount(toPairs: Bool) -> Int { toPairs ? count - pairCount : returnCount }
  }

  /// The next ends, at most `countMax`. O(bytes up to the last of them).
  mutating func next(_ countMax: Int) -> Part {
    var part = Part()
    while place < file.count, part.count < countMax {
      let byte = file[place]
      place += 1
      guard byte == 0x0A || byte == 0x0D else { continue }
      part.count += 1
      guard byte == 0x0D else { continue }
      part.returnCount += 1
      guard place < file.count, file[place] == 0x0A else { continue }
      part.pairCount += 1
      place += 1
    }
    return part
  }

  /// The bytes with an LF for each CR LF and CR. O(n).
  static func withLineFeeds(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(0x0D) else { return bytes }
    var (result, isAfterCR): ([UInt8], Bool) = ([], false)
    for byte in bytes {
      if !(isAfterCR && byte == 0x0A) { result.append(byte == 0x0D ? 0x0A : byte) }
      isAfterCR = byte == 0x0D
    }
    return result
  }

  /// The bytes with a CR LF for each LF of the blank lines that they begin with, if `blank`, and of the other lines, if
  /// `others`. O(n).
  static func with(blank: Bool, others: Bool, _ bytes: [UInt8]) -> [UInt8] {
    guard blank || others else { return bytes }
    var (result, lineCount, blankCount) = ([UInt8](), 0, blankLineCount(bytes[...]))
    if blank == others { blankCount = 0 }
    result.reserveCapacity(bytes.count)
    for byte in bytes {
      if byte == 0x0A {
        if lineCount < blankCount ? blank : others { result.append(0x0D) }
        lineCount += 1
      }
      result.append(byte)
    }
    return result
  }

  /// The number of lines at the beginning that have no text, but perhaps the marks of quotes. They end with LF.
  static func blankLineCount(_ bytes: ArraySlice<UInt8>) -> Int {
    let blank = bytes.prefix { $0 == 0x0A || $0 == 0x20 || $0 == 0x09 || $0 == 0x3E }
    return blank.count { $0 == 0x0A }
  }
}
