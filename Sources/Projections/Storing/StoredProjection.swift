public import TextState

/// A projection whose state is stored, so that a later run resumes from it and reads only the edits
/// after it.
public protocol StoredProjection: Projection, StoredValue {
  /// The name under which it is stored, unlike that of any other projection of the program.
  static var name: String { get }

  /// True if `stored` was made by the same settings as this projection, which has seen no edit.
  func matches(settingsOf stored: Self) -> Bool

  /// True if this may be the projection at the version `state`. A stored one that cannot be is not
  /// used. O(1).
  func fits(_ state: TextState) -> Bool
}

extension StoredProjection {
  /// The default: true, for a projection without settings.
  public func matches(settingsOf stored: Self) -> Bool { true }
  /// The default: true, for a projection that does not depend on the text.
  public func fits(_ state: TextState) -> Bool { true }
}
