/// The lines of a stretch of text, each with its LF; the last one may lack it and is never
/// empty.
struct Lines {
  let text: [UInt16]
  /// Where each line starts, and where the last one ends.
  private var bounds: [Int]

  /// The lines of the whole text.
  init(_ text: [UInt16]) { self.init(text, in: 0..<text.count) }

  /// The lines of `range`, which starts and ends between lines.
  init(_ text: [UInt16], in range: Range<Int>) {
    self.text = text
    bounds = [range.lowerBound]
    for offset in range where text[offset] == .lineFeed { bounds.append(offset + 1) }
    if bounds[bounds.count - 1] < range.upperBound { bounds.append(range.upperBound) }
  }

  /// The number of lines.
  var count: Int { bounds.count - 1 }

  /// A line's units, as offsets in the text.
  subscript(line: Int) -> Range<Int> { bounds[line]..<bounds[line + 1] }

  /// The units of some lines, as offsets in the text.
  func units(of lines: Range<Int>) -> Range<Int> {
    bounds[lines.lowerBound]..<bounds[lines.upperBound]
  }

  /// A line that compares by its units.
  func key(_ line: Int) -> LineKey { LineKey(text, self[line]) }
}

/// A line as a key: equal if the units are. The hash is computed once, because lines may be long.
struct LineKey: Hashable {
  private let text: [UInt16]
  private let range: Range<Int>
  private let digest: Int

  init(_ text: [UInt16], _ range: Range<Int>) {
    (self.text, self.range) = (text, range)
    var hasher = Hasher()
    text.withUnsafeBytes {
      // `range` lies inside the text, and a unit has two bytes.
      hasher.combine(
        bytes: UnsafeRawBufferPointer(rebasing: $0[2 * range.lowerBound..<2 * range.upperBound]))
    }
    digest = hasher.finalize()
  }

  static func == (left: Self, right: Self) -> Bool {
    left.digest == right.digest && left.text[left.range] == right.text[right.range]
  }

  func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

extension TextDifference {
  /// Lines on either side up to which lines are compared at all: a bound on memory.
  private static var lineCountMax: Int { 1 << 22 }

  /// The stretches of lines that differ.
  static func lineHunks(_ old: Lines, _ new: Lines, _ work: inout Int) -> [Hunk] {
    var box = Hunk(old: 0..<old.count, new: 0..<new.count)
    box.trim { old.text[old[$0]] == new.text[new[$1]] }
    guard !box.old.isEmpty, !box.new.isEmpty, box.size <= lineCountMax else {
      return box.isEmpty ? [] : [box]
    }
    var numbers: [LineKey: Int32] = [:]
    func number(_ key: LineKey) -> Int32 {
      let next = Int32(numbers.count)
      if let number = numbers[key] { return number }
      numbers[key] = next
      return next
    }
    let oldNumbers = box.old.map { number(old.key($0)) }
    let newNumbers = box.new.map { number(new.key($0)) }
    var lines = SequenceDifference(oldNumbers, newNumbers, depthMax: 1024, work: work)
    lines.compare(Hunk(old: 0..<box.old.count, new: 0..<box.new.count))
    work = lines.work
    return lines.hunks.map { $0.moved(old: box.old.lowerBound, new: box.new.lowerBound) }
  }
}
