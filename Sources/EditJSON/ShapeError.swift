public import EditModel

/// Why a JSON value has the wrong shape: the member, and the expected type.
///
/// It is sent in answers and written to the daemon's log. So it contains no values of members,
/// which may be typed text, except integers out of their range. Of other values it has the kind and
/// the length, and of attributes the index instead of the name.
public struct ShapeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Problem: Hashable, Sendable {
    /// The expected type, and what was found instead; nil if the member is absent.
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

  /// `expected` was expected, but `json` was found; nil if the member is absent.
  public init(_ path: String = "", mustBe expected: String, found json: JSON?) {
    self.init(path, .mustBe(expected, found: json.map(\.shape)))
  }

  /// The same error with the member `name` (or `[index]`) added at the front of its path.
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
  /// The value's kind and length, without its content.
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
