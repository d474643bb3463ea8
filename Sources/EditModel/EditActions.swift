/// What an edit changes: the option set of the same name of `NSTextStorage`, raw values included.
public struct EditActions: OptionSet, Hashable, Sendable, CustomStringConvertible {
  /// The bits.
  public let rawValue: UInt8
  /// The set with these bits.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Attributes changed.
  @inlinable public static var attributes: EditActions { EditActions(rawValue: 1) }
  /// Units were added, removed or replaced.
  @inlinable public static var characters: EditActions { EditActions(rawValue: 2) }

  /// The names of the actions, in the order they are written on the wire.
  public var names: [String] {
    (contains(.characters) ? ["characters"] : []) + (contains(.attributes) ? ["attributes"] : [])
  }

  /// The names, joined: `characters+attributes`.
  public var description: String { names.joined(separator: "+") }
}
