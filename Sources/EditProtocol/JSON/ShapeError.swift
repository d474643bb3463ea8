public import EditModel

/// Why a JSON value does not have the shape it should: which member, and what it must be.
public struct ShapeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Problem: Hashable, Sendable {
    /// The member must be this; where it is there, what it is instead.
    case mustBe(String, found: String?)
    /// An edit of the right shape that contradicts itself.
    case edit(EditError)
  }

  /// The member's path from the value that was read, `edits[3].location`; empty for the value
  /// itself.
  public private(set) var path: String
  /// What is wrong.
  public let problem: Problem

  /// A problem of the member at `path`.
  public init(_ path: String = "", _ problem: Problem) {
    (self.path, self.problem) = (path, problem)
  }

  /// `json`, or its absence, where `expected` should be.
  public init(_ path: String = "", mustBe expected: String, found json: JSON?) {
    self.init(path, .mustBe(expected, found: json.map(Self.show)))
  }

  /// The same error, seen from the value whose member `name` (or `[index]`) was read.
  public func within(_ name: String) -> ShapeError {
    var error = self
    error.path = path.isEmpty || path.hasPrefix("[") ? name + path : "\(name).\(path)"
    return error
  }

  /// One sentence: which member, and what it must be.
  public var description: String {
    let subject = path.isEmpty ? "the value" : path
    switch problem {
    case .mustBe(let expected, let found?): return "\(subject) must be \(expected), but is \(found)"
    case .mustBe(let expected, nil): return "\(subject) must be \(expected), but is missing"
    case .edit(let error): return "\(subject): \(error)"
    }
  }

  /// A value as messages show it: small ones whole, others by their kind.
  private static func show(_ json: JSON) -> String {
    switch json {
    case .bool, .integer, .double: return json.description
    case .string(let string) where string.string == nil:
      return "a string with half a surrogate pair"
    case .string(let string):
      let start = string.description.prefix(40)
      return start.utf8.count == string.description.utf8.count
        ? json.description : "a string that starts with \(JSON(String(start)))"
    default: return json.kind
    }
  }
}
