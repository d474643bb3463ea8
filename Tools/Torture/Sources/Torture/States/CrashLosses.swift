import TestSupport

/// The ways in which unsynced changes can end.
enum CrashLosses {
  /// Every way that is worth a look: a list with a survival for each of `pending`.
  static func all(of pending: [PendingChange], seed: UInt64) -> [[Survival]] {
    var random = SplitMix64(seed: seed)
    let count = pending.count
    var losses = few(of: pending, seed: random.next())
    guard count > 0 else { return losses }
    for position in pending.indices {
      losses.append(pending.indices.map { $0 < position ? .kept : .lost })
      losses.append(pending.indices.map { $0 == position ? .lost : .kept })
      losses.append(pending.indices.map { $0 == position ? .kept : .lost })
      losses += tears(of: pending, at: position)
      losses += sizes(of: pending, at: position, seed: random.next())
    }
    let units = pending.reduce(0) { sum, change in
      if case .bytes(let sectors) = change.kind { sum + sectors } else { sum + 1 }
    }
    // Fewer where there are not as many subsets.
    for _ in 0..<min(64, units > 6 ? 64 : 1 << units) {
      losses.append(subset(of: pending, &random))
    }
    return losses
  }

  /// The plainest ways: all, nothing, names alone, bytes alone, two subsets.
  static func few(of pending: [PendingChange], seed: UInt64) -> [[Survival]] {
    guard !pending.isEmpty else { return [[]] }
    var random = SplitMix64(seed: seed)
    return [
      pending.map { _ in .lost }, pending.map { _ in .kept },
      pending.map { $0.isBytes ? .lost : .kept }, pending.map { $0.isBytes ? .kept : .lost },
      pending.map { $0.isBytes ? .zeros : .kept },
      subset(of: pending, &random), subset(of: pending, &random),
    ]
  }

  /// Each write torn at each sector, from both ends, with all else kept or lost.
  private static func tears(of pending: [PendingChange], at position: Int) -> [[Survival]] {
    guard case .bytes(let sectors) = pending[position].kind, sectors > 1 else { return [] }
    return (1..<sectors).flatMap { cut in
      [0..<cut, cut..<sectors].flatMap { kept in
        [Survival.kept, .lost].map { rest in
          pending.indices.map { $0 == position ? .sectors(kept) : rest }
        }
      }
    }
  }

  /// A size without the bytes: zeros, or anything.
  private static func sizes(
    of pending: [PendingChange], at position: Int, seed: UInt64
  ) -> [[Survival]] {
    guard pending[position].kind != .name else { return [] }
    return [.zeros, .garbage(seed: seed)].flatMap { survival in
      [Survival.kept, .lost].map { rest in
        pending.indices.map { $0 == position ? survival : rest }
      }
    }
  }

  private static func subset(
    of pending: [PendingChange], _ random: inout SplitMix64
  ) -> [Survival] {
    pending.map { change in
      if change.isBytes { return .some(seed: random.next()) }
      return Bool.random(using: &random) ? .kept : .lost
    }
  }
}

extension PendingChange {
  fileprivate var isBytes: Bool { if case .bytes = kind { true } else { false } }
}
