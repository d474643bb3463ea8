import EditModel

/// A number that grows along the document. It says where a paragraph is without being changed
/// when paragraphs come and go before it, so that an identifier leads to a place in O(log n).
///
/// Labels are of this state in this process only: they take no part in equality, digests or
/// anything stored. (Dietz and Sleator, "Two algorithms for maintaining order in a list", 1987;
/// the widening window is of Bender and others, "Two simplified algorithms", 2002.)
typealias PlaceLabel = UInt64

/// The label of a paragraph, found by its identifier. Records are in the order of identifiers,
/// which is the order of birth, so that new ones go to the end.
struct BirthRecord: TreeElement, Equatable {
  private let sequence: SequenceNumber
  var label: PlaceLabel
  private let ordinal: UInt32

  init(_ paragraph: ParagraphRecord) { self.init(id: paragraph.id, label: paragraph.label) }

  init(id: ParagraphID, label: PlaceLabel) {
    (sequence, ordinal, self.label) = (id.sequence, id.ordinal, label)
  }

  var id: ParagraphID { ParagraphID(sequence: sequence, ordinal: ordinal) }
  var measure: NoMeasure { NoMeasure() }

  static var leafCountMax: Int { 256 }
}

extension StateCore {
  /// The place of the paragraph with this identifier. O(log n).
  func position(of id: ParagraphID) -> TreePosition<ParagraphRecord>? {
    let birth = births.partitionPoint { $0.id < id }
    guard birth.index < births.count, births[birth.index].id == id else { return nil }
    let label = births[birth.index].label
    let position = paragraphRecords.partitionPoint { $0.label < label }
    // The label may be that of a removed paragraph.
    guard position.index < paragraphCount, paragraphRecords[position.index].id == id else {
      return nil
    }
    return position
  }

  /// Replaces the paragraphs `range` by `records`, and labels the new ones: those of the edit
  /// `sequence + 1`. O(records + log n), plus O(log n) for each label that must move: a few per
  /// paragraph, amortised, and at worst all at once.
  func replaceParagraphs(_ range: Range<Int>, with records: inout [ParagraphRecord]) {
    let fits = label(&records, inPlaceOf: range)
    paragraphRecords.replace(range, with: records)
    addBirths(of: records)
    if !fits { relabel(around: range.lowerBound..<range.lowerBound + records.count) }
    compactBirthsIfNeeded()
  }

  /// As `replaceParagraphs`, but for many new paragraphs that follow one another. No other memory is
  /// taken than that of the trees. O(new paragraphs + survivors + log n).
  ///
  /// - Parameters:
  ///   - survivors: The paragraphs that keep their identity.
  ///   - newPieces: The indices of the new paragraphs, among all in the place of `range`.
  ///   - next: Returns the length of each of all, in order, and whether it ends in LF.
  func replaceParagraphs(
    _ range: Range<Int>, with survivors: [ParagraphRecord], around newPieces: Range<Int>,
    next: () -> (length: Int, endsInLF: Bool)
  ) {
    let first = newPieces.lowerBound
    let before =
      first > 0
      ? survivors[first - 1]
      : range.lowerBound > 0 ? paragraphRecords[range.lowerBound - 1] : nil
    let after = first < survivors.count ? survivors[first] : paragraph(at: range.upperBound)
    let labels = Self.labels(for: newPieces.count, between: before, and: after)
    func birth(_ number: Int) -> BirthRecord {
      BirthRecord(
        id: ParagraphID(sequence: sequence + 1, ordinal: UInt32(number)),
        label: labels.first + labels.step * PlaceLabel(number))
    }

    let count = survivors.count + newPieces.count
    var index = 0
    paragraphRecords.rebuild(range, count: count) {
      defer { index += 1 }
      let (length, endsInLF) = next()
      guard newPieces.contains(index) else {
        return survivors[index < first ? index : index - newPieces.count]
      }
      let born = birth(index - first)
      return ParagraphRecord(id: born.id, length: length, endsInLF: endsInLF, label: born.label)
    }
    var number = 0
    births.rebuild(births.count..<births.count, count: newPieces.count) {
      defer { number += 1 }
      return birth(number)
    }
    if labels.step == 0 { relabel(around: range.lowerBound..<range.lowerBound + count) }
    compactBirthsIfNeeded()
  }

  /// Drops the records of paragraphs that are gone, once they are a fifth.
  func compactBirthsIfNeeded() {
    if births.count > 64 + paragraphCount + paragraphCount / 4 { compactBirths() }
  }

  /// A label for one new paragraph that comes to stand before the one at `index`. Nil if there is no
  /// room.
  func label(forOneAt index: Int) -> PlaceLabel? {
    let before = index > 0 ? paragraphRecords[index - 1] : nil
    let labels = Self.labels(for: 1, between: before, and: paragraph(at: index))
    return labels.step > 0 ? labels.first : nil
  }

  /// Adds the birth records of the new ones of `records`.
  private func addBirths(of records: [ParagraphRecord]) {
    guard records.count > births.limits.leafCountMax else {
      for record in records where record.id.sequence > sequence {
        births.append(BirthRecord(record))
      }
      return
    }
    // Built at once: leaves that grow and are split one by one are half empty.
    var born: [BirthRecord] = []
    born.reserveCapacity(records.count)
    for record in records where record.id.sequence > sequence { born.append(BirthRecord(record)) }
    births.replace(births.count..<births.count, with: born)
  }

