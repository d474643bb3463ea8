import EditModel

/// Gathers where attributes changed, paragraph by paragraph.
struct RestyledParagraphs {
  private let state: StateCore
  /// The paragraph of the last change.
  private(set) var place: ParagraphPlace
  /// What has changed of it, from the first such unit to the last.
  private var changed = 0..<0
  private var gathered: [ParagraphEvent] = []

  /// No change yet in `state`, whose paragraphs say where each change belongs. The first is
  /// expected at `offset`.
  init(_ state: StateCore, at offset: Int) {
    self.state = state
    place = state.paragraphPlace(at: offset)
  }

  /// Takes in a stretch of the text whose attributes changed, behind all before. O(paragraphs in
  /// it), and O(log n) to go to another paragraph.
  mutating func append(_ change: Range<Int>) {
    var lower = change.lowerBound
    while lower < change.upperBound {
      var end = place.start + state.paragraphRecords[place.index].length
      if lower >= end {
        close()
        if lower == end {
          state.stepForward(&place)
        } else {
          place = state.paragraphPlace(at: lower)
        }
        end = place.start + state.paragraphRecords[place.index].length
      }
      let upper = min(change.upperBound, end)
      changed = (changed.isEmpty ? lower : changed.lowerBound)..<upper
      lower = upper
    }
  }

  /// An event for each paragraph with a change, in order.
  mutating func events() -> [ParagraphEvent] {
    close()
    return gathered
  }

  private mutating func close() {
    guard !changed.isEmpty else { return }
    gathered.append(
      .attributesChanged(
        index: place.index, descriptor: state.descriptor(at: place), range: UTF16Range(changed)))
    changed = 0..<0
  }
}
