public import EditModel

/// Text with its attributes: what leaves a version as a file, and what a file brings in.
///
/// Runs are maximal and cover the text exactly, as those of a state do. So two styled texts are equal
/// if states that hold them are.
public struct AttributedText: Hashable, Sendable {
  private var units: [UInt16] = []
  /// The attributes of all units, in order. The lengths, in UTF-16 units, add up to `count`.
  public private(set) var runs: [AttributeRun] = []

  /// The empty text.
  public init() {}

  /// A text with these runs, of which neighbours with equal attributes are joined. O(n).
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - runs: The attributes of its units.
  /// - Throws: `EditError` if the runs do not cover the text exactly.
  public init(_ text: UTF16Text, runs: [AttributeRun]) throws(EditError) {
    _ = try EditAction(range: UTF16Range(0..<0), replacement: text, attributes: .set(runs))
    units = text.units
    for run in runs { add(run.length, run.attributes) }
  }

  /// A text whose units all have the same attributes. O(n).
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - attributes: The attributes of each unit.
  public init(_ text: UTF16Text, _ attributes: AttributeSet = .empty) {
    units = text.units
    add(units.count, attributes)
  }

  /// The units, lone surrogates included. O(1).
  public var text: UTF16Text { UTF16Text(units: units) }
  /// The number of UTF-16 units.
  public var count: Int { units.count }
  /// True if there are no units.
  public var isEmpty: Bool { units.isEmpty }

  /// Adds units with the same attributes at the end. Amortised O(units), and the comparison with the
  /// attributes of the last unit.
  ///
  /// - Parameters:
  ///   - units: The units.
  ///   - attributes: The attributes of each unit.
  public mutating func append(_ units: some Collection<UInt16>, _ attributes: AttributeSet) {
    self.units += units
    add(units.count, attributes)
  }

  /// Adds another text at the end. Amortised O(its units and runs).
  ///
  /// - Parameter other: The text to add.
  public mutating func append(_ other: AttributedText) {
    units += other.units
    for run in other.runs { add(run.length, run.attributes) }
  }

  /// Removes units from the end. O(their number).
  ///
  /// - Parameter count: The number of units; all if there are fewer.
  public mutating func removeLast(_ count: Int) {
    var rest = min(max(0, count), units.count)
    units.removeLast(rest)
    while rest > 0, let last = runs.last {
      guard last.length > rest else {
        runs.removeLast()
        rest -= last.length
        continue
      }
      runs[runs.count - 1].length -= rest
      rest = 0
    }
  }

  private mutating func add(_ length: Int, _ attributes: AttributeSet) {
    guard length > 0 else { return }
    if let last = runs.last, last.attributes == attributes {
      runs[runs.count - 1].length += length
    } else {
      runs.append(AttributeRun(length: length, attributes: attributes))
    }
  }

  /// Calls `body` with the units. O(1).
  func withUnits<Result>(_ body: (ArraySlice<UInt16>) throws -> Result) rethrows -> Result {
    try body(units[...])
  }

  /// Calls `body` with the units and the attributes of each run, in order. O(runs).
  func forEachRun(_ body: (ArraySlice<UInt16>, AttributeSet) -> Void) {
    var start = 0
    for run in runs {
      body(units[start..<start + run.length], run.attributes)
      start += run.length
    }
  }
}
