public import EditModel
import TextState

/// Every UTF-16 unit that ever existed in a text: where it stands, which edit inserted it, which edits
/// deleted it, and which edits are undone.
///
/// Blame, search over history and undo of a selection read it. Two sets define the text:
///
/// - the edits, except those that realise an undo or a redo (`realise`);
/// - `undone`, the edits among them that are taken back.
///
/// A unit is visible if and only if the edit that inserted it is not undone, and every edit that
/// deleted it is undone. So an undo of any selection of edits changes nothing but `undone`; the order
/// of undos does not matter; and nothing that others wrote or deleted is touched.
///
/// A typing run is one element of a tree, a removed range another. Typing costs O(1), another edit
/// O(log runs + runs it removes). Sources: Berlage (1994), Prakash and Knister (1994), and Yu, Elvinger
/// and Ignat (2019) on selective undo; Weiss, Urso and Molli (2010) on the order.
public struct Provenance: Sendable {
  /// All units in order, dead ones included.
  var order = UnitOrder()
  /// Their text, by number.
  var text = UnitText()
  var insertions = InsertionLog()
  var deletions = DeletionLog()
  /// The deletions by unit, once an undo has needed them.
  private var keptDeleters: UnitDeletions?
  var styles = StyleLog()
  /// What undos and redos made visible and dead.
  var flips = UnitFlips()
  /// What was cut and pasted.
  var moves = UnitMoves()
  /// The edits that are taken back.
  public internal(set) var undone = SequenceSet()

  /// The empty document.
  public init() {}

  /// UTF-16 units of the text.
  public var length: Int { order.visibleCount }

  /// UTF-16 units that ever existed.
  public var unitCount: Int { order.count }

  /// A history that starts at this version, as if one edit had inserted its text.
  init(of state: TextState) {
    guard state.length > 0 else { return }
    let action = EditAction(replacing: UTF16Range(0..<0), with: state.text)
    let edit = Edit(sequence: state.sequence, action: action)
    apply(edit, newRuns: edit.newRuns(in: state))
  }

  /// Applies an edit that realises no undo. It must fit the text.
  ///
  /// - Parameters:
  ///   - edit: The edit.
  ///   - newRuns: The attributes of its replacement; nil if it has none, or all are plain.
  mutating func apply(_ edit: borrowing Edit, newRuns: [AttributeRun]? = nil) {
    apply(edit.action, edit.sequence, at: edit.time)
    guard newRuns != nil || edit.action.replacement == nil else { return }
    note(edit.action.attributes, newRuns ?? [], copy edit)
  }

  /// Notes the attributes that an edit changed. `runs` are those of its replacement.
  private mutating func note(
    _ change: AttributeChange, _ runs: [AttributeRun], _ edit: Edit
  ) {
    var location = edit.action.range.location
    func note(_ style: StyleLog.Style, _ length: Int, _ provenance: inout Provenance) {
      var units: [Range<Int>] = []
      provenance.order.forEachVisible(in: location..<location + length) { units.append($0) }
      for units in units { provenance.styles.append(style, to: units, by: edit.sequence) }
      location += length
    }
    if edit.action.replacement != nil {
      for run in runs { note(.set(run.attributes), run.length, &self) }
      return
    }
    switch change {
    case .inherit: break
    case .set(let runs): for run in runs { note(.set(run.attributes), run.length, &self) }
    case .merge(let runs): for run in runs { note(.merge(run.attributes), run.length, &self) }
    case .remove(let names): note(.remove(names), edit.action.range.length, &self)
    }
  }

  /// Applies the change of the text.
  mutating func apply(_ action: EditAction, _ sequence: SequenceNumber, at time: Timestamp) {
    guard let replacement = action.replacement else { return }
    let range = action.range.bounds
    if !range.isEmpty { remove(range, by: sequence, at: time) }
    guard !replacement.isEmpty else { return }
    let units = insert(replacement, at: range.lowerBound, by: sequence)
    guard !moves.recent.isEmpty else { return }
    let text = replacement.units
    if moves.mayMove(text.count, text.contains(where: \.endsLine)) {
      moves.noteInsertion(units, text, at: time)
    }
  }

  private mutating func remove(
    _ range: Range<Int>, by sequence: SequenceNumber, at time: Timestamp
  ) {
    var removed: [Range<Int>] = []
    let isLong = range.count > 1 && range.count <= moves.rule.lengthMax
    order.remove(range) { units in
      deletions.append(units, by: sequence)
      keptDeleters?.insert(units, by: sequence)
      if isLong { removed.append(units) }
    }
    guard isLong else { return }
    let units = removed.flatMap { text[$0] }
    if moves.mayMove(units.count, units.contains(where: \.endsLine)) {
      moves.noteRemoval(removed, units, at: time)
    }
  }

