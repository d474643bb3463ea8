public import EditModel

/// Why a JSON value does not have the shape it should: which member, and what it must be.
///
/// It goes into answers and into the daemon's log, so it holds no value that a member has, but for
/// an integer where one belongs: a member of the wrong shape may hold what was typed. Of other
/// values it tells kind and length, and of attributes the place instead of the name.
public struct ShapeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Problem: Hashable, Sendable {
    /// The member must be this; where it is there, what it is instead.
    case mustBe(String, found: String?)
    /// An edit of the right shape that contradicts itself.
    case edit(EditError)
  }

  /// The member's path from the value that was read, `edits[3].location`; empty for the value
  /// itself. Attributes are numbered in it: `attributes[0]`.
  public private(set) var path: String
  /// What is wrong.
  public let problem: Problem

  /// A problem of the member at `path`.
  public init(_ path: String = "", _ problem: Problem) {
    (self.path, self.problem) = (path, problem)
  }

  /// `json`, or its absence, where `expected` should be.
  public init(_ path: String = "", mustBe expected: String, found json: JSON?) {
    self.init(path, .mustBe(expected, found: json.map(\.shape)))
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
}

extension JSON {
  /// The value's kind and length, and nothing of what it says.
  fileprivate var shape: String {
    switch self {
    case .string(let string):
      string.string.map { "a string of \($0.utf8.count) bytes" }
        ?? "a string with half a surrogate pair"
    case .array(let elements): "an array of \(elements.count)"
    case .object(let object): "an object of \(object.members.count)"
    case .null, .bool, .integer, .double: kind
    }
  }
}
