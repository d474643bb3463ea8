import EditLogFormat
public import EditModel

extension StoreWriter {
  /// The documents at this moment. O(documents). The files are read when the listing is summed up.
  public func listing() throws(LogError) -> DocumentListing {
    let catalog = catalogFile?.catalog ?? Catalog()
    var rows: [DocumentListing.Row] = []
    var histories: [UInt64: Result<History?, LogError>] = [:]
    rows.reserveCapacity(states.count)
    for state in states.values {
      rows.append(
        .init(document: state.id, number: state.number, unsealed: state.unsealed))
      if state.failure == nil, state.damages.isEmpty,
        catalog.documents[state.number].map(\.tellsAll) ?? !state.unsealed.isEmpty
      {
        continue
      }
      histories[state.number] = Result { () throws(LogError) in try history(of: state.id) }
    }
    return DocumentListing(
      rows: rows, catalog: catalog, documents: documentsDirectory, store: id, reader: nil,
      histories: histories)
  }

  /// As `Store.losses`.
  public var losses: [StoreLoss] { catalogFile?.catalog.losses ?? [] }
}
