import EditLogFormat
import EditModel
import FoundationEssentials
import GRDB
import Projections
import Replay
import TextState

/// The folds of a document at the version of its rows, in the table `folds`. With them, a projector
/// need not read the entries that have rows already. They are a cache: without usable ones, the
/// history is read from the start.
struct StoredFolds {
  /// The number of events after the version's edit that are folded.
  let events: Int
  /// The version.
  let state: TextState
  /// The folds.
  let rows: RowCollector.Folds

  /// The maximum size of the folds of a document, and of its state, in bytes.
  private static let sizeMax = 64 << 20
  /// The level of compression.
  private static let level = 3

  /// Bytes of stored folds for each edit until others are stored: writing them takes time too.
  private static let bytesPerEdit: UInt64 = 512

  /// The stored folds of a document, not after this place. Nil if there are no usable ones.
  static func read(
    _ db: Database, _ document: DocumentID, number: UInt64, upTo sequence: SequenceNumber,
    events: Int
  ) throws -> StoredFolds? {
    guard
      let row = try Row.fetchOne(
        db,
        sql:
          "SELECT sequence, events, version, state, rows FROM folds WHERE document = ? AND number = ?",
        arguments: [document.name, Int64(clamping: number)]),
      let place = try? row.decode(Int64.self, atIndex: 0),
      let eventCount = try? row.decode(Int.self, atIndex: 1),
      (try? row.decode(Int64.self, atIndex: 2)) == RowCollector.Folds.version,
      let stored = try? row.decode(Data.self, atIndex: 3),
      let folded = try? row.decode(Data.self, atIndex: 4)
    else { return nil }
    guard let place = UInt64(exactly: place),
      place < sequence || place == sequence && eventCount <= events,
      eventCount >= 0, let bytes = decompressed(stored),
      let state = try? CheckpointCodec.decode(bytes), state.sequence == place,
      let rowBytes = decompressed(folded),
      let rows = try? RowCollector.Folds(storedBytes: rowBytes),
      rows.undo.fits(state)
    else { return nil }
    return StoredFolds(events: eventCount, state: state, rows: rows)
  }

  /// Stores the folds, if there are at least `spacing` edits since those that are stored. Nothing is
  /// stored if they are too large.
  func write(
    _ db: Database, _ document: DocumentID, number: UInt64, spacing: UInt64
  ) throws {
    let old = try Row.fetchOne(
      db, sql: "SELECT sequence, length(state) + length(rows) FROM folds WHERE document = ?",
      arguments: [document.name])
    let (last, size) = (
      UInt64(clamping: (try? old?.decode(Int64.self, atIndex: 0)) ?? 0),
      UInt64(clamping: (try? old?.decode(Int64.self, atIndex: 1)) ?? 0)
    )
    guard state.sequence >= last,
      state.sequence - last >= max(spacing, size / Self.bytesPerEdit)
    else { return }
    let (bytes, rowBytes) = (CheckpointCodec.encode(state), rows.storedBytes)
    guard bytes.count <= Self.sizeMax, rowBytes.count <= Self.sizeMax else { return }
    try db.execute(
      sql: "INSERT OR REPLACE INTO folds VALUES(?,?,?,?,?,?,?)",
      arguments: [
        document.name, Int64(clamping: number), Int64(clamping: state.sequence), events,
        RowCollector.Folds.version,
        Self.compressed(bytes), Self.compressed(rowBytes),
      ])
  }

  private static func compressed(_ bytes: [UInt8]) -> Data {
    Data(bytes.withUnsafeBytes { ZstdCompressor().compress($0, level: level) })
  }

  private static func decompressed(_ frame: Data) -> [UInt8]? {
    try? withBytes(of: [UInt8](frame)) { frame throws(CodecError) in
      try ZstdDecompressor().decompress(frame, sizeMax: sizeMax)
    }
  }
}
