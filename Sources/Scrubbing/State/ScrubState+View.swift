import EditModel
import EditProtocol
import TextGrid
import TextState

// The part of the text in view.
extension ScrubState {
  /// The columns and rows of the text, and of what is around it.
  var areas: ScrubAreas { ScrubAreas(self) }

  /// Lengths up to which a text is compared with one of another lineage, which reads both.
  private static let unsharedMax = 1 << 20
  /// Edits of a step whose removed texts are asked for one by one, at most.
  private static let removedCountMax = 32
  /// Edits of a step that are taken back to find where it began, at most.
  private static let stepLengthMax: UInt64 = 4_096

  // MARK: - What is shown

  /// Makes the shown text that of the cursor, compared with the anchor or the start of the step.
  mutating func updateShownText() {
    guard let cursor else { return }
    let base = comparison(with: cursor)
    let key = ShownKey(
      version: cursor.sequence, lineage: lineage, base: base?.version.sequence,
      showsDeleted: showsDeleted)
    guard key != shownKey else { return }
    shownKey = key
    if let base {
      shown = ShownText(
        cursor.text, since: base.version.text, showsDeleted: showsDeleted,
        hasSigns: !options.isColoured, gap: base.gap)
    } else {
      shown = ShownText(cursor.text)
    }
    goToSlidLines(cursor)
    // The place of the user is at the beginning of what was deleted there.
    (topInset, placeInset) = (0, shown?.insertedLength(at: min(place, lengthShown)) ?? 0)
    selectionStart?.inset = 0
    if placeInset > 0 { showPlace() }
  }

  /// Moves the place of the user from what the last edit changed to the start of its line, if the deleted text is
  /// shown there, as whole lines.
  private mutating func goToSlidLines(_ cursor: VersionCursor) {
    guard showsDeleted, let shown, place <= cursor.text.length,
      window[cursor.sequence]?.editedRange.location == place, shown.insertedLength(at: place) == 0
    else { return }
    let start = cursor.text.lineRange(cursor.text.line(at: place)).location
    if shown.insertedLength(at: start) > 0 { place = start }
  }

  /// The version that the shown one is compared with; nil if there is none, or if it is not known.
  private mutating func comparison(with cursor: VersionCursor) -> StepBase? {
    if showsDeleted, let anchor {
      let isShared = anchorLineage == lineage
      let length = max(anchor.text.length, cursor.text.length)
      guard isShared || length <= Self.unsharedMax else { return nil }
      return StepBase(version: anchor, start: anchor.sequence, lineage: anchorLineage)
    }
    guard cursor.sequence > 0 else { return nil }
    let start = stepStart(cursor.sequence)
    if let stepBase, stepBase.start == start, stepBase.lineage == lineage,
      stepBase.version.sequence < cursor.sequence
    {
      return stepBase
    }
    var base = StepBase(version: cursor, start: start, lineage: lineage)
    var (count, length) = (0, 0)
    while base.version.sequence >= start, base.gap == nil {
      guard let edit = window[base.version.sequence] else { break }
      if base.version.stepBack(edit) { continue }
      guard count < Self.removedCountMax, length < ShownText.deletedMax,
        let removed = removedText(by: edit)
      else { break }
      (count, length) = (count + 1, length + removed.count)
      let gap = base.version.stepBack(edit, removed: removed)
      if gap?.length != 0 { base.gap = gap }
      if gap == nil { break }
    }
    guard base.version.sequence != cursor.sequence else { return nil }
    if base.version.sequence < start || base.gap != nil { stepBase = base }
    return base
  }

  /// The text that an edit removed, or its beginning. Nil if it is not known yet; then it is asked for, one at a
  /// time.
  private mutating func removedText(by edit: EditPreview) -> UTF16Text? {
    if let text = removedTexts[edit.sequence] { return text }
    let isAsked = outstanding.contains { if case .removed = $0 { true } else { false } }
    if !isAsked, playing == nil, cursor?.sequence == goal {
      let (start, length) = (edit.range.location, min(edit.removedLength, ShownText.deletedMax))
      ask(.removed(by: edit.sequence, UTF16Range(start..<start + length)))
    }
    return nil
  }

  mutating func showRemoved(_ text: UTF16Text, by edit: SequenceNumber) {
    if removedTexts.count >= 2 * Self.removedCountMax { removedTexts = [:] }
    removedTexts[edit] = text
  }

  /// The first edit of the step with this edit, or the first of a bounded number before it.
  func stepStart(_ sequence: SequenceNumber) -> SequenceNumber {
    var first = sequence
    while first > 1, sequence - first < Self.stepLengthMax, window[first]?.isContinuation == true,
      window[first - 1] != nil
    {
      first -= 1
    }
    return first
  }

  /// The last edit of the step with this edit, as far as it is known.
  func stepEnd(_ sequence: SequenceNumber) -> SequenceNumber {
    var last = sequence
    while last < latest, last - sequence < Self.stepLengthMax,
      window[last + 1]?.isContinuation == true
    {
      last += 1
    }
    return last
  }

  // MARK: - Rows

  private var layout: GridLayout {
    GridLayout(options: .screen(width: areas.textWidth))
  }

  /// The rows in view.
  func rowsInView() -> [GridRow] {
    guard let shown, areas.text.height > 0 else { return [] }
    var layout = layout
    let start = layout.place(of: topOffset(in: shown), in: shown.text)
    return layout.rows(from: start, count: areas.text.height, of: shown.text)
  }

  private var lengthShown: Int { cursor?.text.length ?? 0 }

