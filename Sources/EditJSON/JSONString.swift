public import EditModel
import NIOCore

/// A JSON string: a `String` if it is valid Unicode, UTF-16 units if it has a lone surrogate. A
/// long string of a frame may stay in the frame and be decoded on access, and a long text may stay
/// as it is. Strings are compared by units, without Unicode normalisation.
public struct JSONString: Hashable, Sendable {
  /// `units` is used only if there is a lone surrogate, so that equal strings have the same case.
  private enum Storage: Sendable {
    case unicode(String)
    case units(UTF16Text)
    case raw(RawString)
    /// A long text, which is not decoded to be written.
    case long(UTF16Text)
  }
  private let storage: Storage

  /// A string that is decoded on access.
  init(_ raw: RawString) { storage = .raw(raw) }

  /// A string of valid Unicode.
  public init(_ string: String) { storage = .unicode(string) }

  /// A string of these units. O(n), or O(1) if the text is long.
  public init(_ text: UTF16Text) {
    storage = text.count < UTF16Text.latin1CountMin ? Self.decoded(text) : .long(text)
  }

  private static func decoded(_ text: UTF16Text) -> Storage {
    text.validString.map { .unicode($0) } ?? .units(text)
  }

  /// The string; nil if it holds a lone surrogate. O(n) if it is not decoded.
  public var string: String? {
    switch storage {
    case .unicode(let string): return string
    case .units: return nil
    case .raw, .long: return decoded.string
    }
  }

  /// The units, lone surrogates included. O(n).
  public var text: UTF16Text {
    switch storage {
    case .unicode(let string): UTF16Text(string)
    case .units(let text), .long(let text): text
    case .raw(let raw): raw.text
    }
  }

  /// The text, if it is kept as units. O(1).
  var undecoded: UTF16Text? {
    switch storage {
    case .units(let text), .long(let text): text
    case .unicode, .raw: nil
    }
  }

  /// The number of UTF-16 units. O(1) if the string is not decoded, else O(n).
  package var unitCount: Int {
    switch storage {
    case .unicode(let string): string.utf16.count
    case .units(let text), .long(let text): text.count
    case .raw(let raw): raw.unitCount
    }
  }

  /// The string with its quotes, if it stayed in a frame. O(1).
  var quoted: ByteBuffer? {
    if case .raw(let raw) = storage { raw.quoted } else { nil }
  }

  private init(_ storage: Storage) { self.storage = storage }

  /// The decoded string, independent of its frame. O(n) if it is not decoded.
  private var decoded: JSONString {
    switch storage {
    case .unicode, .units: self
    case .raw(let raw): JSONString(Self.decoded(raw.text))
    case .long(let text): JSONString(Self.decoded(text))
    }
  }

  /// True if the units are equal. O(n).
  public static func == (left: Self, right: Self) -> Bool {
    switch (left.storage, right.storage) {
    case (.unicode(let a), .unicode(let b)): a.isExactly(b)
    case (.units(let a), .units(let b)): a == b
    case (.long(let a), .long(let b)): a == b
    case (.raw, _), (_, .raw), (.long, _), (_, .long): left.decoded == right.decoded
    default: false
    }
  }

  /// Feeds the string to `hasher`.
  public func hash(into hasher: inout Hasher) {
    switch storage {
    case .unicode(let string): string.hashBytes(into: &hasher)
    case .units(let text): hasher.combine(text)
    case .raw, .long: decoded.hash(into: &hasher)
    }
  }
}

extension JSONString: ExpressibleByStringLiteral, CustomStringConvertible {
  /// A string of valid Unicode.
  public init(stringLiteral value: String) { self.init(value) }
  /// The string, with each lone surrogate shown as U+FFFD.
  public var description: String {
    switch storage {
    case .unicode(let string): string
    case .units(let text), .long(let text): text.description
    case .raw(let raw): raw.text.description
    }
  }
}
