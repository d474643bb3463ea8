import EditModel

/// The folder of one document, for the one job that writes in it.
struct DocumentFolder: Sendable {
  let documents: any Directory
  let store: StoreID
  let number: UInt64
  /// The document's name.
  let id: DocumentID
  /// True once the folder is there, durably.
  let isDurable: Bool

  /// The folder, without what an interrupted job left; nil if there is none.
  func existing() throws(LogError) -> (any Directory)? {
    guard let directory = try documents.directoryIfPresent(StoreLayout.name(of: number)) else {
      return nil
    }
    try tidy(directory)
    return directory
  }

  private func tidy(_ directory: any Directory) throws(LogError) {
    // The name is in the catalog and in the last segment; format 1.0 has a file of it as well.
    for name in try directory.names()
    where StoreLayout.isTemporary(name) || name == StoreLayout.name {
      try directory.remove(name)
    }
  }

  /// Opens the folder, which is durable then, without what an interrupted job left.
  func open(_ flushes: inout FlushWatch) throws(LogError) -> any Directory {
    let directory = try documents.createDirectory(StoreLayout.name(of: number))
    try tidy(directory)
    if !isDurable { try flushes.watch { () throws(LogError) in try documents.sync() } }
    return directory
  }
}

extension StoreWriter {
  /// The folder of a document as it is now.
  func folder(of state: DocumentState) -> DocumentFolder {
    DocumentFolder(
      documents: documentsDirectory, store: id, number: state.number, id: state.id,
      isDurable: state.hasFolder)
  }
}
