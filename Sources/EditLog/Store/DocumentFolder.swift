import EditModel

/// The folder of one document, for whoever writes in it: one job at a time.
struct DocumentFolder: Sendable {
  let documents: any Directory
  let store: StoreID
  let number: UInt64
  /// The document's name, and the one that stands in the folder, where there is one.
  let id: DocumentID
  let storedID: DocumentID?

  /// The folder, without what an interrupted job left; nil where there is none.
  func existing() throws(LogError) -> (any Directory)? {
    guard let directory = try documents.directoryIfPresent(StoreLayout.name(of: number)) else {
      return nil
    }
    try tidy(directory)
    return directory
  }

  private func tidy(_ directory: any Directory) throws(LogError) {
    for name in try directory.names() where StoreLayout.isTemporary(name) {
      try directory.remove(name)
    }
  }

  /// Opens the folder, with the name in it, both durable, and without what an interrupted job
  /// left.
  func open(_ flushes: inout FlushWatch) throws(LogError) -> any Directory {
    let directory = try documents.createDirectory(StoreLayout.name(of: number))
    try tidy(directory)
    guard storedID != id else { return directory }
    try NameFile.write(id, in: directory, store: store, document: number, &flushes)
    try flushes.watch { () throws(LogError) in try documents.sync() }
    return directory
  }
}

extension StoreWriter {
  /// The folder of a document as it is now.
  func folder(of state: DocumentState) -> DocumentFolder {
    DocumentFolder(
      documents: documentsDirectory, store: id, number: state.number, id: state.id,
      storedID: state.storedID)
  }
}
