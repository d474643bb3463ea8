import EditLogFormat
package import EditModel

/// Entries of one document in the order of its history, encoded for the log one after the other: the
/// writer and the hash chain need nothing else of them.
package final class EncodedEntries {
  private struct Row {
    let place: EntryPlace
    let metaEnd: Int
    let contentEnd: Int
  }

  private var rows: [Row] = []
  private var meta = ByteWriter()
  private var content = ByteWriter()

  /// True if an edit has a selection.
  package private(set) var hasSelections = false

  /// The size in bytes of the longest name of a document in an event.
  private(set) var nameSizeMax = 0

  package init() {}

  package convenience init(_ entries: [HistoryEntry]) {
    self.init()
    for entry in entries { append(entry) }
  }

  package var count: Int { rows.count }
  package var isEmpty: Bool { rows.isEmpty }

  /// The edit before the first entry. 0 if there are no entries.
  package var before: SequenceNumber {
    rows.first.map { $0.place.isEdit ? $0.place.place - 1 : $0.place.place } ?? 0
  }

  /// The number of events before the first edit.
  package var firstEventCount: Int { rows.prefix { !$0.place.isEdit }.count }

  /// The first edit.
  package var firstEdit: (sequence: SequenceNumber, time: Timestamp)? {
    rows.first { $0.place.isEdit }.map { ($0.place.place, $0.place.time) }
  }

  package func append(_ entry: HistoryEntry) {
    switch entry {
    case .edit(let edit): append(edit)
    case .event(let event):
      nameSizeMax = max(nameSizeMax, event.kind.formerName?.name.utf8.count ?? 0)
      RecordCodec.encode(.event(event), meta: &meta, content: &content)
      addRow(EntryPlace(isEdit: false, place: event.after, time: event.time))
    }
  }

  package func append(_ edit: Edit) {
    RecordCodec.encode(edit, meta: &meta, content: &content)
    if edit.selection != nil { hasSelections = true }
    addRow(EntryPlace(isEdit: true, place: edit.sequence, time: edit.time))
  }

  private func addRow(_ place: EntryPlace) {
    rows.append(Row(place: place, metaEnd: meta.count, contentEnd: content.count))
  }

  /// Runs `body` on each entry of a range.
  func forEach(in range: Range<Int>, _ body: (EntryPlace, EntryBytes) -> Void) {
    guard !range.isEmpty else { return }
    meta.withUnsafeBytes { meta in
      content.withUnsafeBytes { content in
        var (metaStart, contentStart) = (0, 0)
        if range.lowerBound > 0 {
          (metaStart, contentStart) = (
            rows[range.lowerBound - 1].metaEnd, rows[range.lowerBound - 1].contentEnd
          )
        }
        for row in rows[range] {
          body(
            row.place,
            EntryBytes(
              meta: UnsafeRawBufferPointer(rebasing: meta[metaStart..<row.metaEnd]),
              content: UnsafeRawBufferPointer(rebasing: content[contentStart..<row.contentEnd])))
          (metaStart, contentStart) = (row.metaEnd, row.contentEnd)
        }
      }
    }
  }
}
