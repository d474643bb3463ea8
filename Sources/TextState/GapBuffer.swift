/// An array with a gap where it was last edited, so that the next edit nearby moves nothing.
///
/// A value: copies share their storage until one of them changes. A gap buffer over storage of
/// `capacity` elements keeps `base[0..<gapStart]` and `base[gapStart + gapCount..<capacity]`
/// initialized, and `count + gapCount == capacity`.
struct GapBuffer<Element: BitwiseCopyable & Sendable>: Sendable {
  private var storage: Storage
  /// The number of elements.
  private(set) var count = 0
  private var gapStart = 0
  private var gapCount: Int
  /// Tests fix the room that growth leaves, so that it runs out at every other edit.
  private let fixedGap: Int?

  /// Elements of the smallest gap that growth leaves.
  private static var gapMin: Int { 64 }

  /// An empty buffer.
  init(fixedGap: Int? = nil) {
    storage = Storage(capacity: 0)
    (gapCount, self.fixedGap) = (0, fixedGap)
  }

  /// The element at `index`.
  subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count)
      // Checked above, so the place is one of the initialized ones outside the gap.
      return storage.base[index < gapStart ? index : index + gapCount]
    }
    set {
      precondition(index >= 0 && index < count)
      makeUnique()
      // Checked above; nobody else holds this storage.
      storage.base[index < gapStart ? index : index + gapCount] = newValue
    }
  }

  /// Puts `elements` in the place of `range`. O(elements + range + distance to the last edit);
  /// O(count) where the storage is shared or full.
  mutating func replace(_ range: Range<Int>, with elements: UnsafeBufferPointer<Element>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    if isKnownUniquelyReferenced(&storage), elements.count <= gapCount + range.count {
      openGap(at: range)
    } else {
      reallocate(dropping: range, room: elements.count)
    }
    if let source = elements.baseAddress {
      // The gap holds at least `elements.count` places from `gapStart` on, and nobody else
      // holds this storage, so `source` lies elsewhere.
      storage.base.advanced(by: gapStart).initialize(from: source, count: elements.count)
    }
    gapStart += elements.count
    gapCount -= elements.count
    count += elements.count
    shrinkIfSparse()
  }

  /// Puts `elements` in the place of `range`.
  mutating func replace(_ range: Range<Int>, with elements: [Element]) {
    elements.withUnsafeBufferPointer { replace(range, with: $0) }
  }

  /// Calls `body` with the contiguous pieces of `range`, in order: two at most.
  func withChunks<E: Error>(
    in range: Range<Int>, _ body: (UnsafeBufferPointer<Element>) throws(E) -> Void
  ) throws(E) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    let middle = min(max(gapStart, range.lowerBound), range.upperBound)
    // Both pieces lie inside the bounds checked above, on either side of the gap. `self` is
    // borrowed during the call, so the storage outlives it and is not written.
    if middle > range.lowerBound {
      try body(piece(storage.base + range.lowerBound, middle - range.lowerBound))
    }
    if range.upperBound > middle {
      try body(piece(storage.base + middle + gapCount, range.upperBound - middle))
    }
  }

  /// The elements of `range`. O(range).
  func elements(in range: Range<Int>) -> [Element] {
    [Element](unsafeUninitializedCapacity: range.count) { buffer, initialized in
      withChunks(in: range) { chunk in
        // The chunks add up to `range.count` elements, the buffer's capacity.
        _ = buffer[initialized...].initialize(fromContentsOf: chunk)
        initialized += chunk.count
      }
    }
  }

  private func piece(
    _ start: UnsafeMutablePointer<Element>, _ count: Int
  ) -> UnsafeBufferPointer<Element> {
    UnsafeBufferPointer(start: start, count: count)
  }
}

extension GapBuffer {
  /// The memory. Freed with the last buffer that shares it.
  private final class Storage: @unchecked Sendable {
    // Safe to share between threads: `base` is written only by a buffer that holds the one
    // reference, during its own exclusive mutation; shared storage is only read.
    let base: UnsafeMutablePointer<Element>
    let capacity: Int

    init(capacity: Int) {
      // Never empty, so that `base` is always memory of our own.
      base = .allocate(capacity: max(capacity, 1))
      self.capacity = capacity
    }

    // Elements are bitwise copyable: there is nothing to deinitialize.
    deinit { base.deallocate() }
  }

  /// Makes `range` part of the gap, and `range.lowerBound` its start.
  private mutating func openGap(at range: Range<Int>) {
    let base = storage.base
    if gapStart < range.lowerBound {
      // Moves what lies between the gap and the range down; source and target are inside the
      // storage, and `update` may overlap.
      base.advanced(by: gapStart).update(
        from: base + gapStart + gapCount, count: range.lowerBound - gapStart)
      gapStart = range.lowerBound
    } else if gapStart > range.upperBound {
      let moved = gapStart - range.upperBound
      // Moves what lies between the range and the gap up; as above.
      base.advanced(by: range.upperBound + gapCount).update(
        from: base + range.upperBound, count: moved)
      gapStart = range.upperBound
    }
    gapStart = range.lowerBound
    gapCount += range.count
    count -= range.count
  }

  /// Moves everything but `range` to new storage, with a gap in its place that takes `room`
  /// elements and more.
  private mutating func reallocate(dropping range: Range<Int>, room: Int) {
    let rest = count - range.count
    let gap = room + (fixedGap ?? max(Self.gapMin, rest / 4))
    let new = Storage(capacity: rest + gap)
    // Head and tail are `rest` elements, with `gap` places between them: the capacity of `new`.
    copy(0..<range.lowerBound, to: new.base)
    copy(range.upperBound..<count, to: new.base + range.lowerBound + gap)
    (storage, count, gapStart, gapCount) = (new, rest, range.lowerBound, gap)
  }

  /// Copies the elements of `range` to `target`, which has room for them.
  private func copy(_ range: Range<Int>, to target: UnsafeMutablePointer<Element>) {
    var target = target
    withChunks(in: range) { chunk in
      guard let source = chunk.baseAddress else { return }
      // Chunks add up to `range.count`, the room that the caller vouches for.
      target.initialize(from: source, count: chunk.count)
      target += chunk.count
    }
  }

  private mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&storage) { reallocate(dropping: gapStart..<gapStart, room: 0) }
  }

  /// Gives memory back after a large deletion. Amortised by the deletion that made the gap.
  private mutating func shrinkIfSparse() {
    if gapCount > 4096, gapCount / 4 > count {
      reallocate(dropping: gapStart..<gapStart, room: 0)
    }
  }
}