  @discardableResult
  private mutating func insert(
    _ replacement: UTF16Text, at location: Int, by sequence: SequenceNumber
  ) -> Range<Int> {
    text.append(replacement)
    insertions.append(replacement.count, by: sequence)
    return order.insert(replacement.count, at: location)
  }

  // MARK: Visibility

  /// The deletions by unit. O(1) after an undo, else O(n log n) of the deletions.
  var deleters: UnitDeletions { keptDeleters ?? deletions.byUnit }

  /// The units in a range that are visible if the edits of `undone` are undone.
  func visible(
    in units: Range<Int>, undone: SequenceSet, _ deleters: UnitDeletions
  ) -> NumberRanges {
    var dead = insertions.units(of: units, insertedBy: undone)
    deleters.forEach(in: units) { units, sequence, step in
      if step == 0 {
        if !undone.contains(sequence) { dead.append(units) }
        return
      }
      let count = SequenceNumber(units.count - 1)
      let last = step > 0 ? sequence + count : sequence - count
      for gap in undone.gaps(in: min(sequence, last)...max(sequence, last)) {
        let offsets =
          step > 0
          ? Int(gap.lowerBound - sequence)...Int(gap.upperBound - sequence)
          : Int(sequence - gap.upperBound)...Int(sequence - gap.lowerBound)
        dead.append(
          units.lowerBound + offsets.lowerBound..<units.lowerBound + offsets.upperBound + 1)
      }
    }
    let hidden = NumberRanges(dead)
    return NumberRanges(hidden.parts(of: units).compactMap { $0.isIn ? nil : $0.range })
  }

  /// The units that edits inserted or deleted.
  private func units(touchedBy set: SequenceSet) -> NumberRanges {
    NumberRanges(set.ranges.flatMap { [insertions.units(of: $0)] + deletions.units(of: $0) })
  }

  /// The units that vanish and those that come back if `change` is made. O(units' runs that its
  /// edits inserted or deleted).
  func effect(of change: UndoneChange) -> (hidden: NumberRanges, shown: NumberRanges) {
    let (target, deleters) = (change.applied(to: undone), deleters)
    var (before, after): ([Range<Int>], [Range<Int>]) = ([], [])
    for units in units(touchedBy: change.undone.union(change.redone)).ranges {
      before += visible(in: units, undone: undone, deleters).ranges
      after += visible(in: units, undone: target, deleters).ranges
    }
    let (old, new) = (NumberRanges(before), NumberRanges(after))
    return (old.subtracting(new), new.subtracting(old))
  }

  // MARK: Undo and redo

  /// The replacements that make a change of `undone` in the text: ascending, with ranges of the text
  /// before all of them. Between two of them stands a unit that stays. O(runs).
  func plan(_ change: UndoneChange) -> [UnitReplacement] {
    let (hidden, shown) = effect(of: change)
    guard !hidden.isEmpty || !shown.isEmpty else { return [] }
    var plan: [UnitReplacement] = []
    var isOpen = false
    var location = 0
    order.forEachRun { units, isVisible in
      let flipped = isVisible ? hidden : shown
      for (part, flips) in flipped.parts(of: units) {
        if flips {
          if !isOpen {
            plan.append(UnitReplacement(range: location..<location))
            isOpen = true
          }
          if isVisible {
            plan[plan.count - 1].removed.append(part)
            plan[plan.count - 1].range =
              plan[plan.count - 1].range.lowerBound..<location + part.count
          } else {
            plan[plan.count - 1].inserted.append(part)
          }
        } else if isVisible {
          isOpen = false
        }
        if isVisible { location += part.count }
      }
    }
    return plan
  }

