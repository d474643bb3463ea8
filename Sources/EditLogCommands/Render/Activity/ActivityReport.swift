import EditModel
import EditProtocol

/// The work on one document or on several, by days and hours of the local time zone.
struct ActivityReport {
  /// A day of the local time zone.
  struct Day {
    /// Days since 1970-01-01.
    var number: Int64
    /// The number of edits in each hour.
    var hours = [Int](repeating: 0, count: 24)
    var counts = ShownActivity()

    /// The date at its start.
    var date: CivilTime { CivilTime(seconds: number * 86_400) }
  }

  /// A line of a chart.
  enum Row {
    case day(Day)
    /// This many days without edits.
    case empty(Int64)
  }

  /// Days without edits that are shown one by one. Of more, only the number is shown.
  private static let emptyDayCountMax: Int64 = 3

  /// The number of documents with edits.
  private(set) var documentCount = 0
  private(set) var total = ShownActivity()
  private(set) var times: ClosedRange<Timestamp>?
  /// The days with edits.
  private(set) var days: [Int64: Day] = [:]
  /// The number of quarters of an hour that the days lack.
  private(set) var omitted = 0
  private(set) var shares: [ShownActivityShare] = []
  /// The documents with the most edits, and what was done.
  private(set) var documents: [(name: String, counts: ShownActivity)] = []
  /// The longest pauses of the last document.
  private(set) var pauses: [ShownPause] = []
  /// The most reworked paragraphs, with their documents.
  private(set) var paragraphs: [(document: String, paragraph: ReworkedParagraph)] = []

  private var work = TimesOfWork()

  private static let (documentCountMax, paragraphCountMax) = (20, 5)

  /// Adds a document's work.
  mutating func add(_ answer: ActivityAnswer, of document: String, _ session: Session) {
    guard let first = answer.firstTime, let last = answer.lastTime else { return }
    documentCount += 1
    total += answer.total
    times = min(times?.lowerBound ?? first, first)...max(times?.upperBound ?? last, last)
    for quarter in answer.quarters {
      let civil = session.civilTime(quarter.time)
      let number = Self.day(of: civil)
      var day = days[number] ?? Day(number: number)
      day.hours[civil.hour] += quarter.counts.edits
      day.counts += quarter.counts
      days[number] = day
    }
    omitted += answer.omitted
    work.add(answer)
    for share in answer.shares { add(share) }
    documents.append((document, answer.total))
    documents.sort { $0.counts.edits > $1.counts.edits }
    if documents.count > Self.documentCountMax { documents.removeLast() }
    pauses = answer.pauses
    paragraphs += answer.paragraphs.map { (document, $0) }
    paragraphs.sort { $0.paragraph.removed > $1.paragraph.removed }
    paragraphs = Array(paragraphs.prefix(Self.paragraphCountMax))
  }

  /// Counts time once that was spent on several documents. Call it once, after the last document.
  mutating func finish(_ session: Session) {
    guard documentCount > 1 else { return }
    let all = TimesOfWork.union(of: work.stretches)
    (total.activeMicros, total.sessions) = (all.micros + work.olderMicros, all.periodCount)
    for number in days.keys { days[number]?.counts.activeMicros = 0 }
    for (time, micros) in all.microsByQuarter {
      days[Self.day(of: session.civilTime(time))]?.counts.activeMicros += micros
    }
    let byAuthor = Dictionary(grouping: work.stretches) { $0.author.map { ExactString($0) } }
    let sums = Dictionary(grouping: shares.indices) { index in
      shares[index].author.map { ExactString($0) }
    }
    for (author, indices) in sums {
      let sum = indices.reduce(0) { $0 + shares[$1].counts.activeMicros }
      let once = TimesOfWork.union(of: byAuthor[author] ?? []).micros
      // Older time is known by its sum alone.
      guard sum > once, work.olderMicros == 0 else { continue }
      for index in indices {
        let part = Double(shares[index].counts.activeMicros) / Double(sum)
        shares[index].counts.activeMicros = Int64(part * Double(once))
      }
    }
  }

