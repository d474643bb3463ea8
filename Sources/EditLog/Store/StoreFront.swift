import EditLogFormat

/// What of a store is read before any document: the durable mark, the catalog and the journals, as
/// they were at one moment.
struct StoreFront {
  let mark: DurableMarkFile.Reading
  let catalog: CatalogReading
  let contents: JournalContents

  /// Tries before a moving writer is given up on; each try has missed a whole roll.
  private static let tryCountMax = 100

  /// Reads them without a lock, beside a writer that may be at work. What looks damaged or missing
  /// is looked at again before it is believed: damage looks the same twice.
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

  /// The mark first, then the catalog, then the journals: each of them only grows beyond what the
  /// one before it tells, and what has left the journals by then is in segments.
  private init(reading root: any Directory, _ format: FileHeader) throws(LogError) {
    mark = try DurableMarkFile.read(in: root, store: format.store)
    catalog = try CatalogReading(in: root, format, mark: mark.mark)
    let directory = try root.directoryIfPresent(StoreLayout.journals)
    contents = try JournalContents(
      StoreLayout.numbers(.journal, in: try directory?.names() ?? []), in: directory ?? root,
      store: format.store, access: .read, mark: mark.mark)
  }

  private var looksSound: Bool {
    if case .lost = catalog { return false }
    return contents.damages.isEmpty
  }

  private func looks(like other: StoreFront?) -> Bool {
    guard let other, contents.damages == other.contents.damages else { return false }
    return catalog.loss == other.catalog.loss
  }
}
