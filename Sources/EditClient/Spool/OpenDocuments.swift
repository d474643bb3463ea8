import EditJSON
import EditModel
import EditProtocol

/// The documents that an editor has open, according to its notifications.
struct OpenDocuments: Hashable, Sendable {
  /// The effect of a notification on the set.
  enum Effect: Hashable, Sendable {
    case open(DocumentID)
    case close(DocumentID)
    case rename([DidRenameFilesParams.Rename])
  }

  private var documents: Set<DocumentID>

  init(_ documents: some Sequence<DocumentID> = []) { self.documents = Set(documents) }

  /// The documents, sorted by the bytes of their names. O(n log n).
  var sorted: [DocumentID] {
    documents.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// The effect of a notification on the set; nil if it changes nothing.
  ///
  /// A change or a save of a document that is not open opens it: some editors switch to
  /// another name without a notification.
  func effect(of method: String, _ params: JSON) -> Effect? {
    if method == "workspace/didRenameFiles" {
      return (try? DidRenameFilesParams(json: params)).map { .rename($0.files) }
    }
    guard let name = params["textDocument"]?["uri"]?.anyString, let document = DocumentID(name)
    else { return nil }
    let isOpen = documents.contains(document)
    if method == "textDocument/didClose" { return isOpen ? .close(document) : nil }
    return isOpen ? nil : .open(document)
  }

  mutating func apply(_ effect: Effect) {
    switch effect {
    case .open(let document): documents.insert(document)
    case .close(let document): documents.remove(document)
    case .rename(let renames): for rename in renames { apply(rename) }
    }
  }

  /// A name may be that of a file, or of a folder with files in it.
  private mutating func apply(_ rename: DidRenameFilesParams.Rename) {
    let (old, new) = (rename.oldURI.name, rename.newURI.name)
    let folder = old.hasSuffix("/") ? old : old + "/"
    for document in documents {
      guard document == rename.oldURI || document.name.utf8.starts(with: folder.utf8) else {
        continue
      }
      let rest = String(decoding: document.name.utf8.dropFirst(old.utf8.count), as: UTF8.self)
      documents.remove(document)
      if let renamed = DocumentID(new + rest) { documents.insert(renamed) }
    }
  }
}
