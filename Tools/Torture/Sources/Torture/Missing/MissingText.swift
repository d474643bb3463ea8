import EditLog
import EditModel
import Replay
import TestSupport
import TextState

/// Entries by seed whose edits make a text: each puts letters in front of it. They do not compress,
/// so that a few make files of several sectors.
struct MissingSource {
  private var random: SplitMix64
  private var time: Int64 = 1_000

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// True if the next entries are appended by a job.
  mutating func isByJob() -> Bool { random.below(3) == 0 }

  mutating func entries(after list: [HistoryEntry], count: Int) -> [HistoryEntry] {
    var last = MissingText.lastSequence(of: list)
    var entries: [HistoryEntry] = []
    for _ in 0..<count {
      time += 1
      last += 1
      entries.append(
        .edit(
          Edit(
            sequence: last, action: EditAction(replacing: UTF16Range(0..<0), with: word()),
            time: Timestamp(nanoseconds: time))))
    }
    if random.below(3) == 0 {
      entries.append(
        .event(
          HistoryEvent(
            kind: .mark(label: "m\(last)", at: last), after: last,
            time: Timestamp(nanoseconds: time))))
    }
    return entries
  }

  mutating func renaming(from old: DocumentID, after list: [HistoryEntry]) -> HistoryEvent {
    time += 1
    return HistoryEvent(
      kind: .renamed(from: old), after: MissingText.lastSequence(of: list),
      time: Timestamp(nanoseconds: time))
  }

  private mutating func word() -> UTF16Text {
    let letters = Array("abcdefghijklmnopqrstuvwxyzäöü0123456789".utf16)
    return UTF16Text(units: (0..<20 + random.below(400)).map { _ in letters[random.below(39)] })
  }
}

/// The text that entries make.
enum MissingText {
  static func lastSequence(of entries: [HistoryEntry]) -> SequenceNumber {
    for case .edit(let edit) in entries.reversed() { return edit.sequence }
    return 0
  }

  static func state(of entries: [HistoryEntry]) throws -> TextState {
    var state = TextState()
    for case .edit(let edit) in entries { try state.apply(edit.action) }
    return state
  }

  static func checkpoint(of entries: [HistoryEntry]) throws -> [UInt8] {
    CheckpointCodec.encode(try state(of: entries))
  }
}

/// The released format 1.0, which has no catalog.
enum ReleasedLayout {
  /// Makes a store that was closed one of format 1.0, as its program would have left it.
  static func downgrade(_ disk: SimulatedFileSystem) {
    disk["/store/catalog"] = nil
    guard var format = disk["/store/format"], let mark = disk["/store/confirmed"],
      let slot = [4096, 8192].max(by: {
        mark.number(at: $0, size: 8) < mark.number(at: $1, size: 8)
      })
    else { return }
    let start = CRC32C.checksum(Array(format[24..<40]))
    for copy in [0, 4096] { clearVersion(&format, at: copy) }
    disk["/store/format"] = format
    var old = Array(mark[..<64]) + [UInt8](repeating: 0, count: 8192)
    clearVersion(&old, at: 0)
    // Batch and journal; then zeros and the checksum.
    old.replaceSubrange(4096..<4112, with: mark[slot + 8..<slot + 24])
    old.seal(4096..<4156, at: 4156, from: start)
    disk["/store/confirmed"] = old
  }

  /// The minor version and the incompatible flags of a header.
  private static func clearVersion(_ bytes: inout [UInt8], at offset: Int) {
    bytes.put(0, at: offset + 10, size: 2)
    bytes.put(0, at: offset + 12, size: 4)
    bytes.seal(offset..<offset + 60, at: offset + 60)
  }
}
