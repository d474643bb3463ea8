/// Text as UTF-16 code units, lone surrogates and all.
///
/// A log must not lose half of a surrogate pair, because an editor may send a pair in two
/// edits. Nothing is repaired here; `String(text)` shows each lone surrogate as U+FFFD.
public struct UTF16Text: Hashable, Sendable {
  /// The units.
  public private(set) var units: [UInt16]

  /// Text of these units.
  public init(units: [UInt16] = []) { self.units = units }
  /// The UTF-16 form of `string`.
  public init(_ string: some StringProtocol) { units = Array(string.utf16) }

  /// UTF-16 units.
  @inlinable public var count: Int { units.count }
  /// True where there is no unit.
  @inlinable public var isEmpty: Bool { units.isEmpty }

  /// Adds `other` at the end. Amortised O(`other.count`).
  public mutating func append(_ other: UTF16Text) { units.append(contentsOf: other.units) }
  /// Adds `units` at the end. Amortised O(`units.count`).
  public mutating func append(contentsOf units: some Sequence<UInt16>) {
    self.units.append(contentsOf: units)
  }
}

extension UTF16Text: ExpressibleByStringLiteral, CustomStringConvertible {
  /// The UTF-16 form of a literal.
  public init(stringLiteral value: String) { self.init(value) }
  /// The text, with each lone surrogate shown as U+FFFD.
  public var description: String { String(decoding: units, as: UTF16.self) }
}

extension String {
  /// `text` as a string, with each lone surrogate shown as U+FFFD.
  public init(_ text: UTF16Text) { self = text.description }
}
