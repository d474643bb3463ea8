import EditLogFormat

/// The parts of a store that are read before any document: the durable mark, the catalog and the
/// journals, as they were at one moment.
struct StoreFront {
  let mark: DurableMarkFile.Reading
  let catalog: CatalogReading
  let contents: JournalContents

  /// Why the mark or the catalog cannot be read.
  var obstacle: LogError? { mark.obstacle ?? catalog.obstacle }

  /// The maximum number of tries beside a busy writer.
  private static let tryCountMax = 100

  /// Reads them without a lock, beside a writer that may be at work. If something looks damaged or
  /// missing, it is read again: only real damage looks the same twice.
  init(in root: any Directory, _ format: FileHeader) throws(LogError) {
    var seen: StoreFront?
    var count = 0
    while true {
      count += 1
      do throws(LogError) {
        let front = try StoreFront(reading: root, format)
        if front.looksSound || count >= Self.tryCountMax || front.looks(like: seen) {
          self = front
          return
        }
        seen = front
      } catch {
        // Sealed and removed since the names were read.
        guard error.isMissing, count < Self.tryCountMax else { throw error }
      }
    }
  }

  /// The mark first, then the catalog, then the journals: each has at least what the one before it
  /// names, and entries that have left the journals by then are in segments.
  private init(reading root: any Directory, _ format: FileHeader) throws(LogError) {
    mark = try DurableMarkFile.read(in: root, store: format.store)
    catalog = try CatalogReading(in: root, format, mark: mark.mark)
    let directory = try root.directoryIfPresent(StoreLayout.journals)
    contents = try JournalContents(
      StoreLayout.numbers(.journal, in: try directory?.names() ?? []), in: directory ?? root,
      store: format.store, access: .read, mark: mark.mark)
  }

  private var looksSound: Bool {
    catalog.loss == nil && catalog.obstacle == nil && contents.damages.isEmpty
  }

  private func looks(like other: StoreFront?) -> Bool {
    guard let other, contents.damages == other.contents.damages else { return false }
    return catalog.loss == other.catalog.loss && catalog.obstacle == other.catalog.obstacle
  }
}
