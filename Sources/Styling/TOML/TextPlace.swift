/// A place in a file: line and column, both counted from 1. A column is a Unicode scalar.
public struct TextPlace: Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public var line: Int
  /// The column, from 1.
  public var column: Int

  /// A place.
  public init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

  /// `line 3, column 5`.
  public var description: String { "line \(line), column \(column)" }
}

/// What is wrong in a file of rules, and where.
public struct RulesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file, as it was named; nil for the file that was given.
  public var file: String?
  /// Where the problem is.
  public var place: TextPlace
  /// The problem, and what to do.
  public var problem: String

  /// An error.
  public init(_ place: TextPlace, _ problem: String, file: String? = nil) {
    (self.place, self.problem, self.file) = (place, problem, file)
  }

  /// One line: the place, and the problem.
  public var description: String {
    (file.map { "\($0), " } ?? "") + "\(place): \(problem)"
  }
}
