/// The state of a simulated disk: what is read, what is durable, and what is between the two.
/// Nodes are named by small numbers, the root by 0.
struct SimulatedWorld: Sendable {
  static let root = 0
  var files: [SimulatedFileNode?] = [nil]
  var directories: [SimulatedDirectoryNode?] = [SimulatedDirectoryNode()]
  private var nextChange = 0
  /// The opening of a file that holds its lock.
  var locks: [Int: ObjectIdentifier] = [:]

  func find(_ path: String) -> Int? {
    path.split(separator: "/").reduce(Optional(Self.root)) { node, name in
      node.flatMap { directories[$0]?.names[String(name)] }
    }
  }

  func parent(of path: String) -> (node: Int?, name: String) {
    let parts = path.split(separator: "/")
    return (find(parts.dropLast().joined(separator: "/")), String(parts.last ?? ""))
  }

  var filePaths: [String] {
    func paths(_ node: Int, _ path: String) -> [String] {
      guard let directory = directories[node] else { return [path] }
      return directory.names.flatMap { paths($1, "\(path)/\($0)") }
    }
    return paths(Self.root, "").sorted()
  }

  // MARK: Changes

  mutating func newDirectory() -> Int { newNode(file: nil, directory: SimulatedDirectoryNode()) }
  mutating func newFile() -> Int { newNode(file: SimulatedFileNode(), directory: nil) }

  private mutating func newNode(
    file: SimulatedFileNode?, directory: SimulatedDirectoryNode?
  ) -> Int {
    files.append(file)
    directories.append(directory)
    return files.count - 1
  }

  mutating func change(_ file: Int, _ change: SimulatedFileNode.Change) {
    nextChange += 1
    files[file]?.change(change, id: nextChange)
  }

  mutating func link(_ name: String, to node: Int, in directory: Int) {
    nextChange += 1
    directories[directory]?.change(.init(id: nextChange, added: (name, node)))
  }

  mutating func unlink(_ name: String, in directory: Int) {
    nextChange += 1
    directories[directory]?.change(.init(id: nextChange, removed: name))
  }

  mutating func rename(_ name: String, in directory: Int, to newName: String, in target: Int) {
    guard let node = directories[directory]?.names[name] else { return }
    nextChange += 1
    if directory == target {
      directories[directory]?.change(
        .init(id: nextChange, removed: name, added: (newName, node)))
    } else {
      directories[target]?.change(.init(id: nextChange, added: (newName, node)))
      directories[directory]?.change(.init(id: nextChange, removed: name))
    }
  }

  /// Makes the names in a directory durable, and the other half of each rename.
  mutating func syncDirectory(_ directory: Int) {
    guard let pending = directories[directory]?.pending, !pending.isEmpty else { return }
    let ids = Set(pending.map(\.id))
    for node in directories.indices where !(directories[node]?.pending.isEmpty ?? true) {
      directories[node]?.sync(ids)
    }
  }

  /// Puts a file there, or takes it away, durably.
  mutating func put(_ bytes: [UInt8]?, at path: String) {
    if let node = find(path), let bytes, files[node] != nil {
      files[node] = SimulatedFileNode(bytes: bytes, durable: bytes)
      return
    }
    let (parent, name) = parent(of: path)
    guard let parent, directories[parent] != nil else { return }
    var node: Int?
    if let bytes {
      let file = newFile()
      files[file] = SimulatedFileNode(bytes: bytes, durable: bytes)
      node = file
    }
    directories[parent]?.names[name] = node
    directories[parent]?.durable[name] = node
  }

  // MARK: Stops

  var pending: [PendingChange] {
    var changes: [PendingChange] = []
    for case let file? in files {
      for (id, change) in file.pending {
        changes.append(PendingChange(id: id, kind: change.kind))
      }
    }
    var names: Set<Int> = []
    for case let directory? in directories {
      for change in directory.pending where names.insert(change.id).inserted {
        changes.append(PendingChange(id: change.id, kind: .name))
      }
    }
    return changes.sorted { $0.id < $1.id }
  }

  func crashed(_ loss: SimulatedFileSystem.Loss) -> SimulatedWorld {
    let fates = fates(loss)
    func fate(_ id: Int) -> Survival {
      fates.first { $0.id == id }?.survival ?? .lost
    }
    var world = self
    for (number, file) in files.enumerated() {
      guard let file else { continue }
      var bytes = file.durable
      for (id, change) in file.pending { change.apply(to: &bytes, fate(id)) }
      world.files[number] = SimulatedFileNode(bytes: bytes, durable: bytes)
    }
    for (number, directory) in directories.enumerated() {
      guard let directory else { continue }
      var names = directory.durable
      for change in directory.pending where fate(change.id) != .lost {
        SimulatedDirectoryNode.apply(change, to: &names)
      }
      world.directories[number] = SimulatedDirectoryNode(names: names, durable: names)
    }
    world.locks = [:]
    return world
  }

  private func fates(
    _ loss: SimulatedFileSystem.Loss
  ) -> [(id: Int, survival: Survival)] {
    switch loss {
    case .all: return []
    case .none: return pending.map { ($0.id, .kept) }
    case .each(let survivals): return zip(pending, survivals).map { ($0.id, $1) }
    case .some(let seed):
      var random = SplitMix64(seed: seed)
      return pending.map { change in
        if case .bytes = change.kind { return (change.id, .some(seed: random.next())) }
        return (change.id, Bool.random(using: &random) ? .kept : .lost)
      }
    }
  }

  // MARK: Digests

  var digest: UInt64 { digest(of: Self.root) }

  private func digest(of node: Int) -> UInt64 {
    if let file = files[node] { return file.bytes.withUnsafeBytes { scramble($0, seed: 1) } }
    var total: UInt64 = 2
    for (name, child) in directories[node]?.names ?? [:] {
      var name = name
      let sum = name.withUTF8 { scramble(UnsafeRawBufferPointer($0), seed: 3) }
      // A sum does not depend on the order a dictionary has.
      total &+= scramble(sum ^ digest(of: child).byteSwapped &* 0x9E37_79B9_7F4A_7C15)
    }
    return scramble(total)
  }
}

/// A hash of bytes that is the same in every run.
private func scramble(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
  var (first, second) = (seed ^ UInt64(bytes.count), seed &* 0xBF58_476D_1CE4_E5B9)
  var offset = 0
  while offset + 16 <= bytes.count {
    let left = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    let right = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
    first = (first ^ left) &* 0x9E37_79B9_7F4A_7C15
    first ^= first >> 29
    second = (second ^ right) &* 0xC2B2_AE3D_27D4_EB4F
    second ^= second >> 31
    offset += 16
  }
  while offset < bytes.count {
    first = (first ^ UInt64(bytes[offset])) &* 0x0000_0100_0000_01B3
    offset += 1
  }
  return scramble(scramble(first) &+ second)
}

private func scramble(_ value: UInt64) -> UInt64 {
  var z = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
  z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
  return z ^ (z >> 31)
}
