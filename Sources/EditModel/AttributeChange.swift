/// What an edit does to attributes.
///
/// The change falls on the units the edit leaves in place of its range: the replacement where
/// there is one, else the range itself.
public enum AttributeChange: Sendable {
  /// New units take the attributes of the first replaced unit, else of the unit before, else
  /// of the unit after, else none, as `NSMutableAttributedString` does. The only change that
  /// is no attribute action.
  case inherit
  /// The units carry exactly these runs, in order; their lengths add up to the units' number.
  case set([AttributeRun])
  /// These runs are put over what the units carry (over what they inherit, where they are
  /// new); lengths as in `set`.
  case merge([AttributeRun])
  /// The attributes of these names are taken from the units (from what they inherit, where
  /// they are new).
  case remove([String])
}

extension AttributeChange: Hashable {
  /// True where kind, runs and the bytes of names are the same.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.inherit, .inherit): true
    case (.set(let a), .set(let b)), (.merge(let a), .merge(let b)): a == b
    case (.remove(let a), .remove(let b)): a.elementsEqual(b) { $0.isExactly($1) }
    default: false
    }
  }

  /// Feeds kind, runs and names to `hasher`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .inherit: hasher.combine(0)
    case .set(let runs):
      hasher.combine(1)
      hasher.combine(runs)
    case .merge(let runs):
      hasher.combine(2)
      hasher.combine(runs)
    case .remove(let names):
      hasher.combine(3)
      hasher.combine(names.count)
      for name in names { name.hashBytes(into: &hasher) }
    }
  }
}
