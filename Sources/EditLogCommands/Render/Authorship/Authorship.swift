import EditModel
import EditProtocol

/// Who wrote the pieces of a text, in the order of the text.
struct Authorship {
  /// An author, and whether it wrote as an agent: by edits of origin `program`.
  struct Writer: Hashable {
    /// Nil if unknown.
    var author: ExactString?
    var isAgent: Bool
  }

  /// Units in a row that one edit wrote.
  struct Piece {
    /// The index of the writer, in the order in which they come in the text.
    var writer: Int
    /// UTF-16 units.
    var length: Int
    var time: Timestamp?
  }

  /// What one colour of a plot stands for.
  struct Series {
    /// A writer; nil for all the others.
    var writer: Writer?
    /// The number of writers.
    var writerCount: Int
    /// The UTF-16 units that they wrote.
    var units: Int
  }

  /// The number of the version.
  var sequence: SequenceNumber = 0
  /// The UTF-16 units of the pieces.
  private(set) var length = 0
  private(set) var pieces: [Piece] = []
  private(set) var times: ClosedRange<Timestamp>?
  private var numbers: [Writer: Int] = [:]
  private var writers: [(writer: Writer, units: Int)] = []

  /// The maximum number of writers that have a colour of their own.
  static let ownCountMax = 8

  /// The number of writers.
  var writerCount: Int { writers.count }

  /// Adds the piece after the last one.
  mutating func append(_ piece: ShownBlamePiece) {
    guard piece.range.length > 0 else { return }
    let stamp = piece.stamp
    let writer = Writer(
      author: stamp.author.map(ExactString.init), isAgent: stamp.origin == .program)
    let number = numbers[writer] ?? writers.count
    if number == writers.count {
      numbers[writer] = number
      writers.append((writer, 0))
    }
    writers[number].units += piece.range.length
    length += piece.range.length
    pieces.append(Piece(writer: number, length: piece.range.length, time: stamp.time))
    guard let time = stamp.time else { return }
    times = min(times?.lowerBound ?? time, time)...max(times?.upperBound ?? time, time)
  }

  /// The series, those with the most units first and the others last, and the index of the series of
  /// each writer.
  func series() -> (series: [Series], ofWriter: [Int]) {
    let order = writers.indices.sorted {
      (writers[$1].units, $0) < (writers[$0].units, $1)
    }
    let ownCount = Swift.min(order.count, Self.ownCountMax)
    var series = order.prefix(ownCount).map {
      Series(writer: writers[$0].writer, writerCount: 1, units: writers[$0].units)
    }
    var ofWriter = [Int](repeating: ownCount, count: writers.count)
    for (index, number) in order.prefix(ownCount).enumerated() { ofWriter[number] = index }
    let others = order.dropFirst(ownCount)
    if !others.isEmpty {
      let units = others.reduce(0) { $0 + writers[$1].units }
      series.append(Series(writer: nil, writerCount: others.count, units: units))
    }
    return (series, ofWriter)
  }

  /// The series that wrote the most of each of `count` equal parts of the text. Empty without text.
  /// O(pieces + parts).
  func strip(of count: Int, _ ofWriter: [Int]) -> [Int] {
    guard length > 0 else { return [] }
    var tallies = [[Int]](
      repeating: [Int](repeating: 0, count: Self.ownCountMax + 1), count: count)
    var start = 0
    for piece in pieces {
      // In parts of a unit, so that a part of the strip has `length` of them.
      let (lower, upper) = (start * count, (start + piece.length) * count)
      for part in lower / length...(upper - 1) / length {
        let share = Swift.min(upper, (part + 1) * length) - Swift.max(lower, part * length)
        tallies[part][ofWriter[piece.writer]] += share
      }
      start += piece.length
    }
    return tallies.map { tally in tally.indices.max { tally[$0] < tally[$1] } ?? 0 }
  }

  /// The units of each series in each of `count` equal parts of the time from the first piece to the
  /// last. Empty if no time is known.
  func bins(of count: Int, _ ofWriter: [Int]) -> [[Int]] {
    guard let times else { return [] }
    let first = Double(times.lowerBound.nanoseconds)
    let span = Double(times.upperBound.nanoseconds) - first
    var bins = [[Int]](
      repeating: [Int](repeating: 0, count: Self.ownCountMax + 1), count: count)
    for piece in pieces {
      guard let time = piece.time else { continue }
      let place = span > 0 ? (Double(time.nanoseconds) - first) / span : 0
      let bin = Swift.min(count - 1, Swift.max(0, Int(place * Double(count))))
      bins[bin][ofWriter[piece.writer]] += piece.length
    }
    return bins
  }
}
