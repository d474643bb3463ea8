import EditModel
import TextState

/// The cost of deleting all paragraphs but the first and the last, here and by the list algorithm
/// whose cost is quadratic.
public struct DeletionYardstick: Hashable, Sendable {
  /// Paragraphs of the document, of 40 UTF-16 units each.
  public let paragraphs: Int
  /// The duration of the deletion in `TextState`, its events read, in nanoseconds.
  public let duration: UInt64
  /// The duration by the list algorithm, in nanoseconds.
  public let linear: UInt64
  /// The number of paragraphs with which `linear` was measured. If it is less than `paragraphs`,
  /// `linear` is what was measured times the square of their ratio.
  public let linearParagraphs: Int

  /// True if `linear` was extrapolated from a smaller document.
  public var isExtrapolated: Bool { linearParagraphs < paragraphs }

  /// The maximum number of paragraphs with which the list algorithm is run: a tenth of a second.
  public static let linearParagraphsMax = 16_000

  /// Measures a document of `paragraphs` paragraphs, at least 3 and at most 1,000,000.
  ///
  /// - Returns: Nil if the number is outside these bounds.
  public init?(paragraphs: Int, clock: TraceClock) {
    guard (3...1_000_000).contains(paragraphs) else { return nil }
    let measured = min(paragraphs, Self.linearParagraphsMax)
    guard let duration = Self.duration(paragraphs, clock),
      let linear = Self.linear(measured, clock)
    else { return nil }
    let ratio = Double(paragraphs) / Double(measured)
    (self.paragraphs, linearParagraphs, self.duration) = (paragraphs, measured, duration)
    self.linear = UInt64(Double(linear) * ratio * ratio)
  }

  private static let length = 40

  private static func document(_ paragraphs: Int) -> (state: TextState, deletion: EditAction)? {
    let line = [UInt16](repeating: 0x61, count: length - 1) + [0x0A]
    var units: [UInt16] = []
    units.reserveCapacity(paragraphs * length)
    for _ in 0..<paragraphs { units += line }
    var state = TextState()
    let load = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(units: units))
    guard (try? state.apply(load)) != nil else { return nil }
    let range = UTF16Range(length..<(paragraphs - 1) * length)
    return (state, EditAction(replacing: range, with: UTF16Text()))
  }

  private static func duration(_ paragraphs: Int, _ clock: TraceClock) -> UInt64? {
    guard let (loaded, deletion) = document(paragraphs) else { return nil }
    var state = loaded
    let start = clock()
    guard let change = try? state.apply(deletion) else { return nil }
    var removed = 0
    for case .removed in change.paragraphEvents { removed += 1 }
    let end = clock()
    return removed == paragraphs - 2 ? max(end, start) - start : nil
  }

  private static func linear(_ paragraphs: Int, _ clock: TraceClock) -> UInt64? {
    guard let (state, deletion) = document(paragraphs) else { return nil }
    return withoutActuallyEscaping(clock) { clock in
      var list = LinearParagraphs(state, clock: clock)
      return list.apply(deletion).duration
    }
  }
}
