/// What an edit does to attributes.
///
/// The change applies to the units that are in the edit's range after the edit: the replacement if
/// there is one, else the range itself.
public enum AttributeChange: Sendable {
  /// New units take the attributes of the first replaced unit, else of the unit before, else
  /// of the unit after, else none, as in `NSMutableAttributedString`. This is the only change that
  /// is not an attribute action.
  case inherit
  /// The units get exactly these runs, in order. The lengths add up to the number of units.
  case set([AttributeRun])
  /// The attributes of these runs are added to those of the units, and replace those of the same
  /// names. New units first inherit attributes. Lengths as in `set`.
  case merge([AttributeRun])
  /// The attributes of these names are removed from the units. New units first inherit attributes.
  case remove([String])
}

extension AttributeChange: Hashable {
  /// True if kind, runs and the bytes of the names are equal.
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
