/// Why bytes are not a JSON text, or not one that is taken here, and at which byte.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Problem: Hashable, Sendable {
    /// The text ends where this was expected.
    case unexpectedEnd(expected: String)
    /// A byte stands where something else was expected.
    case unexpectedByte(UInt8, expected: String)
    /// The bytes are not UTF-8.
    case invalidUTF8
    /// A control character stands in a string without an escape.
    case controlCharacter(UInt8)
    /// An escape that JSON does not know.
    case invalidEscape
    /// A lone surrogate in a member's name; in values they are kept.
    case loneSurrogateInName
    /// A number outside the range of its kind.
    case numberOutOfRange
    /// A number of more digits than anyone needs.
    case numberTooLong(sizeMax: Int)
    /// Arrays and objects nest too deeply.
    case tooDeep(depthMax: Int)
    /// More values than are held at once.
    case tooManyValues(countMax: Int)
  }

  /// What is wrong.
  public let problem: Problem
  /// Bytes before the place where it is wrong.
  public let offset: Int

  /// A problem at a byte.
  public init(_ problem: Problem, offset: Int) { (self.problem, self.offset) = (problem, offset) }

  /// One sentence: what is wrong, and where.
  public var description: String { "JSON, byte \(offset): \(problem.description)" }
}

extension JSONError.Problem: CustomStringConvertible {
  /// What is wrong.
  public var description: String {
    switch self {
    case .unexpectedEnd(let expected): "the text ends, but \(expected) was expected"
    case .unexpectedByte(let byte, let expected):
      "found \(Self.show(byte)), but \(expected) was expected"
    case .invalidUTF8: "the bytes are not valid UTF-8"
    case .controlCharacter(let byte): "control character \(Self.show(byte)) must be escaped"
    case .invalidEscape: #"this is no JSON escape; there are \" \\ \/ \b \f \n \r \t \uXXXX"#
    case .loneSurrogateInName: "a member's name holds half of a surrogate pair"
    case .numberOutOfRange:
      "integers must lie in -2^63...2^63-1, other numbers in the range of a double"
    case .numberTooLong(let sizeMax): "a number may have \(sizeMax) bytes"
    case .tooDeep(let depthMax): "arrays and objects may nest \(depthMax) deep"
    case .tooManyValues(let countMax): "a text may hold \(countMax) values"
    }
  }

  private static func show(_ byte: UInt8) -> String {
    (0x21...0x7E).contains(byte)
      ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x" + String(byte, radix: 16)
  }
}
