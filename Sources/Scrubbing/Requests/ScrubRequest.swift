package import EditModel
package import EditProtocol

/// What a screen wants to know, or to have done. Whoever runs the screen asks the query engine, or the
/// daemon, and gives it the answer.
package enum ScrubRequest: Hashable, Sendable {
  /// The edits after `after`, up to `through`.
  case edits(after: SequenceNumber, through: SequenceNumber)
  /// The text of a version.
  case text(SequenceNumber)
  /// The text that an edit removed, or its beginning: this range of the version before it.
  case removed(by: SequenceNumber, UTF16Range)
  /// The version that steps from a version lead to.
  case step(from: SequenceNumber, count: Int, unit: StepUnit)
  /// The version of a point as the user wrote it.
  case point(String)
  /// The times of versions.
  case times([SequenceNumber])
  /// The marks, and the versions of saves and of the starts of sessions.
  case places
  /// All undo steps.
  case steps
  /// The writers of some lines, counted from 1.
  case blame(at: SequenceNumber, lines: ClosedRange<Int>)
  /// The edit that wrote the newest unit of a line, counted from 1.
  case origin(at: SequenceNumber, line: Int)
  /// The matches of a pattern in all versions.
  case search(pattern: String, fate: GrepRequest.Fate?)
  /// The versions of the paragraph that holds a unit.
  case paragraph(at: SequenceNumber, offset: Int)
  /// What a restore would change.
  case preview(ScrubRestore)
  /// The restore, if the newest version is still `base`. With `writesFile`, also writes the document's file.
  case restore(ScrubRestore, base: SequenceNumber, writesFile: Bool = false)
  /// A mark for a version.
  case mark(label: String, at: SequenceNumber)
  /// The text of a version, written to a new file.
  case write(file: String, at: SequenceNumber)
  /// The text, put into the clipboard of the terminal.
  case copy(String)
  /// Cancel these requests.
  case cancel(Set<ScrubRequest>)
  /// The program goes to the background, until the shell continues it.
  case suspend
  /// All cells are drawn again.
  case redraw
  /// The end.
  case quit

  /// True if the user waits for the answer: the meaning of the next key depends on it.
  var isAwaited: Bool {
    switch self {
    case .edits, .times, .places, .steps, .blame, .text, .removed, .copy, .cancel, .suspend,
      .redraw, .quit:
      false
    case .step, .point, .origin, .search, .paragraph, .preview, .restore, .mark, .write: true
    }
  }

  /// True if the request changes something. Such a request is never cancelled.
  package var isChange: Bool {
    switch self {
    case .restore, .mark, .write: true
    default: false
    }
  }
}

/// What a restore brings back.
package enum ScrubRestore: Hashable, Sendable {
  /// All of a version.
  case version(SequenceNumber)
  /// The paragraph that holds a unit of a version.
  case paragraph(at: SequenceNumber, offset: Int)
  /// Selected lines of a version.
  case lines(at: SequenceNumber, UTF16Range)

  /// The version.
  package var version: SequenceNumber {
    switch self {
    case .version(let version), .paragraph(let version, _), .lines(let version, _): version
    }
  }
}
