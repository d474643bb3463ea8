package import EditModel
package import EditProtocol

/// The answer to a `ScrubRequest`, which comes with the request.
package enum ScrubAnswer: Hashable, Sendable {
  /// Edits without a gap, each with the text that it removed.
  case edits([EditPreview])
  /// The text of the version, or of the range of it.
  case text(UTF16Text)
  /// A version. `stepCount` is the number of steps made, if steps were asked for.
  case version(SequenceNumber, stepCount: Int? = nil)
  /// Versions with their times, ascending.
  case times([TimeSample])
  /// The marks, and the versions of saves and of the starts of sessions, ascending.
  case places(marks: [ShownMark], saves: [SequenceNumber], sessions: [SequenceNumber])
  /// The undo steps, in the order of their numbers.
  case steps([ShownUndoStep])
  /// The writers of the lines.
  case blame([ShownBlamePiece])
  /// Matches, and the number of all.
  case matches([ShownMatch], count: Int)
  /// A paragraph, and the versions after which it was different, ascending.
  case paragraph(ParagraphID, [SequenceNumber])
  /// The lines of a unified diff, the newest version, which it is made against, and the document's file, if it can
  /// be written too; otherwise why it cannot, if that is known.
  case preview(
    [String], base: SequenceNumber, file: String? = nil, fileProblem: FileProblem? = nil)
  /// The newest version after a restore, whether the text changed, and the document's file, unless an editor
  /// has it open.
  case restored(SequenceNumber, isChanged: Bool, file: RestoredFile? = nil)
  /// The mark that was made.
  case marked(ShownMark)
  /// It was done; a sentence for the user, if there is one.
  case done(String? = nil)

  /// Why a restore cannot write the document's file.
  package enum FileProblem: Hashable, Sendable {
    /// An editor has it open.
    case open
    /// It has a text that the history is not known to have.
    case changed
  }

  /// What happened to the document's file.
  package enum RestoredFile: Hashable, Sendable {
    /// It has the restored text.
    case written(String)
    /// It was not changed; the command writes the text to another file.
    case unchanged(String, command: String)
  }
}
