import EditModel

/// Collects attribute changes by paragraph.
struct RestyledParagraphs {
  private let state: StateCore
  /// The paragraph of the last change.
  private(set) var place: ParagraphPlace
  /// Its changed range, from the first to the last changed unit.
  private var changed = 0..<0
  private var gathered: [ParagraphEvent] = []

  /// A collection without changes, for the paragraphs of `state`. The first change is expected at
  /// `offset`.
  init(_ state: StateCore, at offset: Int) {
    self.state = state
    place = state.paragraphPlace(at: offset)
  }

  /// Adds a range of the text whose attributes changed, after all ranges before. O(paragraphs in
  /// it), and O(log n) to find another paragraph.
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
