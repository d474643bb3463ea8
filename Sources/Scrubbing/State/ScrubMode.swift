import EditModel
import EditProtocol

/// What the keys act on.
enum ScrubMode: Hashable, Sendable {
  /// The text and its history.
  case browse
  /// A line that the user types.
  case prompt(PromptKind, String)
  /// The list of matches.
  case matches
  /// The list of keys, from this line on.
  case help(Int)
  /// What to restore.
  case restoreMenu
  /// The diff of a restore, from this line on, and the question.
  case confirm(RestoreQuestion, from: Int)
}

/// A restore that needs confirmation.
struct RestoreQuestion: Hashable, Sendable {
  var restore: ScrubRestore
  /// The lines of a unified diff.
  var lines: [String]
  /// The version that the diff is made against.
  var base: SequenceNumber
  /// The document's file, if the restore can write it.
  var file: String?
  /// Why the file cannot be written, if that is known.
  var fileProblem: ScrubAnswer.FileProblem?
}

/// What a typed line is for.
enum PromptKind: Hashable, Sendable {
  case point, search, file, mark

  var label: String {
    switch self {
    case .point: ":"
    case .search: "/"
    case .file: "write this version to the new file: "
    case .mark: "name for this version: "
    }
  }
}

/// Matches of a pattern, and the one that is selected.
struct FoundList: Hashable, Sendable {
  var pattern: String
  var fate: GrepRequest.Fate?
  var matches: [ShownMatch]
  var count: Int
  var selected = 0
}

/// Steps that are still to be made.
struct PendingSteps: Hashable, Sendable {
  /// The units that are found among the edits in memory.
  enum Unit: Hashable, Sendable {
    case undoStep
    /// Edits of this author.
    case author(String)
  }
  var unit: Unit
  var count: Int
  /// The version at which the search for the next step is.
  var from: SequenceNumber
  /// Edits that were passed without a step.
  var passed = 0

  /// Edits after which the query engine is asked instead.
  static let passedMax = 65_536
}

/// Playing: real time as edits were made, or faster.
struct Playing: Hashable, Sendable {
  /// The time of the last tick; nil before the first.
  var lastTick: Int64?
  /// Played time since the edit at the position, in nanoseconds.
  var credit: Double = 0
}
