import EditJSON

/// Why a file cannot be imported, and where in it.
public struct InterchangeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and what is expected.
  public let what: String
  /// The line of the error, from 1; nil if it is not at one place. LF, CR and CR LF end a line.
  public let line: Int?
  /// The column of the error, from 1, in code points; nil if it is not at one place.
  public let column: Int?

  /// An error without a place.
  init(_ what: String) { (self.what, line, column) = (what, nil, nil) }

  /// An error at a byte of a file. O(offset).
  ///
  /// - Parameters:
  ///   - what: What is wrong.
  ///   - offset: The position of the error, in bytes.
  ///   - bytes: The file.
  init(_ what: String, at offset: Int, in bytes: [UInt8]) {
    self.what = what
    var (line, column) = (1, 1)
    for (index, byte) in bytes.prefix(offset).enumerated() {
      let isBreak =
        byte == 0x0A || byte == 0x0D && !(index + 1 < bytes.count && bytes[index + 1] == 0x0A)
      if isBreak {
        (line, column) = (line + 1, 1)
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    (self.line, self.column) = (line, column)
  }

  /// What is wrong, and where.
  public var description: String {
    guard let line, let column else { return what }
    return "line \(line), column \(column): \(what)"
  }
}

extension InterchangeError {
  /// Checks that a file is UTF-8. O(n).
  ///
  /// - Parameter bytes: The file.
  /// - Throws: `InterchangeError` at the first byte that is not.
  static func checkUTF8(_ bytes: [UInt8]) throws(InterchangeError) {
    do throws(UTF8.ValidationError) { _ = try UTF8Span(validating: bytes.span) } catch {
      throw InterchangeError(
        "the bytes are not UTF-8; convert the file first", at: error.byteOffsets.lowerBound,
        in: bytes)
    }
  }

  /// The JSON in a file. O(n).
  ///
  /// - Parameter bytes: The file.
  /// - Returns: The value.
  /// - Throws: `InterchangeError` at the byte that is not JSON.
  static func json(_ bytes: [UInt8]) throws(InterchangeError) -> JSON {
    do throws(JSONError) { return try JSON.parse(bytes, limits: .message) } catch {
      throw InterchangeError("not JSON: \(error.problem)", at: error.offset, in: bytes)
    }
  }
}
