import EditModel
import TextState

/// The newest versions of the documents that were used last. The others are read from the log when
/// they are needed.
///
/// They are in two generations: a document that is used is in the newer one, and when that is full
/// the older one goes. So each use costs O(1), and what is kept is at most twice the bounds below.
struct LiveDocuments {
  /// Documents of one generation.
  private static let countMax = 128
  /// UTF-16 units of their texts together. A single document may have more.
  private static let lengthMax = 32 << 20

  private var newer: [DocumentID: LiveDocument] = [:]
  private var older: [DocumentID: LiveDocument] = [:]
  private var trimCount = 0

  var count: Int { newer.count + older.count }

  /// The document, if it is here; setting nil drops it.
  subscript(id: DocumentID) -> LiveDocument? {
    get { newer[id] ?? older[id] }
    set {
      if !older.isEmpty { older[id] = nil }
      newer[id] = newValue
    }
  }

  /// Drops what was not used lately, and returns the names. Not while a batch is staged: a document
  /// is ahead of the log then.
  mutating func trim() -> [DocumentID] {
    trimCount &+= 1
    guard newer.count > Self.countMax || trimCount % 16 == 0 && isLong else { return [] }
    defer { (older, newer) = (newer, [:]) }
    return Array(older.keys)
  }

  private var isLong: Bool {
    newer.count > 1 && newer.values.reduce(0) { $0 + $1.state.length } > Self.lengthMax
  }
}
