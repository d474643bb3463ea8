public import EditModel
public import TextState

/// When a text was worked on, how much, and by whom.
///
/// - Time is spent between two edits that are less than 5 minutes apart. It counts for the later one: its
///   quarter of an hour, its author and its origin. The time before an undo, a redo or a restore was spent
///   with reading and does not count.
/// - A session is a stretch of work: an edit 30 minutes or more after the one before it begins another.
/// - A word is counted when its first unit is inserted: one that is not white space, after white space or
///   at the beginning of the text. Text that was found or brought back is not written: edits of origin
///   `load`, `undo` and `redo` add no words.
/// - A paragraph is reworked by edits that remove units from it.
///
/// An edit costs O(log n) and the paragraphs that it touches. Memory is that of the quarters with edits,
/// at most `shareCountMax` shares, and the paragraphs of the text that were changed.
public struct Activity: Projection {
  /// 1: the first.
  public static let version: UInt32 = 1

  /// The time between two edits from which on it is a pause, in nanoseconds: 5 minutes.
  public static let pauseNanosecondsMin: Int64 = 300_000_000_000
  /// The time between two edits from which on the second begins a session, in nanoseconds: 30 minutes.
  public static let sessionPauseNanosecondsMin: Int64 = 1_800_000_000_000
  /// The maximum number of shares.
  public static let shareCountMax = 1_000
  /// The number of stretches that are kept at least.
  public static let stretchCountMax = 20_000
  /// The maximum number of pauses that are kept.
  public static let pauseCountMax = 10

  /// The sum.
  public private(set) var total = ActivityCounts()
  /// The quarters of an hour with edits, in order.
  public private(set) var quarters: [ActivityQuarter] = []
  /// The shares, by first appearance.
  public private(set) var shares: [ActivityShare] = []
  /// What was done by authors and origins after `shareCountMax` shares.
  public private(set) var rest = ActivityCounts()
  /// The longest pauses, the longest first, of equal ones the earliest.
  public private(set) var pauses: [ActivityPause] = []
  /// The stretches of time spent, in order: all of the newest `stretchCountMax`, and perhaps some before.
  public private(set) var stretches: [ActivityStretch] = []
  /// The times of the first and of the last edit; nil if there is none.
  public private(set) var times: ClosedRange<Timestamp>?

  /// The last session, if it is that of a restore.
  private var restore: SessionID?
  private var shareNumbers: [ShareKey: Int] = [:]
  /// The index of the share of the last edit.
  private var lastShare: Int?
  /// Of paragraphs of the text only; that of the paragraph edited last is in `lastWork`.
  private var work: [ParagraphID: ParagraphWork] = [:]
  /// Most edits are in the paragraph of the edit before.
  private var lastParagraph: ParagraphID?
  private var lastWork = ParagraphWork()

  private struct ShareKey: Hashable {
    var author: ExactString?
    var origin: Origin
  }

  /// No edits.
  public init() {}

  /// The paragraphs of the text from which units were removed: by the number of units, then of edits,
  /// then by their order in the text, which is the version last applied. At most `countMax`.
  public func reworkedParagraphs(
    in state: TextState, _ countMax: Int
  ) -> [(index: Int, paragraph: ParagraphDescriptor, work: ParagraphWork)] {
    var work = work
    if let lastParagraph { work[lastParagraph] = lastWork }
    // Only those as much reworked as the last one that is wanted are looked up.
    let amounts = work.values.map(\.removedCount).sorted(by: >).prefix(countMax)
    guard let least = amounts.last.map({ max(1, $0) }) else { return [] }
    let found = work.filter { $0.value.removedCount >= least }.compactMap { id, work in
      state.paragraph(id).map { (index: $0.index, paragraph: $0.descriptor, work: work) }
    }
    return Array(
      found.sorted {
        ($1.work.removedCount, $1.work.editCount, $0.index)
          < ($0.work.removedCount, $0.work.editCount, $1.index)
      }.prefix(countMax))
  }

