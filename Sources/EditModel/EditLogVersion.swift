/// The version of this software.
public enum EditLogVersion {
  /// By semantic versioning.
  public static let current = "0.1.0"
}
