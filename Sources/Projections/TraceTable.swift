/// Traces as a table for printing: one row per deletion, then percentiles.
public struct TraceTable: Hashable, Sendable {
  /// The unit of the numbers of a column.
  public enum Unit: Hashable, Sendable {
    case count
    case nanoseconds
  }

  /// A column.
  public struct Column: Hashable, Sendable {
    /// Its heading.
    public let title: String
    /// The unit of its numbers.
    public let unit: Unit
  }

  /// A row: its label, and one number a column; nil if there is none.
  public struct Row: Hashable, Sendable {
    /// The edit's sequence number, or the percentile's name.
    public let label: String
    /// The numbers.
    public let cells: [UInt64?]
  }

  /// The columns.
  public let columns: [Column]
  /// The deletions, in order.
  public let rows: [Row]
  /// p50, p90, p99 and max of each column; empty if there are no rows.
  public let percentiles: [Row]

  /// The table of these traces. O(n log n).
  public init(_ traces: [DeletionTrace]) {
    columns =
      ["units", "paragraphs", "of units", "of paragraphs"].map { Column(title: $0, unit: .count) }
      + (TracePhase.allCases.map(\.rawValue) + ["total", "linear"])
      .map { Column(title: $0, unit: .nanoseconds) }
    rows = traces.map { Row(label: "\($0.sequence)", cells: Self.cells($0)) }
    percentiles = rows.isEmpty ? [] : Self.percentiles(of: rows)
  }

  private static func cells(_ trace: DeletionTrace) -> [UInt64?] {
    let sizes = [
      trace.unitsDeleted, trace.paragraphsDeleted, trace.unitsBefore, trace.paragraphsBefore,
    ]
    return sizes.map { UInt64($0) } + TracePhase.allCases.map { trace.duration(of: $0) }
      + [trace.duration, trace.linear?.duration]
  }

  private static func percentiles(of rows: [Row]) -> [Row] {
    let columns = (rows.first?.cells ?? []).indices.map { column in
      rows.compactMap { $0.cells[column] }.sorted()
    }
    return [("p50", 50), ("p90", 90), ("p99", 99), ("max", 100)].map { label, percent in
      Row(label: label, cells: columns.map { percentile(percent, of: $0) })
    }
  }

  /// The nearest rank: the smallest value that `percent` of all do not exceed.
  static func percentile(_ percent: Int, of sorted: [UInt64]) -> UInt64? {
    sorted.isEmpty ? nil : sorted[max(0, (percent * sorted.count + 99) / 100 - 1)]
  }
}