  /// The attributes of the text after `change`, which has been made. `shown` are the units that came back,
  /// and `runs` the attributes that the text has without a change of attributes. O(runs · log runs).
  func attributes(
    after change: UndoneChange, shown: NumberRanges, _ runs: [AttributeRun]
  ) -> [AttributeRun] {
    let styled = styles.units(styledBy: change.undone.union(change.redone))
    let affected = NumberRanges(styled.ranges + shown.ranges)
    guard !affected.isEmpty else { return runs }
    let parts = styles.attributes(of: affected, undone: undone)
    var (result, old) = ([AttributeRun](), runs[...])
    /// Adds the next units, with these attributes or those that they have.
    func append(_ length: Int, _ attributes: AttributeSet?) {
      var length = length
      while length > 0, let run = old.first {
        let part = min(length, run.length)
        result.append(AttributeRun(length: part, attributes: attributes ?? run.attributes))
        length -= part
        if part == run.length {
          old = old.dropFirst()
        } else {
          old[old.startIndex].length -= part
        }
      }
    }
    order.forEachRun { units, isVisible in
      guard isVisible else { return }
      var index = parts.partitionPoint { $0.units.upperBound <= units.lowerBound }
      var next = units.lowerBound
      while next < units.upperBound {
        let part =
          index < parts.count
          ? parts[index].units.clamped(to: units) : units.upperBound..<units.upperBound
        if next < part.lowerBound { append(part.lowerBound - next, nil) }
        if !part.isEmpty { append(part.count, parts[index].attributes) }
        next = max(next, part.upperBound)
        index += 1
      }
    }
    return result
  }

  /// Makes a change of `undone`, if `replacements` do the same to the text. They are ascending, with
  /// ranges of the text before all of them, and a unit stays between two of them.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - replacements: The replacements.
  ///   - first: The number of the first of the edits that make them.
  /// - Returns: False if the text would be another one. Nothing is changed then.
  mutating func realise(
    _ change: UndoneChange, by replacements: [TextReplacement], first: SequenceNumber
  ) -> Bool {
    if keptDeleters == nil { keptDeleters = deletions.byUnit }
    let (hidden, shown) = effect(of: change)
    var missing = hidden.count + shown.count
    var regions: [(runs: [(units: Range<Int>, isVisible: Bool)], hidden: [Range<Int>])] = []
    for replacement in replacements {
      var runs: [(units: Range<Int>, isVisible: Bool)] = []
      var hiddenRuns: [Range<Int>] = []
      var next = 0
      for (units, isVisible) in order.region(around: replacement.range) {
        for (part, flips) in (isVisible ? hidden : shown).parts(of: units) {
          if flips {
            missing -= part.count
            if isVisible { hiddenRuns.append(part) }
          }
          runs.append((part, isVisible != flips))
          guard isVisible != flips else { continue }
          let end = next + part.count
          guard end <= replacement.text.count, text.holds(replacement.text[next..<end], at: part)
          else { return false }
          next = end
        }
      }
      guard next == replacement.text.count else { return false }
      regions.append((runs, hiddenRuns))
    }
    guard missing == 0 else { return false }
    for (replacement, region) in zip(replacements, regions).reversed() {
      order.setRegion(around: replacement.range, region.runs)
      note(region.runs, shownBy: replacement.edits, first)
      let last = first + SequenceNumber(replacement.lastEdit)
      for units in region.hidden { flips.append(units, by: last, isVisible: false) }
    }
    undone = change.applied(to: undone)
    return true
  }

  /// Notes the edits that inserted the visible units of a region, one for each unit.
  private mutating func note(
    _ runs: [(units: Range<Int>, isVisible: Bool)], shownBy edits: ArraySlice<Int32>,
    _ first: SequenceNumber
  ) {
    var next = edits.startIndex
    for (units, isVisible) in runs where isVisible {
      var start = units.lowerBound
      while start < units.upperBound {
        let same = edits[next...].prefix(units.upperBound - start).prefix { $0 == edits[next] }
        flips.append(
          start..<start + same.count, by: first + SequenceNumber(edits[next]), isVisible: true)
        start += same.count
        next += same.count
      }
    }
  }
}

extension Edit {
  /// The attributes of its replacement in the version after it; nil if it has none, or all are plain.
  func newRuns(in state: TextState) -> [AttributeRun]? {
    if state.isPlain || action.newLength == 0 || action.replacement == nil { return nil }
    let runs = state.attributeRuns(in: action.editedRange)
    return runs.contains { !$0.attributes.isEmpty } ? runs : nil
  }
}

extension TextState {
  /// True if no unit has attributes. O(1), or O(log n).
  fileprivate var isPlain: Bool {
    length == 0 || attributeRunCount == 1 && attributes(at: 0).attributes.isEmpty
  }
}

/// A replacement in a text by units that existed before.
struct UnitReplacement: Hashable, Sendable {
  /// The range, in UTF-16 units of the text before.
  var range: Range<Int>
  /// The units that vanish, in order.
  var removed: [Range<Int>] = []
  /// The units that come back, in order.
  var inserted: [Range<Int>] = []
}
