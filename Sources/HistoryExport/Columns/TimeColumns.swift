import EditModel

/// The times of edits as differences: in units of 10 ms, or of 1 ms with the nanoseconds that remain.
struct TimeColumns: Sendable {
  /// True if no time is rounded.
  let isExact: Bool
  /// The time of the first edit, in units.
  private(set) var first: Int64 = 0
  private var (times, nanoseconds) = (ColumnWriter(), ColumnWriter())
  private var last: Int64?

  /// Milliseconds of a unit.
  var unit: Int64 { isExact ? 1 : 10 }

  init(isExact: Bool) { self.isExact = isExact }

  /// Adds the time of the next edit. Times never descend.
  mutating func append(_ time: Timestamp) {
    let size = unit * 1_000_000
    var (units, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: size)
    if rest < 0 { (units, rest) = (units - 1, rest + size) }
    // Rounding to the nearest unit.
    if !isExact, rest * 2 >= size { units += 1 }
    if last == nil { first = units }
    times.append(UInt64(clamping: units - (last ?? units)))
    if isExact { nanoseconds.append(UInt64(rest)) }
    last = units
  }

  /// The columns: differences, and nanoseconds, which are empty if times are rounded.
  var columns: [[UInt8]] { [times.bytes, nanoseconds.bytes] }
}
