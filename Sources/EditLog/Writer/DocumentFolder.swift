import EditLogFormat
import EditModel

/// The folder of one document, for the only job that writes to it.
struct DocumentFolder: Sendable {
  let documents: DocumentsDirectory
  let store: StoreID
  let number: UInt64
  /// The document's name.
  let id: DocumentID

  /// The files, without what an interrupted job left; nil if there are none.
  func existing() throws(LogError) -> DocumentDirectory? {
    guard let directory = try documents.document(number) else { return nil }
    try tidy(directory)
    return directory
  }

  private func tidy(_ directory: any Directory) throws(LogError) {
    // The name is in the catalog and in the last segment; format 1.0 also has a file with the name.
    for name in try directory.names()
    where StoreLayout.isTemporary(name) || name == StoreLayout.name {
      try directory.remove(name)
    }
  }

  /// Opens the folder, without what an interrupted job left.
  func open() throws(LogError) -> DocumentDirectory {
    let directory = try documents.writable(number)
    try tidy(directory)
    return directory
  }
}

extension StoreWriter {
  /// The folder of a document as it is now.
  func folder(of state: DocumentState) -> DocumentFolder {
    DocumentFolder(
      documents: documentsDirectory, store: id, number: state.number, id: state.id)
  }
}
