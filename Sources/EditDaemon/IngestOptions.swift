package import EditLog

/// What can be set about taking in edits.
package struct IngestOptions: Sendable {
  /// The store's folder.
  package var store: String
  /// Milliseconds without a request after which the last batch is confirmed.
  package var idleMilliseconds: Int64 = 50
  /// A document is sealed when this many of its edits are in the journal (at rest, when a
  /// quarter of it is).
  package var sealAfter = 65_536
  /// Seconds without a request after which all documents are sealed.
  package var restSeconds: Int64 = 300
  /// The largest cost of work done on the loop, in units of `WorkCost`. Work that costs more is done
  /// on another thread.
  package var longLength = 1 << 19
  /// The largest history, in decompressed bytes, that is read on the loop.
  package var longReadSize = 64 << 10
  /// The sizes of the store's files.
  package var sizes = StoreWriter.Options()
  /// Seconds without a job after one found no room.
  package var backOffSeconds: Int64 = 5

  package init(store: String) { self.store = store }
}
