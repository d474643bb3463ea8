package import CoreMetrics
package import EditLog
import EditModel

/// The options of an ingest.
package struct IngestOptions: Sendable {
  /// The path of the store's folder.
  package var store: String
  /// Milliseconds without a write after which the last batch is confirmed, and the age at which the durable
  /// mark names a batch. With less than the time between two keys, each key costs two more flushes.
  package var idleMilliseconds: Int64 = 2_000
  /// Milliseconds without a write after which jobs begin that wait for a rest, if that is earlier: between two
  /// keys of a typist.
  package var jobPauseMilliseconds: Int64 = 50
  /// A document is sealed when it has this many unsealed entries. A quarter is enough if nothing was
  /// written for `idleMilliseconds`.
  package var sealAfter = 65_536
  /// Seconds without a write after which all documents are sealed.
  package var restSeconds: Int64 = 300
  /// Seconds in which an editor makes and reports an edit that it is asked for.
  package var askingSeconds: Int64 = 2
  /// The largest cost of work done on the loop, in units of `WorkCost`. Work that costs more is done
  /// on another thread.
  package var longLength = 1 << 19
  /// The largest history, in decompressed bytes, that is read on the loop.
  package var longReadSize = 64 << 10
  /// The UTF-16 units of a text, above which appends may not make it longer.
  package var textLengthMax = EditAction.textLengthMax
  /// The number of documents that are kept in memory, and the UTF-16 units of their texts.
  package var liveCountMax = 256
  package var liveLengthMax = 64 << 20
  /// The sizes of the store's files and blocks.
  package var sizes = StoreWriter.Options()
  /// Seconds without jobs after a job found no space on the disk.
  package var backOffSeconds: Int64 = 5

  /// Which edits are measured as they happen, and the memory for their traces in bytes.
  package var traceBounds = LiveTracing.Bounds()
  package var traceBytesMax = 1 << 20

  /// Where metrics go.
  package var metrics: any MetricsFactory = NOOPMetricsHandler.instance

  package init(store: String) { self.store = store }
}
