/// A stack whose top elements can be moved out as an array of exact size, without reference
/// counting. The parser collects the elements of open containers on it.
struct MoveStack<Element>: ~Copyable {
  private var base: UnsafeMutablePointer<Element>
  private var capacity: Int
  /// Elements on the stack. Only the first `count` places of `base` are initialised.
  private(set) var count = 0

  init(capacity: Int) {
    precondition(capacity > 0)
    base = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit {
    base.deinitialize(count: count)
    base.deallocate()
  }

  mutating func push(_ element: consuming Element) {
    if count == capacity { grow() }
    (base + count).initialize(to: element)
    count += 1
  }

  subscript(index: Int) -> Element {
    _read {
      precondition(index >= 0 && index < count)
      yield base[index]
    }
    _modify {
      precondition(index >= 0 && index < count)
      yield &base[index]
    }
  }

  /// Moves the elements from `start` to the top into an array.
  mutating func popArray(from start: Int) -> [Element] {
    precondition(start >= 0 && start <= count)
    let length = count - start
    guard length > 0 else { return [] }
    count = start
    return Array(unsafeUninitializedCapacity: length) { buffer, initialized in
      _ = buffer.moveInitialize(
        fromContentsOf: UnsafeMutableBufferPointer(start: base + start, count: length))
      initialized = length
    }
  }

  /// Removes the elements from `start` to the top.
  mutating func drop(from start: Int) {
    precondition(start >= 0 && start <= count)
    (base + start).deinitialize(count: count - start)
    count = start
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    (base, capacity) = (larger, capacity * 2)
  }
}
