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
    }
  }
}
