/// An array with a gap at the place of the last edit, so that an edit nearby moves few elements.
///
/// A value: copies share their storage until one of them changes. A gap buffer over storage of
/// `capacity` elements keeps `base[0..<gapStart]` and `base[gapStart + gapCount..<capacity]`
/// initialized, and `count + gapCount == capacity`.
struct GapBuffer<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  // Safe to share between threads: `base` is written only by a buffer that holds the one reference
  // to `storage`, during its own exclusive mutation; shared storage is only read.

  private var storage: Storage
  /// A copy of `storage.base`, which saves an indirection.
  private var base: UnsafeMutablePointer<Element>
  /// The number of elements.
  private(set) var count = 0
  private var gapStart = 0
  private var gapCount: Int

  /// The memory of the storage, in bytes.
  var memory: Int { (count + gapCount) * MemoryLayout<Element>.stride }

  /// Elements of the smallest gap that growth leaves.
  private static var gapMin: Int { 16 }

  /// An empty buffer.
  init() { self.init(count: 0) { _ in } }

  /// A buffer of `count` elements and no room for more. `fill` initializes them all.
  init(count: Int, _ fill: (UnsafeMutableBufferPointer<Element>) -> Void) {
    storage = Storage(capacity: count)
    base = storage.base
    (self.count, gapStart, gapCount) = (count, count, storage.capacity - count)
    // The storage has this capacity.
    fill(UnsafeMutableBufferPointer(start: base, count: count))
  }

  /// The element at `index`.
  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count)
      // Checked above, so the place is one of the initialized ones outside the gap; the storage
      // is kept until it is read.
      return withExtendedLifetime(storage) { base[index < gapStart ? index : index &+ gapCount] }
    }
    set {
      precondition(index >= 0 && index < count)
      makeUnique()
      // Checked above; this buffer has the only reference to the storage.
      base[index < gapStart ? index : index &+ gapCount] = newValue
    }
  }

  /// Puts one element before that at `index`, in a buffer that does not share its storage.
  /// O(distance to the last edit), amortised.
  @inline(__always)
  mutating func insertOwn(_ element: Element, at index: Int) {
    assert(isKnownUniquelyReferenced(&storage))
    precondition(index >= 0 && index <= count)
    if gapCount == 0 { reallocate(dropping: index..<index, room: 1) }
    if gapStart != index { moveGap(to: index) }
    // The gap has a place at least, and this buffer has the only reference to the storage.
    base[gapStart] = element
    gapStart &+= 1
    gapCount &-= 1
    count &+= 1
  }

  /// Takes the elements of `range` out of a buffer that does not share its storage. O(distance to
  /// the last edit).
  @inline(__always)
  mutating func removeOwn(_ range: Range<Int>) {
    assert(isKnownUniquelyReferenced(&storage))
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    openGap(at: range)
  }

  /// Changes the element at `index` of a buffer that does not share its storage. Returns it.
  @inline(__always)
  mutating func updateOwn(_ index: Int, _ body: (inout Element) -> Void) -> Element {
    assert(isKnownUniquelyReferenced(&storage))
    precondition(index >= 0 && index < count)
    // Checked above; this buffer has the only reference to the storage.
    let place = base + (index < gapStart ? index : index &+ gapCount)
    body(&place.pointee)
    return place.pointee
  }

  /// Puts `elements` in the place of `range`. O(elements + range + distance to the last edit);
  /// O(count) if the storage is shared or full.
  mutating func replace(_ range: Range<Int>, with elements: UnsafeBufferPointer<Element>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    if isKnownUniquelyReferenced(&storage), elements.count <= gapCount + range.count {
      openGap(at: range)
    } else {
      reallocate(dropping: range, room: elements.count)
    }
    if let source = elements.baseAddress {
      // The gap holds at least `elements.count` places from `gapStart` on, and this buffer
      // holds the only reference to the storage, so `source` lies elsewhere.
      base.advanced(by: gapStart).initialize(from: source, count: elements.count)
    }
    gapStart += elements.count
    gapCount -= elements.count
    count += elements.count
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
    // kept during the call, so the storage outlives it and is not written.
    defer { withExtendedLifetime(storage) {} }
    if middle > range.lowerBound {
      try body(piece(base + range.lowerBound, middle - range.lowerBound))
    }
    if range.upperBound > middle {
      try body(piece(base + middle + gapCount, range.upperBound - middle))
    }
  }

  /// The elements of `range`. O(range).
  func elements(in range: Range<Int>) -> [Element] {
    if range.isEmpty { return [] }
    return [Element](unsafeUninitializedCapacity: range.count) { buffer, initialized in
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
  private final class Storage {
    let base: UnsafeMutablePointer<Element>
    let capacity: Int

    init(capacity: Int) {
      // Never empty, so that `base` is always memory of our own.
      base = .allocate(capacity: max(capacity, 1))
      self.capacity = max(capacity, 1)
    }

    // Elements are bitwise copyable: there is nothing to deinitialize.
    deinit { base.deallocate() }
  }

  /// Makes `range` part of the gap, and `range.lowerBound` its start.
  @inline(__always)
  private mutating func openGap(at range: Range<Int>) {
    if gapStart < range.lowerBound {
      moveGap(to: range.lowerBound)
    } else if gapStart > range.upperBound {
      moveGap(to: range.upperBound)
    }
    gapStart = range.lowerBound
    gapCount &+= range.count
    count &-= range.count
  }

  /// Moves the elements between the gap and `index`, which is at most `count`, to the other side of
  /// the gap.
  @inline(never)
  private mutating func moveGap(to index: Int) {
    // Source and target are inside the storage, on either side of the gap. This buffer holds the
    // only reference to the storage, and `update` allows an overlap.
    if gapStart < index {
      base.advanced(by: gapStart).update(from: base + gapStart + gapCount, count: index - gapStart)
    } else {
      base.advanced(by: index + gapCount).update(from: base + index, count: gapStart - index)
    }
    gapStart = index
  }

  /// Moves everything but `range` to new storage, with a gap in its place that takes `room`
  /// elements and more.
  private mutating func reallocate(dropping range: Range<Int>, room: Int) {
    let rest = count - range.count
    let gap = room + max(Self.gapMin, rest / 4)
    let new = Storage(capacity: rest + gap)
    // Head and tail are `rest` elements, with `gap` places between them: the capacity of `new`.
    let target = UnsafeMutableBufferPointer(start: new.base, count: rest + gap)
    copy(0..<range.lowerBound, to: target)
    copy(range.upperBound..<count, to: target.extracting((range.lowerBound + gap)...))
    (storage, base) = (new, new.base)
    (count, gapStart, gapCount) = (rest, range.lowerBound, gap)
  }

  /// Initializes the start of `target`, which has room for them, with the elements of `range`.
  func copy(_ range: Range<Int>, to target: UnsafeMutableBufferPointer<Element>) {
    var used = 0
    // Chunks add up to `range.count` elements.
    withChunks(in: range) { used = target[used...].initialize(fromContentsOf: $0) }
  }

  /// Stops sharing storage with copies. O(count) if it is shared.
  @inline(__always)
  mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&storage) { reallocate(dropping: gapStart..<gapStart, room: 0) }
  }

  /// The same elements in storage of their own, and no room for more. O(count).
  func copy() -> Self { copy(0..<count) }

  /// The elements of `range` in storage of their own. O(range).
  func copy(_ range: Range<Int>) -> Self { Self(count: range.count) { copy(range, to: $0) } }

  /// Releases memory if more than a third is gap. O(count) in that case.
  mutating func trim() {
    guard gapCount > count / 2 + 2 * Self.gapMin else { return }
    self = copy()
  }
}
