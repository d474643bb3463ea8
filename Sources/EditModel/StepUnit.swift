/// The unit of a step from one version of a document to another.
public enum StepUnit: Hashable, Sendable {
  /// One edit.
  case edit
  /// The edits that one undo takes back: to the end of the next one, or before this one.
  case undoStep
  /// Edits in a row that change one paragraph, and the same one. An edit that inserts or removes a
  /// paragraph, or touches several, is a change of its own.
  case paragraphChange
  /// To the next version that an editor saved, or to the one before.
  case save
  /// To the start of the next session, or to that of this one.
  case session
  /// To the newest edit at most this number of nanoseconds later, or earlier. If there is
  /// none, to the next edit, or the one before, so that a pause takes one step. Not negative.
  case time(nanoseconds: Int64)
}
