package import EditModel

/// The activity of a part of a history on a row of cells, known from the times of some versions.
///
/// Three quarters of the row are shared out by time, of which each edit counts with at most
/// `paceMax`, so that idle time takes no room; one quarter is shared out by edits, so that a text that
/// was loaded at one moment has room too. Between two samples, edits count as evenly spread. More
/// samples are asked for where the time between two is long, so the number of samples depends on the
/// row, and not on the length of the history.
package struct Timeline: Sendable {
  /// The time that an edit counts with, at most.
  static let paceMax = 5.0
  /// Idle time that is shown as such, in seconds.
  static let idleMin = 300.0
  /// Samples, at most.
  static let sampleCountMax = 1_024
  /// The part of the row to which a change of authors is looked for.
  private static let authorWidthMin = 1.0 / 512
  /// Samples that are asked for at once.
  static let sampleCountAtOnce = 64

  /// A column of the row.
  package struct Column: Hashable, Sendable {
    /// Edits, about.
    package var edits = 0.0
    /// True if a long time without edits is cut out here.
    package var isIdle = false
    /// The author of most edits, if known.
    package var author: String?
  }

  /// The part of the history.
  package let range: ClosedRange<SequenceNumber>
  /// Known times, ascending.
  package private(set) var samples: [TimeSample] = []
  /// The position on the row of each sample, from 0 to 1.
  private var places: [Double] = []
  private var rounds = 0

  /// The timeline of a part of a history, without a known time.
  package init(_ range: ClosedRange<SequenceNumber>) { self.range = range }

  /// The versions whose times to ask for first: evenly spread.
  package var firstSamples: [SequenceNumber] {
    let (first, length) = (max(1, range.lowerBound), range.upperBound - range.lowerBound)
    guard range.upperBound >= first else { return [] }
    let count = min(UInt64(Self.sampleCountAtOnce), max(1, length))
    var numbers: [SequenceNumber] = []
    for index in 0...count {
      // Multiplied in two parts, so that no length overflows.
      let (whole, rest) = length.quotientAndRemainder(dividingBy: count)
      let number = max(first, range.lowerBound + whole * index + rest * index / count)
      if number != numbers.last { numbers.append(number) }
    }
    return numbers
  }

  /// Adds times. Those of other versions, and those that go back, are ignored.
  package mutating func insert(_ added: [TimeSample]) {
    rounds += 1
    var merged: [TimeSample] = []
    for sample in (samples + added).sorted(by: { $0.sequence < $1.sequence }) {
      guard range.contains(sample.sequence), merged.last?.sequence != sample.sequence else {
        continue
      }
      guard merged.last.map({ $0.time <= sample.time }) ?? true else { continue }
      merged.append(sample)
    }
    samples = merged
    places = Self.places(of: samples)
  }

  /// The versions whose times would make the row exact; empty if it is exact enough.
  package var nextSamples: [SequenceNumber] {
    guard samples.count >= 2, samples.count < Self.sampleCountMax, rounds < 24 else { return [] }
    let spans = zip(samples, samples.dropFirst()).map { Span($0, $1) }
    let active = spans.reduce(0) { $0 + $1.active }
    let limit = max(1, active / 128)
    let widths = zip(places, places.dropFirst()).map { $1 - $0 }
    // A change of authors is looked for to a part of a column.
    return zip(spans, widths).filter { span, width in
      span.edits > 1 && (span.seconds > limit || span.isShared && width > Self.authorWidthMin)
    }.map(\.0)
      .sorted { ($1.seconds, $0.first) < ($0.seconds, $1.first) }
      .prefix(Self.sampleCountAtOnce).map { $0.first + $0.edits / 2 }.sorted()
  }

  /// What happened between two samples.
  private struct Span {
    let first: SequenceNumber
    let edits: UInt64
    let seconds: Double
    /// True if the edits at both ends have different authors.
    let isShared: Bool

    init(_ left: TimeSample, _ right: TimeSample) {
      isShared = !left.author.isExactly(right.author)
      (first, edits) = (left.sequence, right.sequence - left.sequence)
      let (difference, overflow) = right.time.nanoseconds.subtractingReportingOverflow(
        left.time.nanoseconds)
      seconds = overflow ? 1e11 : Double(difference) / 1e9
    }

    var active: Double { min(seconds, Timeline.paceMax * Double(edits)) }
    var isIdle: Bool { seconds - active >= Timeline.idleMin }
  }

  private static func places(of samples: [TimeSample]) -> [Double] {
    let spans = zip(samples, samples.dropFirst()).map { Span($0, $1) }
    let active = max(spans.reduce(0) { $0 + $1.active }, .leastNormalMagnitude)
    let edits = max(spans.reduce(0) { $0 + Double($1.edits) }, 1)
    var (place, places) = (0.0, samples.isEmpty ? [] : [0.0])
    for span in spans {
      place += 0.75 * span.active / active + 0.25 * Double(span.edits) / edits
      places.append(place)
    }
    // Without any time the whole row is shared out by edits.
    let end = place > 0 ? place : 1
    return places.map { min(1, $0 / end) }
  }

  /// The column of a version, on a row of `count` cells.
  package func column(of sequence: SequenceNumber, count: Int) -> Int {
    min(max(0, count - 1), max(0, Int(place(of: sequence) * Double(count))))
  }

  private func place(of sequence: SequenceNumber) -> Double {
    guard samples.count >= 2 else { return fraction(sequence, range) }
    let index = samples.partitionPoint { $0.sequence <= sequence }
    guard index > 0 else { return 0 }
    guard index < samples.count else { return 1 }
    let (left, right) = (samples[index - 1], samples[index])
    return places[index - 1] + (places[index] - places[index - 1])
      * fraction(sequence, left.sequence...right.sequence)
  }

  private func fraction(
    _ sequence: SequenceNumber, _ range: ClosedRange<SequenceNumber>
  ) -> Double {
    guard sequence > range.lowerBound, range.upperBound > range.lowerBound else { return 0 }
    return min(
      1, Double(sequence - range.lowerBound) / Double(range.upperBound - range.lowerBound))
  }

  /// The version at the middle of a column of a row of `count` cells.
  package func sequence(at column: Int, count: Int) -> SequenceNumber {
    let wanted = (Double(min(max(column, 0), count - 1)) + 0.5) / Double(max(count, 1))
    if column <= 0 { return range.lowerBound }
    if column >= count - 1 { return range.upperBound }
    guard samples.count >= 2 else { return number(wanted, range.lowerBound, range.upperBound) }
    let index = min(max(1, places.partitionPoint { $0 <= wanted }), samples.count - 1)
    let (low, high) = (places[index - 1], places[index])
    let part = high > low ? (wanted - low) / (high - low) : 0
    return number(part, samples[index - 1].sequence, samples[index].sequence)
  }

  private func number(
    _ part: Double, _ low: SequenceNumber, _ high: SequenceNumber
  ) -> SequenceNumber {
    min(high, low + SequenceNumber(max(0, min(1, part)) * Double(high - low)))
  }

  /// The columns of a row of `count` cells.
  package func columns(_ count: Int) -> [Column] {
    var columns = Array(repeating: Column(), count: count)
    guard samples.count >= 2, count > 0 else { return columns }
    var shares = Array(repeating: [ExactString?: Double](), count: count)
    func add(_ edits: Double, to column: Int, by author: String?) {
      columns[column].edits += edits
      shares[column][author.map(ExactString.init), default: 0] += edits
    }
    for index in 1..<samples.count {
      let span = Span(samples[index - 1], samples[index])
      let low = places[index - 1] * Double(count)
      let high = places[index] * Double(count)
      let (first, last) = (min(count - 1, Int(low)), min(count - 1, Int(high)))
      var left = Double(span.edits)
      for column in first..<last {
        let covered = Double(column + 1) - max(low, Double(column))
        let part = min(left, Double(span.edits) * covered / (high - low))
        add(part, to: column, by: samples[index].author)
        left -= part
      }
      add(left, to: last, by: samples[index].author)
      if span.isIdle { columns[min(count - 1, Int((low + high) / 2))].isIdle = true }
    }
    for (column, share) in shares.enumerated() {
      // Of authors with the same number of edits, the first by name.
      let most = share.max { left, right in
        left.value == right.value
          ? (right.key?.string ?? "").precedesExactly(left.key?.string ?? "")
          : left.value < right.value
      }
      columns[column].author = most?.key?.string
    }
    return columns
  }

  /// The number of versions in each column of a row of `count` cells.
  package func counts(of versions: [SequenceNumber], _ count: Int) -> [Int] {
    var counts = Array(repeating: 0, count: count)
    guard count > 0 else { return counts }
    for version in versions where range.contains(version) {
      counts[column(of: version, count: count)] += 1
    }
    return counts
  }

  /// The time of a version, between those of the samples around it; nil if none is known.
  package func time(of sequence: SequenceNumber) -> Timestamp? {
    let index = samples.partitionPoint { $0.sequence < sequence }
    guard index < samples.count else { return samples.last?.time }
    return samples[index].time
  }
}