  /// Days from 1970-01-01 to a date.
  private static func day(of civil: CivilTime) -> Int64 {
    CivilTime(year: civil.year, month: civil.month, day: civil.day).seconds / 86_400
  }

  private mutating func add(_ share: ShownActivityShare) {
    let known = shares.firstIndex {
      $0.origin == share.origin && $0.author.isExactly(share.author)
    }
    if let known { shares[known].counts += share.counts } else { shares.append(share) }
  }

  /// The shares with equal `key`, those with the most edits first; without those whose key is nil.
  func shares(
    by key: (ShownActivityShare) -> String?
  ) -> [(name: String, counts: ShownActivity)] {
    var numbers: [ExactString: Int] = [:]
    var sums: [(name: String, counts: ShownActivity)] = []
    for share in shares {
      guard let name = key(share) else { continue }
      let number = numbers[ExactString(name)] ?? sums.count
      numbers[ExactString(name)] = number
      if number == sums.count { sums.append((name, ShownActivity())) }
      sums[number].counts += share.counts
    }
    return sums.sorted { $0.counts.edits > $1.counts.edits }
  }

  /// The lines of a chart in the order of time, at most the `countMax` newest; and what was done before
  /// them.
  func rows(_ countMax: Int) -> (rows: [Row], earlier: [Day]) {
    var rows: [Row] = []
    let sorted = days.values.sorted { $0.number > $1.number }
    var next: Int64?
    for (index, day) in sorted.enumerated() {
      let empty = next.map { emptyRows(from: day.number + 1, to: $0) } ?? []
      guard rows.count + empty.count < countMax else {
        return (rows.reversed(), Array(sorted[index...]))
      }
      rows += empty
      rows.append(.day(day))
      next = day.number
    }
    return (rows.reversed(), [])
  }
}

extension ActivityReport {
  /// The lines of days without edits from one day up to another, which is not included: the newest
  /// first.
  private func emptyRows(from first: Int64, to end: Int64) -> [Row] {
    let count = end - first
    if count > Self.emptyDayCountMax { return [.empty(count)] }
    return (0..<max(0, count)).map { .day(Day(number: end - 1 - $0)) }
  }
}

extension ShownActivity {
  /// Adds what other edits did. Sums that do not fit become the maximum.
  static func += (left: inout Self, right: Self) {
    func add<Value: FixedWidthInteger>(_ value: inout Value, _ other: Value) {
      let sum = value.addingReportingOverflow(other)
      value = sum.overflow ? .max : sum.partialValue
    }
    add(&left.edits, right.edits)
    add(&left.words, right.words)
    add(&left.inserted, right.inserted)
    add(&left.removed, right.removed)
    add(&left.activeMicros, right.activeMicros)
    add(&left.sessions, right.sessions)
  }
}

/// The levels of a heat strip. Each begins at about twice the number of edits of the one before.
struct HeatScale {
  /// The number of levels besides that of no edits.
  static let levelCount = 5
  /// The greatest number of edits in an hour.
  let max: Int

  /// The level of an hour: 0 without edits, else 1 to 5.
  func level(_ count: Int) -> Int {
    guard count > 0 else { return 0 }
    return (1...Self.levelCount).last { count > floor($0) } ?? 1
  }

  /// The numbers of edits of a level from 1 to 5; nil if no number has it.
  func range(_ level: Int) -> ClosedRange<Int>? {
    let (lower, upper) = (floor(level) + 1, level == Self.levelCount ? max : floor(level + 1))
    return lower <= upper ? lower...upper : nil
  }

  /// The number that an hour of this level exceeds.
  private func floor(_ level: Int) -> Int { level == 1 ? 0 : max >> (Self.levelCount + 1 - level) }
}
