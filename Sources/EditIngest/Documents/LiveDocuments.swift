import EditModel
import TextState

/// A cache of the documents that were used last. The others are read from the log when they are needed.
///
/// There are two generations. A document that is changed moves to the newer one. If that is full, the
/// older one is dropped, and the newer one becomes the older one. Each access costs O(1), so a
/// generation has half of the bounds below.
struct LiveDocuments {
  /// The number of documents in both generations.
  var countMax: Int
  /// The UTF-16 units of all texts in both generations: their memory is `unitSize` bytes for each. A
  /// single document may have more.
  var lengthMax: Int
  /// The memory for a UTF-16 unit, in bytes. Paragraphs, attribute runs and sessions count by their
  /// memory.
  private static let unitSize = 3
  /// The UTF-16 units of a long text, and the bytes of memory that make a document long whatever its units. A
  /// shorter one is small, and read again for each pause of typing it would delay the next key.
  private static let (longLength, longSize) = (1 << 18, unitSize << 18)

  private var newer: [DocumentID: LiveDocument] = [:]
  private var older: [DocumentID: LiveDocument] = [:]
  private var trimCount = 0

  init(_ options: IngestOptions) {
    (countMax, lengthMax) = (options.liveCountMax, options.liveLengthMax)
  }

  var count: Int { newer.count + older.count }

  /// The names of the documents that have entries, also in the batch that is staged. O(count).
  var startedNames: [DocumentID] { [newer, older].flatMap { $0.filter(\.value.isStarted).keys } }

  /// The document, if it is in the cache. Setting nil drops it.
  subscript(id: DocumentID) -> LiveDocument? {
    get { newer[id] ?? older[id] }
    set {
      if !older.isEmpty { older[id] = nil }
      newer[id] = newValue
    }
  }

  /// Drops the older generation if the newer one is full, and returns the names of the dropped
  /// documents. Must not be called while a batch is staged, because its documents are newer than the
  /// log.
  mutating func trim() -> [DocumentID] {
    trimCount &+= 1
    guard newer.count > countMax / 2 || trimCount % 16 == 0 && isLong else { return [] }
    defer { (older, newer) = (newer, [:]) }
    return Array(older.keys)
  }

  /// Drops the long documents, except those that `isUsed`, and returns their names. Must not be called
  /// while a batch is staged. O(nodes of all documents).
  mutating func removeLong(unless isUsed: (DocumentID) -> Bool) -> [DocumentID] {
    let long = [newer, older].flatMap { generation in
      generation.filter { id, document in
        (document.state.length >= Self.longLength || document.size >= Self.longSize) && !isUsed(id)
      }.keys
    }
    for id in long { self[id] = nil }
    return long
  }

  private var isLong: Bool {
    guard newer.count > 1 else { return false }
    let sizeMax = lengthMax / 2 * Self.unitSize
    // The sizes themselves are known only after a walk over the nodes.
    return newer.values.reduce(0) { $0 + $1.sizeBound } > sizeMax
      && newer.values.reduce(0) { $0 + $1.size } > sizeMax
  }
}
