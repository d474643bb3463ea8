extension TextState {
  /// An estimate of the memory of this state that `other` does not share, in bytes. Attribute sets are
  /// left out. O(nodes that are not shared + log n).
  package func size(besides other: TextState?) -> Int {
    let (core, others) = (core, other?.core)
    guard core !== others else { return 0 }
    return Self.ownSize + core.units.size(besides: others?.units)
      + core.paragraphRecords.size(besides: others?.paragraphRecords)
      + core.runRecords.size(besides: others?.runRecords)
      + core.births.size(besides: others?.births)
  }

  /// The objects of a state and of its trees, in bytes.
  private static var ownSize: Int { 1_024 }
}
