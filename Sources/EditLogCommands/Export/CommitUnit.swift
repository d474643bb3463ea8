import ArgumentParser

/// After which edits the repository of `export --format git` has a commit.
enum CommitUnit: String, CaseIterable, ExpressibleByArgument {
  /// The last edit of each undo step, and of each undo and redo.
  case step
  /// The last edit before each save.
  case save
  /// The last edit of each client's run.
  case session
}
