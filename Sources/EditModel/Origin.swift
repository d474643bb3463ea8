/// The kind of source of an edit. It is a property of each edit, and not a mode.
///
/// The raw values are those of the file format and never change.
public enum Origin: UInt8, CaseIterable, Hashable, Sendable {
  /// Typed at the keyboard.
  case typing = 0
  /// Deleted by hand.
  case removal = 1
  /// Pasted or dropped.
  case paste = 2
  /// The undo of earlier edits.
  case undo = 3
  /// The redo of undone edits.
  case redo = 4
  /// The text found when a document is first opened.
  case load = 5
  /// Formatting: attributes, or text rewritten by a formatter.
  case format = 6
  /// Made by a program.
  case program = 7
  /// Made outside the editor: another program wrote the file.
  case external = 8

  /// The name used on the wire, in the CLI and in messages.
  public var name: String {
    switch self {
    case .typing: "typing"
    case .removal: "removal"
    case .paste: "paste"
    case .undo: "undo"
    case .redo: "redo"
    case .load: "load"
    case .format: "format"
    case .program: "program"
    case .external: "external"
    }
  }

  /// The origin with this name; nil if there is none.
  public init?(name: String) {
    guard let origin = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = origin
  }
}
