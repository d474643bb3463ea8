import CBaselines

/// What a piece of work asks of malloc.
enum Allocations {
  /// False if they cannot be counted: figures about memory are then not listed.
  static var areCountable: Bool { can_count_allocations() }

  /// The result of `body`, and the allocations of this thread until it returned.
  static func count<Result>(
    _ body: () throws -> Result
  ) rethrows -> (result: Result, counts: allocation_counts) {
    start_counting()
    defer { _ = stop_counting() }
    let result = try body()
    return (result, stop_counting())
  }
}
