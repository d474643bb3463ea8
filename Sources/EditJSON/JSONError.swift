/// Why bytes are not a JSON text, or exceed the limits, and at which byte.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Problem: Hashable, Sendable {
    /// The text ends, but `expected` was expected.
    case unexpectedEnd(expected: String)
    /// The byte differs from what was expected.
    case unexpectedByte(UInt8, expected: String)
    /// The bytes are not UTF-8.
    case invalidUTF8
    /// A string has a control character without an escape.
    case controlCharacter(UInt8)
    /// A string has an escape that is not defined in JSON.
    case invalidEscape
    /// A member's name has a lone surrogate. Values may have them.
    case loneSurrogateInName
    /// A number is outside the range of its kind.
    case numberOutOfRange
    /// A number has more than `sizeMax` bytes.
    case numberTooLong(sizeMax: Int)
    /// Arrays and objects nest deeper than `depthMax`.
    case tooDeep(depthMax: Int)
    /// The text has more than `countMax` values.
    case tooManyValues(countMax: Int)
  }

  /// What is wrong.
  public let problem: Problem
  /// The position of the error, in bytes.
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
    case .unexpectedEnd(let expected): "expected \(expected), but the text ends"
    case .unexpectedByte(let byte, let expected):
      "expected \(expected), found \(Self.show(byte))"
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
