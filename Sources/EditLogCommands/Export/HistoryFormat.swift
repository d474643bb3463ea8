/// A form of a file that has a whole history.
enum HistoryFormat: String, CaseIterable {
  /// A page that replays it.
  case html
  /// All entries, which `import jsonl` reads.
  case jsonl
  /// A keystroke trace.
  case trace
  /// A repository with commits.
  case git
  /// A recording of a terminal.
  case asciicast
  /// What differs between two versions.
  case patch
  /// A picture of when it was worked on.
  case svg
}
