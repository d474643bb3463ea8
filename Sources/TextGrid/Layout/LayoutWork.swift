/// What a layout has done, in steps that are the same on each machine.
public struct LayoutWork: Hashable, Sendable {
  /// Windows of paragraphs that were cut into clusters.
  public internal(set) var windows = 0
  /// UTF-16 units in them.
  public internal(set) var units = 0
  /// Rows that were found.
  public internal(set) var rows = 0

  /// No work.
  public init() {}

  /// The work done since `earlier`.
  public func since(_ earlier: LayoutWork) -> LayoutWork {
    var work = self
    work.windows -= earlier.windows
    work.units -= earlier.units
    work.rows -= earlier.rows
    return work
  }
}
