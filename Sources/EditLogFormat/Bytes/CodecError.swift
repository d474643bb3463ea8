/// Why bytes cannot be decoded, and at which byte.
@usableFromInline
package struct CodecError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem. The raw values are the texts of the messages.
  @usableFromInline
  package enum Problem: String, Sendable {
    case truncated = "the bytes end too early"
    case trailing = "there are bytes after the end"
    case overlong = "a number is not in its shortest form"
    case tooLarge = "a number is larger than its bound"
    case unknown = "a kind, a version or a flag is unknown"
    case utf8 = "a string is not valid UTF-8"
    case wtf8 = "a text is not valid WTF-8"
    case name = "a name is empty or too long"
    case unsorted = "names are unsorted or doubled"
    case tooDeep = "a value is nested too deep"
    case action = "an edit is not well formed"
    case place = "an entry is not in its place"
    case mismatch = "two places that must agree do not"
    case checksum = "a checksum does not agree"
    case frame = "the compressed frame is not one this format allows"
  }

  /// What is wrong.
  @usableFromInline
  package let problem: Problem
  /// The offset of the problem in bytes, from the start of the outermost reader.
  @usableFromInline
  package let offset: Int

  @inlinable
  package init(_ problem: Problem, at offset: Int) {
    (self.problem, self.offset) = (problem, offset)
  }

  /// One sentence: what is wrong, and where.
  @usableFromInline
  package var description: String { "\(problem.rawValue) (at byte \(offset))" }
}
