/// What an edit does to attributes.
///
/// The change falls on the units the edit leaves in place of its range: the replacement where
/// there is one, else the range itself.
public enum AttributeChange: Hashable, Sendable {
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