  /// The offset of the place of the user in the shown text.
  func placeOffset(in shown: ShownText) -> Int {
    shown.offset(of: min(place, lengthShown)) - placeInset
  }

  private func topOffset(in shown: ShownText) -> Int {
    shown.offset(of: min(top, lengthShown)) - topInset
  }

  /// Moves the place of the user to an offset in the shown text.
  private mutating func setPlace(_ offset: Int, _ shown: ShownText) {
    place = shown.place(of: offset)
    placeInset = max(0, shown.offset(of: place) - offset)
  }

  /// Moves the place of the user, and the view, to the first unit that is shown.
  mutating func goToStart() {
    (top, place) = (0, 0)
    guard let shown else { return }
    (topInset, placeInset) = (shown.offset(of: 0), shown.offset(of: 0))
  }

  /// Moves the view so that the place of the user is in it.
  mutating func showPlace() {
    guard let shown, areas.text.height > 0 else { return }
    var layout = layout
    let row = layout.place(of: placeOffset(in: shown), in: shown.text)
    let first = layout.place(of: topOffset(in: shown), in: shown.text)
    let last = layout.place(areas.text.height - 1, from: first, in: shown.text)
    // At the top and at the bottom, some rows around the place are shown too.
    let margin = min(2, (areas.text.height - 1) / 2)
    if row < first || row > last {
      setTop(layout.place(-(areas.text.height / 3), from: row, in: shown.text), &layout)
    } else if layout.place(-margin, from: row, in: shown.text) < first {
      setTop(layout.place(-margin, from: row, in: shown.text), &layout)
    } else if layout.place(margin, from: row, in: shown.text) > last {
      setTop(
        layout.place(margin - areas.text.height + 1, from: row, in: shown.text), &layout)
    }
  }

  /// Begins the view with a row, or before it, so that the text fills the view if it is long enough.
  private mutating func setTop(_ row: RowPlace, _ layout: inout GridLayout) {
    guard let shown else { return }
    let end = layout.place(of: shown.text.length, in: shown.text)
    let row = min(row, layout.place(1 - areas.text.height, from: end, in: shown.text))
    let units = layout.rows(from: row, count: 1, of: shown.text).first?.units
    let offset = units?.location ?? 0
    top = shown.place(of: offset)
    topInset = max(0, shown.offset(of: top) - offset)
  }

  /// Moves the place of the user some rows down, or up.
  mutating func movePlace(_ count: Int) {
    guard let shown else { return }
    var layout = layout
    let row = layout.place(of: placeOffset(in: shown), in: shown.text)
    let target = layout.place(count, from: row, in: shown.text)
    let units = layout.rows(from: target, count: 1, of: shown.text).first?.units
    setPlace(units?.location ?? shown.text.length, shown)
    showPlace()
  }

  /// Moves the view some rows down, or up, and the place of the user with it if it would leave it.
  mutating func scroll(_ count: Int) {
    guard let shown else { return }
    var layout = layout
    let first = layout.place(of: topOffset(in: shown), in: shown.text)
    setTop(layout.place(count, from: first, in: shown.text), &layout)
    keepPlaceInView()
  }

  private mutating func keepPlaceInView() {
    let rows = rowsInView()
    guard let shown, let first = rows.first?.units, let last = rows.last?.units else { return }
    let offset = placeOffset(in: shown)
    if offset < first.location { setPlace(first.location, shown) }
    if offset > last.upperBound { setPlace(last.location, shown) }
  }

  /// Moves the place of the user to a row of the view.
  mutating func select(row: Int) {
    let rows = rowsInView()
    guard let shown, rows.indices.contains(row), let units = rows[row].units else { return }
    setPlace(units.location, shown)
  }

  /// The line with the place of the user, counted from 1.
  var placeLine: Int {
    guard let cursor else { return 1 }
    return cursor.text.line(at: min(place, cursor.text.length)) + 1
  }

  // MARK: - What the view needs

  /// Asks for what the view shows besides the text, if it is not known.
  mutating func updateRequests() {
    guard let cursor, cursor.sequence == goal, playing == nil else { return }
    if showsBlame, goal > 0, let lines = linesInView() {
      let isKnown =
        blame.map {
          $0.at == goal && $0.lines.lowerBound <= lines.lowerBound
            && $0.lines.upperBound >= lines.upperBound
        } ?? false
      let isAsked = outstanding.contains { if case .blame = $0 { true } else { false } }
      if !isKnown, !isAsked { ask(.blame(at: goal, lines: lines)) }
    }
    let isWanted =
      latest <= Self.stepsCountedMax
      || areas.steps != nil && (showsSteps == true || latest <= Self.stepsAskedMax)
    if isWanted, !hasSteps { ask(.steps) }
  }

  /// The length of a history whose undo steps are always asked for, and of one where they are if the pane
  /// is shown. Of a longer one, they are asked for by a key.
  private static let (stepsCountedMax, stepsAskedMax): (SequenceNumber, SequenceNumber) =
    (100_000, 1_000_000)

  /// The lines in view, counted from 1; nil without text.
  private func linesInView() -> ClosedRange<Int>? {
    let rows = rowsInView()
    guard let cursor, let shown, let first = rows.first?.units, let last = rows.last?.units else {
      return nil
    }
    let lower = min(shown.place(of: first.location), cursor.text.length)
    let upper = min(shown.place(of: last.location), cursor.text.length)
    return cursor.text.line(at: lower) + 1...cursor.text.line(at: max(lower, upper)) + 1
  }
}
