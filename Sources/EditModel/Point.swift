/// A point in a document's history, as people and programs name it.
public enum Point: Hashable, Sendable {
  /// After this edit; 0 is the empty document.
  case sequence(SequenceNumber)
  /// After the newest edit.
  case latest
  /// After the newest edit that is not later than this moment.
  case time(Timestamp)
  /// At the version that the last mark of this label names.
  case mark(String)
}
