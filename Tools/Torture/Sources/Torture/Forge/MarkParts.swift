import EditLog
import EditModel
import TestSupport

/// The durable mark, whose fields are rewritten with a matching checksum.
struct MarkParts {
  /// The numbers of a slot, each of 8 bytes, in this order, then the catalog's hash.
  enum Field: Int, CaseIterable {
    case number, batch, journal, oldestJournal, documentLimit, generation, size
  }

  static let path = "/store/confirmed"
  private static let slots = [4096, 8192]
  private static let slotSize = 128

  private var bytes: [UInt8]
  private let slot: Int
  private let start: UInt32

  init?(_ store: ForgeStore) {
    guard let bytes = store.files[Self.path],
      let slot = Self.slots.max(by: {
        bytes.number(at: $0, size: 8) < bytes.number(at: $1, size: 8)
      })
    else { return nil }
    (self.bytes, self.slot, start) = (bytes, slot, CRC32C.checksum(store.id.bytes))
  }

  subscript(_ field: Field) -> UInt64 {
    get { UInt64(bytes.number(at: slot + field.rawValue * 8, size: 8)) }
    set { bytes.put(newValue, at: slot + field.rawValue * 8, size: 8) }
  }

  /// The catalog's hash at its size.
  var hash: [UInt8] {
    get { Array(bytes[slot + 56..<slot + 88]) }
    set { bytes.replaceSubrange(slot + 56..<slot + 88, with: newValue) }
  }

  /// Makes the other slot say the same as this one.
  mutating func copyToOtherSlot() {
    for other in Self.slots where other != slot {
      bytes.replaceSubrange(
        other..<other + Self.slotSize, with: bytes[slot..<slot + Self.slotSize])
    }
  }

  var file: [UInt8] {
    var file = bytes
    for slot in Self.slots where file[slot..<slot + Self.slotSize].contains(where: { $0 != 0 }) {
      file.seal(slot..<slot + Self.slotSize - 4, at: slot + Self.slotSize - 4, from: start)
    }
    return file
  }
}
