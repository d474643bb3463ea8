import CBaselines

/// A bare gap buffer of UTF-16 units in C.
struct CGapText: EditedText {
  static let name = "c-gap-buffer"
  private let buffer = Buffer()

  mutating func apply(_ batch: EditBatch) {
    gap_buffer_apply(buffer.pointer, batch.flat, batch.flat.count, batch.units)
  }

  var units: [UInt16] {
    let length = gap_buffer_length(buffer.pointer)
    return [UInt16](unsafeUninitializedCapacity: length) { target, count in
      // The buffer has `length` units, and so has the array.
      if let base = target.baseAddress { gap_buffer_copy(buffer.pointer, base) }
      count = length
    }
  }

  private final class Buffer {
    let pointer = gap_buffer_create()
    deinit { gap_buffer_destroy(pointer) }
  }
}

/// A gap buffer of UTF-16 units in C that also keeps the exact length of every paragraph: the
/// least that does half of what the state does.
struct CParagraphText: EditedText {
  static let name = "c-gap-buffer-paragraphs"
  private let buffer = Buffer()

  mutating func apply(_ batch: EditBatch) {
    paragraph_buffer_apply(buffer.pointer, batch.flat, batch.flat.count, batch.units)
  }

  var units: [UInt16] {
    let length = paragraph_buffer_length(buffer.pointer)
    return [UInt16](unsafeUninitializedCapacity: length) { target, count in
      // The buffer has `length` units, and so has the array.
      if let base = target.baseAddress { paragraph_buffer_copy(buffer.pointer, base) }
      count = length
    }
  }

  var isConsistent: Bool { paragraph_buffer_is_exact(buffer.pointer) }

  private final class Buffer {
    let pointer = paragraph_buffer_create()
    deinit { paragraph_buffer_destroy(pointer) }
  }
}
