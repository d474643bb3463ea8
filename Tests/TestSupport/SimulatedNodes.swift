/// A file of a simulated disk.
struct SimulatedFileNode: Sendable {
  enum Change: Sendable {
    case bytes([UInt8], offset: Int)
    case size(Int)
  }

  var bytes: [UInt8] = []
  var durable: [UInt8] = []
  var pending: [(id: Int, change: Change)] = []

  mutating func change(_ change: Change, id: Int) {
    change.apply(to: &bytes)
    pending.append((id, change))
  }

  /// Only what is pending reaches the disk: see `dropPendingBytes`.
  mutating func sync() {
    for (_, change) in pending { change.apply(to: &durable) }
    pending = []
  }
}

extension SimulatedFileNode.Change {
  static let sectorSize = 512

  /// The sectors of the disk a write touches, as parts of its own bytes.
  private static func sectors(_ count: Int, at offset: Int) -> [Range<Int>] {
    guard count > 0 else { return [] }
    return (offset / sectorSize...(offset + count - 1) / sectorSize).map { sector in
      let start = max(0, sector * sectorSize - offset)
      return start..<min(count, (sector + 1) * sectorSize - offset)
    }
  }

  var kind: PendingChange.Kind {
    switch self {
    case .bytes(let bytes, let offset):
      .bytes(sectors: Self.sectors(bytes.count, at: offset).count)
    case .size: .size
    }
  }

  func apply(to file: inout [UInt8]) {
    switch self {
    case .size(let size):
      if size < file.count { file.removeLast(file.count - size) }
      if size > file.count { file += [UInt8](repeating: 0, count: size - file.count) }
    case .bytes(let new, let offset):
      if file.count < offset + new.count { Self.size(offset + new.count).apply(to: &file) }
      file.replaceSubrange(offset..<offset + new.count, with: new)
    }
  }

  func apply(to file: inout [UInt8], _ survival: Survival) {
    switch (survival, self) {
    case (.lost, _): break
    case (.kept, _), (.sectors, .size), (.some, .size): apply(to: &file)
    case (.sectors(let kept), .bytes(let new, let offset)):
      for (number, sector) in Self.sectors(new.count, at: offset).enumerated()
      where kept.contains(number) {
        Self.bytes(Array(new[sector]), offset: offset + sector.lowerBound).apply(to: &file)
      }
    case (.some(let seed), .bytes(let new, let offset)):
      var random = SplitMix64(seed: seed)
      for sector in Self.sectors(new.count, at: offset) where Bool.random(using: &random) {
        Self.bytes(Array(new[sector]), offset: offset + sector.lowerBound).apply(to: &file)
      }
    case (.zeros, _): Self.size(size(over: file)).apply(to: &file)
    case (.garbage(let seed), _):
      let start = file.count
      Self.size(size(over: file)).apply(to: &file)
      var random = SplitMix64(seed: seed)
      for offset in start..<max(start, file.count) {
        file[offset] = UInt8(truncatingIfNeeded: random.next())
      }
    }
  }

  /// The size it makes of a file.
  private func size(over file: [UInt8]) -> Int {
    switch self {
    case .size(let size): size
    case .bytes(let new, let offset): max(file.count, offset + new.count)
    }
  }
}

/// A directory of a simulated disk.
struct SimulatedDirectoryNode: Sendable {
  struct Change: Sendable {
    /// The two halves of a rename between directories share it.
    var id: Int
    var removed: String?
    var added: (name: String, node: Int)?
  }

  var names: [String: Int] = [:]
  var durable: [String: Int] = [:]
  var pending: [Change] = []

  mutating func change(_ change: Change) {
    Self.apply(change, to: &names)
    pending.append(change)
  }

  mutating func sync(_ ids: Set<Int>) {
    for change in pending where ids.contains(change.id) { Self.apply(change, to: &durable) }
    pending.removeAll { ids.contains($0.id) }
  }

  static func apply(_ change: Change, to names: inout [String: Int]) {
    if let removed = change.removed { names[removed] = nil }
    if let added = change.added { names[added.name] = added.node }
  }
}
