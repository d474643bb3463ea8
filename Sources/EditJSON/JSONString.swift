public import EditModel

/// A JSON string: a `String` at no cost where it is valid Unicode, UTF-16 units where it holds
/// a lone surrogate; a long one of a frame may stay in the frame until it is asked for. Equality
/// is by units, without Unicode normalisation.
public struct JSONString: Hashable, Sendable {
  /// `units` only where a lone surrogate is among them, so that equal strings look equal.
  private enum Storage: Sendable {
    case unicode(String)
    case units(UTF16Text)
    case raw(RawString)
  }
  private let storage: Storage

  /// A string that stays in its frame.
  init(_ raw: RawString) { storage = .raw(raw) }

  /// A string of valid Unicode.
  public init(_ string: String) { storage = .unicode(string) }

  /// A string of these units. O(n).
  public init(_ text: UTF16Text) {
    storage = text.validString.map { .unicode($0) } ?? .units(text)
  }

  /// The string; nil if it holds a lone surrogate. O(n) if it stayed in a frame.
  public var string: String? {
    switch storage {
    case .unicode(let string): return string
    case .units: return nil
    case .raw: return decoded.string
    }
  }

  /// The units, nothing lost. O(n).
  public var text: UTF16Text {
    switch storage {
    case .unicode(let string): UTF16Text(string)
    case .units(let text): text
    case .raw(let raw): raw.text
    }
  }

  /// The string without its frame. O(n) if it stayed in one.
  private var decoded: JSONString {
    guard case .raw(let raw) = storage else { return self }
    return JSONString(raw.text)
  }

  /// True where the bytes are the same.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left.storage, right.storage) {
    case (.unicode(let a), .unicode(let b)): a.isExactly(b)
    case (.units(let a), .units(let b)): a == b
    case (.raw, _), (_, .raw): left.decoded == right.decoded
    default: false
    }
  }

  /// Feeds the string to `hasher`.
  public func hash(into hasher: inout Hasher) {
    switch storage {
    case .unicode(let string): string.hashBytes(into: &hasher)
    case .units(let text): hasher.combine(text)
    case .raw: decoded.hash(into: &hasher)
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
    case .units(let text): text.description
    case .raw(let raw): raw.text.description
    }
  }
}