  /// Gives the new ones of `records` labels between those they come to stand between. False,
  /// with some labels equal, where there is no room.
  private func label(_ records: inout [ParagraphRecord], inPlaceOf range: Range<Int>) -> Bool {
    var before = range.lowerBound > 0 ? paragraphRecords[range.lowerBound - 1] : nil
    var (index, fits) = (0, true)
    while index < records.count {
      var end = index
      while end < records.count, records[end].id.sequence > sequence { end += 1 }
      if end > index {
        let after = end < records.count ? records[end] : paragraph(at: range.upperBound)
        let labels = Self.labels(for: end - index, between: before, and: after)
        for place in index..<end {
          records[place].label = labels.first + labels.step * PlaceLabel(place - index)
        }
        fits = fits && labels.step > 0
      }
      if end < records.count { before = records[end] }
      index = end + 1
    }
    return fits
  }

  private func paragraph(at index: Int) -> ParagraphRecord? {
    index < paragraphCount ? paragraphRecords[index] : nil
  }

  /// Labels for new paragraphs, close to the younger of their neighbours. Insertions mostly
  /// continue in one direction, so most of the room stays free for later ones. The step is 0 if
  /// there is no room.
  private static func labels(
    for count: Int, between before: ParagraphRecord?, and after: ParagraphRecord?
  ) -> (first: PlaceLabel, step: PlaceLabel) {
    let lower = before?.label ?? 0
    let room = (after?.label ?? .max) - lower
    let count = PlaceLabel(count)
    // A sixteenth of the room at most, so that many more can follow on either side; and no
    // more than a text of 2³¹ paragraphs can have for each.
    let step = min(room / (count + 1), max(room / 16 / count, 1), 1 << 32)
    let goesUp = after.map { after in before.map { $0.id > after.id } ?? false } ?? true
    return (goesUp ? lower + step : lower + room - step * count, step)
  }

  /// The label of the paragraph at `index`; the maximum after the last paragraph.
  private func label(at index: Int) -> PlaceLabel { paragraph(at: index)?.label ?? .max }

  /// Gives new labels to the paragraphs in the smallest range around `range` in which they then
  /// have enough room. The longer that range is, the more room each must get; otherwise a short
  /// range inside it would soon be full again.
  private func relabel(around range: Range<Int>) {
    var reach = max(range.count, 32)
    while true {
      let lower = max(0, range.lowerBound - reach)
      let upper = min(paragraphCount, range.upperBound + reach)
      let before = lower > 0 ? label(at: lower - 1) : 0
      let step = (label(at: upper) - before) / PlaceLabel(upper - lower + 1)
      let root = step >> 16
      let isRoomy = root >= 1 << 16 || root * root >= PlaceLabel(upper - lower)
      if isRoomy || lower == 0 && upper == paragraphCount {
        for index in lower..<upper { relabel(index, before + step * PlaceLabel(index - lower + 1)) }
        return
      }
      reach *= 2
    }
  }

  private func relabel(_ index: Int, _ label: PlaceLabel) {
    relabelCount += 1
    var record = paragraphRecords[index]
    record.label = label
    paragraphRecords.update(index, record)
    births.update(births.partitionPoint { $0.id < record.id }.index, BirthRecord(record))
  }

  /// Amortised by the edits that removed the paragraphs.
  private func compactBirths() {
    // Each is looked up: to sort the records of all paragraphs takes longer, and their memory again.
    let old = births.copy()
    var (reader, next) = (TreeReader<BirthRecord>(), 0)
    var search = LabelSearch(paragraphRecords)
    births.rebuild(0..<births.count, count: paragraphCount) {
      while true {
        let birth = reader.element(at: next, of: old)
        next += 1
        if search.holds(birth) { return birth }
      }
    }
  }

  /// The birth records of these paragraphs. O(n log n) at worst.
  static func births(_ records: [ParagraphRecord]) -> [BirthRecord] {
    records.map(BirthRecord.init).sorted { $0.id < $1.id }
  }
}

/// Looks up paragraphs by their labels, one after the other. Neighbours by birth are mostly neighbours
/// in the text, so that most look-ups begin where the one before ended. O(1) for these, else O(log² n).
private struct LabelSearch {
  private let records: GapTree<ParagraphRecord>
  private var reader = TreeReader<ParagraphRecord>()
  /// The first paragraph whose label is not less than the one looked up last.
  private var index = 0

  init(_ records: GapTree<ParagraphRecord>) { self.records = records }

  /// True if the paragraph is still there.
  mutating func holds(_ birth: BirthRecord) -> Bool {
    if !isAtOrAfter(birth.label) {
      index += 1
      if !isAtOrAfter(birth.label) {
        index = records.partitionPoint { $0.label < birth.label }.index
      }
    }
    return index < records.count && reader.element(at: index, of: records).id == birth.id
  }

  /// True if `index` is the first paragraph whose label is not less.
  private mutating func isAtOrAfter(_ label: PlaceLabel) -> Bool {
    guard index <= records.count else { return false }
    if index > 0, reader.element(at: index - 1, of: records).label >= label { return false }
    return index == records.count || reader.element(at: index, of: records).label >= label
  }
}
