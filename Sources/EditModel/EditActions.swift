/// The kinds of changes of an edit. Names and raw values are those of `NSTextStorage.EditActions`.
public struct EditActions: OptionSet, Hashable, Sendable, CustomStringConvertible {
  /// The bits.
  public let rawValue: UInt8
  /// The set with these bits.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Attributes changed.
  @inlinable public static var attributes: EditActions { EditActions(rawValue: 1) }
  /// Units were added, removed or replaced.
  @inlinable public static var characters: EditActions { EditActions(rawValue: 2) }

  /// The names of the actions, in the order of the wire format.
  public var names: [String] {
    (contains(.characters) ? ["characters"] : []) + (contains(.attributes) ? ["attributes"] : [])
  }

  /// The names, joined: `characters+attributes`.
  public var description: String { names.joined(separator: "+") }
}
