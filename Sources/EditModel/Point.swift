/// A point in a document's history, as given by people and programs.
public enum Point: Sendable {
  /// After this edit; 0 is the empty document.
  case sequence(SequenceNumber)
  /// After the newest edit.
  case latest
  /// After the newest edit that is not later than this time.
  case time(Timestamp)
  /// The version that the last mark of this label names.
  case mark(String)
  /// The version that an editor saved: 1 is the first save, -1 the last. Never 0.
  case save(Int)
  /// The version at the start of a session: 1 is the first, -1 the last. Never 0.
  case session(Int)
  /// With -n, the version before the last n undo steps; with n, the version after step n, as
  /// `editlog undo --list` numbers them. Never 0.
  case undo(Int)
}

extension Point: Hashable {
  /// True if the points have the same form and value. Labels are compared by the bytes of their
  /// UTF-8 forms.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.sequence(let a), .sequence(let b)): a == b
    case (.latest, .latest): true
    case (.time(let a), .time(let b)): a == b
    case (.mark(let a), .mark(let b)): a.isExactly(b)
    case (.save(let a), .save(let b)), (.session(let a), .session(let b)),
      (.undo(let a), .undo(let b)):
      a == b
    default: false
    }
  }

  /// Feeds the point's name to `hasher`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .sequence(let sequence):
      hasher.combine(0)
      hasher.combine(sequence)
    case .latest: hasher.combine(1)
    case .time(let time):
      hasher.combine(2)
      hasher.combine(time)
    case .mark(let label):
      hasher.combine(3)
      label.hashBytes(into: &hasher)
    case .save(let number): hasher.combine([4, number])
    case .session(let number): hasher.combine([5, number])
    case .undo(let number): hasher.combine([6, number])
    }
  }
}
