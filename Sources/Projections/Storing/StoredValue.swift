/// A value that can be stored as bytes and read again. The same value has the same bytes on every
/// machine.
///
/// The state of a projection is made of such values. Numbers, strings, optionals, arrays, dictionaries
/// and the values of `EditModel` are ready; another type encodes its parts, one after the other:
///
///     extension Tally: StoredValue {
///       func encode(to encoder: inout ValueEncoder) {
///         edits.encode(to: &encoder)
///         authors.encode(to: &encoder)
///       }
///       init(from decoder: inout ValueDecoder) throws(StoredValueError) {
///         edits = try Int(from: &decoder)
///         authors = try [String: Int](from: &decoder)
///       }
///     }
///
/// Bytes may be damaged or forged. `init(from:)` must not trap, whatever it reads.
public protocol StoredValue {
  /// Appends the value, at least one byte.
  func encode(to encoder: inout ValueEncoder)

  /// Reads what `encode(to:)` appended.
  ///
  /// - Throws: `StoredValueError` if the bytes are no such value.
  init(from decoder: inout ValueDecoder) throws(StoredValueError)
}

extension StoredValue {
  /// The bytes of this value. O(size).
  public var storedBytes: [UInt8] {
    var encoder = ValueEncoder()
    encode(to: &encoder)
    return encoder.bytes
  }

  /// The value that has these bytes. O(size).
  ///
  /// - Throws: `StoredValueError` if it is no such value, or bytes are left.
  public init(storedBytes: [UInt8]) throws(StoredValueError) {
    self = try ValueDecoder.reading(storedBytes) {
      (decoder: inout ValueDecoder) throws(StoredValueError) -> Self in
      try Self(from: &decoder)
    }
  }
}

/// Why bytes are not the value that they should be.
public struct StoredValueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and at which byte.
  public let description: String

  /// An error with this description.
  public init(_ description: String) { self.description = description }
}
