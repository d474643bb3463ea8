import TestSupport

/// A store that is going to lose files, at several moments of its life.
struct MissingStore {
  /// The disk at one moment, and what is known then.
  struct Moment {
    var name: String
    var snapshot: SimulatedFileSystem.Snapshot
    var files: [String: [UInt8]]
    var known: KnownStore
    /// False for format 1.0, which keeps no list of what must be there: only copies are taken.
    var mayBeHit = true
  }

  let moments: [Moment]

  /// The store of this seed; one in three begins in format 1.0.
  init(seed: UInt64) throws {
    let life = try MissingLife(seed: seed)
    try life.journals(upgraded: seed % 3 == 0)
    try life.segments()
    try life.rest()
    try life.loss()
    moments = life.moments
  }
}
