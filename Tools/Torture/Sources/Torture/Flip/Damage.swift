import EditLog
import EditModel
import TestSupport

/// One way in which the files of a store are changed.
enum Damage {
  case bit(file: Int, at: Int)
  case cut(file: Int, at: Int)
  case zeros(file: Int, from: Int)
  case garbage(file: Int, count: Int)
  case block(file: Int, from: Int, to: Int, isMoved: Bool)
  case deleted(file: Int)
  case copied(file: Int, over: Int)
  case swapped(file: Int, with: Int)
  case renamed(file: Int)
  case duplicated(file: Int)
  /// A whole batch is cut out of a journal, and the bytes after it move up.
  case spliced(batch: Int)
  /// A batch is the one that another life of the store has there.
  case exchanged(batch: Int)

  private static let blockSize = 512
  private static let growths = [1, 63, 64, 511, 512, 4096, 8193]

  /// True if acknowledged bytes can be missing without a trace: no file shows by itself that it
  /// was longer, or that it existed.
  var mayOnlyShowByHead: Bool {
    switch self {
    case .bit, .garbage, .renamed, .duplicated: false
    case .cut, .zeros, .block, .deleted, .copied, .swapped, .spliced, .exchanged: true
    }
  }

  /// The files it concerns.
  func files(of store: DamagedStore) -> [Int] {
    switch self {
    case .spliced(let batch), .exchanged(let batch): [store.batches[batch].file]
    case .bit(let file, _), .cut(let file, _), .zeros(let file, _), .garbage(let file, _),
      .block(let file, _, _, _), .deleted(let file), .renamed(let file), .duplicated(let file):
      [file]
    case .copied(let file, let other), .swapped(let file, let other): [file, other]
    }
  }

  /// The number of damages that come first: whole files, garbage after their ends, whole batches.
  static func firstCount(_ store: DamagedStore) -> Int {
    fileCount(store.files.count) + 2 * store.batches.count
  }

  private static func fileCount(_ count: Int) -> Int { count * (2 * count + growths.count + 3) }

  /// How many damages a store can have.
  static func count(_ store: DamagedStore) -> Int {
    store.files.reduce(firstCount(store)) { $0 + bulkCount($1.bytes.count) }
  }

  /// Of one file: bits, cuts, zeros, and blocks moved and copied.
  private static func bulkCount(_ size: Int) -> Int {
    let blocks = (size + blockSize - 1) / blockSize
    return 10 * size + 2 * min(blocks * blocks, 4096)
  }

  /// The damage of this number.
  init(_ number: Int, _ store: DamagedStore) {
    let files = store.files
    guard number >= Self.firstCount(store) else {
      let batch = number - Self.fileCount(files.count)
      if batch < 0 {
        self.init(first: number, fileCount: files.count)
      } else {
        self = batch % 2 == 0 ? .spliced(batch: batch / 2) : .exchanged(batch: batch / 2)
      }
      return
    }
    var rest = number - Self.firstCount(store)
    for (file, (_, bytes)) in files.enumerated() {
      if rest < Self.bulkCount(bytes.count) {
        self.init(rest, of: file, bytes.count)
        return
      }
      rest -= Self.bulkCount(bytes.count)
    }
    self = .deleted(file: 0)
  }

  private init(first number: Int, fileCount: Int) {
    let (file, kind) = number.quotientAndRemainder(
      dividingBy: 2 * fileCount + Self.growths.count + 3)
    switch kind {
    case 0: self = .deleted(file: file)
    case 1: self = .renamed(file: file)
    case 2: self = .duplicated(file: file)
    case 3..<3 + Self.growths.count: self = .garbage(file: file, count: Self.growths[kind - 3])
    default:
      let pair = kind - 3 - Self.growths.count
      self =
        pair % 2 == 0
        ? .copied(file: file, over: pair / 2) : .swapped(file: file, with: pair / 2)
    }
  }

  private init(_ number: Int, of file: Int, _ size: Int) {
    let blocks = (size + Self.blockSize - 1) / Self.blockSize
    switch number {
    case ..<(8 * size): self = .bit(file: file, at: number)
    case ..<(9 * size): self = .cut(file: file, at: number - 8 * size)
    case ..<(10 * size): self = .zeros(file: file, from: number - 9 * size)
    default:
      // Where there are too many pairs, those spread by a step that meets all blocks.
      let pair = (number - 10 * size) / 2 * (blocks * blocks > 4096 ? 7919 : 1)
      self = .block(
        file: file, from: pair / blocks % blocks, to: pair % blocks, isMoved: number % 2 == 0)
    }
  }

  /// Does it to a disk.
  func apply(to disk: SimulatedFileSystem, _ store: DamagedStore) {
    let files = store.files
    func change(_ file: Int, _ body: (inout [UInt8]) -> Void) {
      var bytes = files[file].bytes
      body(&bytes)
      disk[files[file].path] = bytes
    }
    switch self {
    case .bit(let file, let bit): change(file) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
    case .cut(let file, let at): change(file) { $0.removeLast($0.count - at) }
    case .zeros(let file, let from):
      change(file) { for offset in from..<$0.count { $0[offset] = 0 } }
    case .garbage(let file, let count):
      var random = SplitMix64(seed: UInt64(count))
      change(file) { bytes in
        for _ in 0..<count { bytes.append(UInt8(truncatingIfNeeded: random.next())) }
      }
    case .block(let file, let from, let to, let isMoved):
      change(file) { Self.moveBlock(&$0, from: from, to: to, isMoved: isMoved) }
    case .deleted(let file): disk[files[file].path] = nil
    case .copied(let file, let other): disk[files[other].path] = files[file].bytes
    case .swapped(let file, let other):
      disk[files[other].path] = files[file].bytes
      disk[files[file].path] = files[other].bytes
    case .renamed(let file):
      disk[files[file].path] = nil
      disk[Self.neighbour(of: files[file].path)] = files[file].bytes
    case .duplicated(let file):
      disk[Self.neighbour(of: files[file].path)] = files[file].bytes
    case .spliced(let batch):
      let (file, range) = store.batches[batch]
      change(file) { $0.removeSubrange(range) }
    case .exchanged(let batch):
      let (file, range) = store.batches[batch]
      change(file) { $0.replaceSubrange(range, with: store.otherLife[file][range]) }
    }
  }

  private static func moveBlock(_ bytes: inout [UInt8], from: Int, to: Int, isMoved: Bool) {
    let source = from * blockSize..<min((from + 1) * blockSize, bytes.count)
    let moved = Array(bytes[source])
    if isMoved { for offset in source { bytes[offset] = 0 } }
    for (index, byte) in moved.enumerated() where to * blockSize + index < bytes.count {
      bytes[to * blockSize + index] = byte
    }
  }

  /// The name of the next number, or another name.
  private static func neighbour(of path: String) -> String {
    var parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let last = parts.removeLast()
    let pieces = last.split(separator: ".")
    guard pieces.count == 2, let number = UInt64(pieces[0]) else {
      return (parts + ["copy-of-" + last]).joined(separator: "/")
    }
    let digits = String(number + 1)
    let name = String(repeating: "0", count: 20 - digits.count) + digits
    return (parts + ["\(name).\(pieces[1])"]).joined(separator: "/")
  }
}