  /// Adds the edit.
  public mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    var counts = ActivityCounts()
    counts.editCount = 1
    if let text = edit.action.replacement {
      (counts.insertedCount, counts.removedCount) = (text.count, change.range.length)
      if ![.load, .undo, .redo].contains(edit.origin) {
        counts.wordCount = Self.wordsBegun(by: text, at: change.range.location, in: state)
      }
      noteParagraphs(change)
    }
    noteTime(edit, &counts)
    add(counts, edit)
  }

  /// Nanoseconds from one time to another; 0 if that is earlier.
  static func gap(_ start: Timestamp, _ end: Timestamp) -> Int64 {
    let difference = end.nanoseconds.subtractingReportingOverflow(start.nanoseconds)
    return difference.overflow ? .max : max(0, difference.partialValue)
  }

  private mutating func noteTime(_ edit: Edit, _ counts: inout ActivityCounts) {
    guard let times else {
      counts.sessionCount = 1
      self.times = edit.time...edit.time
      return noteStretch(edit, from: nil)
    }
    // Times in a log never decrease.
    self.times = times.lowerBound...max(times.upperBound, edit.time)
    let gap = Self.gap(times.upperBound, edit.time)
    guard gap >= Self.pauseNanosecondsMin else {
      guard !endsReading(edit) else { return noteStretch(edit, from: nil) }
      counts.activeNanoseconds = gap
      return noteStretch(edit, from: times.upperBound)
    }
    noteStretch(edit, from: nil)
    if gap >= Self.sessionPauseNanosecondsMin { counts.sessionCount = 1 }
    let isLong = pauses.last.map { $0.nanoseconds < gap } ?? true
    guard isLong || pauses.count < Self.pauseCountMax else { return }
    let place = pauses.firstIndex { $0.nanoseconds < gap } ?? pauses.count
    pauses.insert(
      ActivityPause(after: edit.sequence - 1, start: times.upperBound, end: edit.time), at: place)
    if pauses.count > Self.pauseCountMax { pauses.removeLast() }
  }

  /// True if the edit brings back what was read: an undo, a redo, or a restore.
  private func endsReading(_ edit: Edit) -> Bool {
    edit.origin == .undo || edit.origin == .redo || restore != nil && edit.session == restore
  }

  /// The program of `editlog restore`, as its sessions name it.
  private static let restoreClient = "editlog restore"

  /// Notes the session of a restore.
  public mutating func apply(_ event: HistoryEvent, _ state: TextState) {
    guard case .session(let client) = event.kind else { return }
    restore = client.client.isExactly(Self.restoreClient) ? event.session : nil
  }

  /// Notes the time spent from `start` up to an edit; none if it is nil.
  private mutating func noteStretch(_ edit: Edit, from start: Timestamp?) {
    if let start, let last = stretches.last, last.end == start,
      last.author.isExactly(edit.author)
    {
      stretches[stretches.count - 1].end = max(start, edit.time)
      return
    }
    let author = edit.author.map { ExactString($0) }
    stretches.append(
      ActivityStretch(
        start: start ?? edit.time, end: max(start ?? edit.time, edit.time), exactAuthor: author))
    // Dropped in blocks, so that each costs O(1).
    if stretches.count >= 2 * Self.stretchCountMax {
      stretches.removeFirst(stretches.count - Self.stretchCountMax)
    }
  }

  private mutating func add(_ counts: ActivityCounts, _ edit: Edit) {
    total += counts
    let quarter = ActivityQuarter(edit.time)
    if quarters.last.map({ $0.number < quarter.number }) ?? true { quarters.append(quarter) }
    quarters[quarters.count - 1].counts += counts
    var own = counts
    // Sessions are those of all authors together.
    own.sessionCount = 0
    guard let share = share(of: edit) else { return rest += own }
    shares[share].counts += own
  }

  /// The index of the share of an edit; nil if there are too many.
  private mutating func share(of edit: Edit) -> Int? {
    let author = edit.author
    if let lastShare, shares[lastShare].origin == edit.origin,
      shares[lastShare].author.isExactly(author)
    {
      return lastShare
    }
    let key = ShareKey(author: author.map { ExactString($0) }, origin: edit.origin)
    if let number = shareNumbers[key] {
      lastShare = number
      return number
    }
    guard shares.count < Self.shareCountMax else { return nil }
    shareNumbers[key] = shares.count
    lastShare = shares.count
    shares.append(ActivityShare(exactAuthor: key.author, origin: key.origin))
    return lastShare
  }

  private mutating func noteParagraphs(_ change: Change) {
    let old = change.range.bounds
    for event in change.paragraphEvents {
      switch event {
      case .removed(_, let paragraph, let heir):
        select(paragraph.id)
        let own = lastWork
        (lastParagraph, lastWork) = (nil, ParagraphWork())
        guard let heir else { continue }
        select(heir)
        lastWork.editCount += own.editCount
        lastWork.removedCount +=
          own.removedCount + paragraph.range.bounds.clamped(to: old).count
      case .edited(_, let paragraph, let oldRange):
        select(paragraph.id)
        lastWork.editCount += 1
        lastWork.removedCount += oldRange.bounds.clamped(to: old).count
      case .inserted, .attributesChanged: break
      }
    }
  }

  /// Makes `lastWork` that of a paragraph.
  private mutating func select(_ paragraph: ParagraphID) {
    guard lastParagraph != paragraph else { return }
    if let lastParagraph { work[lastParagraph] = lastWork }
    lastParagraph = paragraph
    lastWork = work.removeValue(forKey: paragraph) ?? ParagraphWork()
  }

  /// The number of words of a text, inserted at a location, whose first unit is in it.
  private static func wordsBegun(
    by text: UTF16Text, at location: Int, in state: TextState
  ) -> Int {
    guard text.count > 0 else { return 0 }
    let units = text.units
    guard let first = units.first else { return 0 }
    var isInWord = false
    if !first.isWhiteSpace, location > 0 { isInWord = !state[location - 1].isWhiteSpace }
    var count = 0
    for unit in units {
      let isWhite = unit.isWhiteSpace
      if !isWhite, !isInWord { count += 1 }
      isInWord = !isWhite
    }
    return count
  }
}

extension UInt16 {
  /// True if the unit is a white space character. All of them are single units.
  fileprivate var isWhiteSpace: Bool {
    if self < 0x80 { return self == 0x20 || (0x09...0x0D).contains(self) }
    return Unicode.Scalar(self)?.properties.isWhitespace ?? false
  }
}
