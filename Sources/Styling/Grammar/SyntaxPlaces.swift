public import EditModel
import TextState

/// What a grammar knows at places of a text, kept from one version of the text to the next.
///
/// To style a paragraph, the state at its start must be known, which depends on all text before. Some
/// states are kept, one about each `interval` UTF-16 units, so only the text after the last of them is
/// read. An edit makes the state of the next place uncertain: the text from the place before the edit is
/// read again, and if the state at the next place is what it was, all that follow hold. This is done when
/// a state after it is asked for, and only up to there.
public struct SyntaxPlaces: Sendable {
  /// The state before the paragraph that begins at `offset`.
  private struct Place: Sendable {
    var offset: Int
    var state: SyntaxState
    /// True if the next place's state may not follow from this one: the text between them changed, or
    /// this state did.
    var isStale = false
  }

  /// Places, at most. Beyond them, every second one is dropped, and the distances double.
  private let countMax: Int
  /// UTF-16 units between places, at least.
  private var interval: Int
  /// Ascending. The first is the start of the text.
  private var places = [Place(offset: 0, state: SyntaxState())]
  /// UTF-16 units that were read so far, to find states.
  public private(set) var readLength = 0

  /// Nothing is known.
  public init() { self.init(interval: 1 << 12, countMax: 1 << 15) }

  /// Nothing is known, with other distances, for tests.
  init(interval: Int, countMax: Int) {
    (self.interval, self.countMax) = (max(interval, 1), max(countMax, 2))
  }

  /// The places at which a state is known.
  public var count: Int { places.count }

  /// Follows an edit of the text, forwards or backwards. O(places).
  ///
  /// - Parameters:
  ///   - range: The replaced range, in UTF-16 units of the text before.
  ///   - changeInLength: The new length of the range minus the old one.
  public mutating func follow(replacing range: UTF16Range, changeInLength: Int) {
    // The paragraph at a place that the edit touches may begin elsewhere.
    let first = max(1, places.partitionPoint { $0.offset < range.location })
    let end = max(first, places.partitionPoint { $0.offset <= range.upperBound })
    places.removeSubrange(first..<end)
    places[first - 1].isStale = true
    for index in first..<places.count { places[index].offset += changeInLength }
  }

  /// The state before a paragraph.
  ///
  /// O(places + text that is read). If it has to read more than `lengthMax` units, it keeps what it
  /// found, and a later call goes on from there.
  ///
  /// - Parameters:
  ///   - paragraph: The paragraph, by index.
  ///   - text: The version, up to which edits were followed.
  ///   - styler: The rules, always the same.
  ///   - lengthMax: UTF-16 units that are read, at most.
  ///   - isCancelled: Asked before each paragraph.
  /// - Returns: The state; nil if more would have to be read, or `isCancelled` returned true.
  mutating func state(
    before paragraph: Int, in text: TextState, _ styler: inout ParagraphStyler, lengthMax: Int,
    isCancelled: () -> Bool
  ) -> SyntaxState? {
    let target = text.paragraph(at: paragraph).range.location
    var left = lengthMax
    while true {
      let last = places.partitionPoint { $0.offset <= target } - 1
      let index = places[..<last].firstIndex(where: \.isStale) ?? last
      let end = index == last ? target : places[index + 1].offset
      guard
        let state = read(
          from: index, to: end, in: text, &styler, &left, isCancelled: isCancelled)
      else { return nil }
      if end == target, index == last { return state }
      // The places that were added lie between, and this one may have been dropped for them.
      let next = places.partitionPoint { $0.offset < end }
      guard next < places.count, places[next].offset == end else { continue }
      places[next - 1].isStale = false
      if places[next].state != state {
        places[next].state = state
        places[next].isStale = next + 1 < places.count
      }
    }
  }

  /// Reads from a place up to an offset, and adds places in between. Returns the state there; nil if
  /// `left` units do not suffice.
  private mutating func read(
    from index: Int, to end: Int, in text: TextState, _ styler: inout ParagraphStyler,
    _ left: inout Int, isCancelled: () -> Bool
  ) -> SyntaxState? {
    var (index, state) = (index, places[index].state)
    guard places[index].offset < end else { return state }
    let (first, last) = (
      text.paragraphIndex(at: places[index].offset), text.paragraphIndex(at: end - 1)
    )
    for paragraph in text.paragraphs[first..<last + 1] {
      guard left > 0, !isCancelled() else { return nil }
      if paragraph.range.location - places[index].offset >= interval {
        let isStale = places[index].isStale
        places[index].isStale = false
        index += 1
        places.insert(
          Place(offset: paragraph.range.location, state: state, isStale: isStale), at: index)
        if places.count > countMax {
          thinOut()
          index = places.partitionPoint { $0.offset <= paragraph.range.location } - 1
        }
      }
      styler.skip(paragraph, in: text, &state)
      left -= paragraph.range.length
      readLength += paragraph.range.length
    }
    return state
  }

  /// Drops every second place.
  private mutating func thinOut() {
    interval *= 2
    var kept: [Place] = []
    kept.reserveCapacity(places.count / 2 + 1)
    for (index, place) in places.enumerated() {
      if index % 2 == 0 {
        kept.append(place)
      } else if place.isStale {
        kept[kept.count - 1].isStale = true
      }
    }
    places = kept
  }
}
