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

  /// The documents, each with the version that has the editor's text, if an answer named it.
  private var documents: [DocumentID: SequenceNumber?] = [:]

  init(_ documents: some Sequence<ReopenedDocument> = []) {
    for open in documents { self.documents.updateValue(open.sequence, forKey: open.document) }
  }

  /// The documents, sorted by the bytes of their names. O(n log n).
  var sorted: [ReopenedDocument] {
    documents.map { ReopenedDocument($0, at: $1) }
      .sorted { $0.document.name.utf8.lexicographicallyPrecedes($1.document.name.utf8) }
  }

  /// Notes the version that an answer to `editlog/forward` names.
  mutating func note(_ answer: JSON) {
    guard let result = try? ForwardResult(json: answer), let document = result.document,
      documents[document] != nil
    else { return }
    documents.updateValue(result.sequence, forKey: document)
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
    let isOpen = documents[document] != nil
    if method == "textDocument/didClose" { return isOpen ? .close(document) : nil }
    return isOpen ? nil : .open(document)
  }

  mutating func apply(_ effect: Effect) {
    switch effect {
    case .open(let document): documents.updateValue(nil, forKey: document)
    case .close(let document): documents.removeValue(forKey: document)
    case .rename(let renames): for rename in renames { apply(rename) }
    }
  }

  /// A name may be that of a file, or of a folder with files in it.
  private mutating func apply(_ rename: DidRenameFilesParams.Rename) {
    let (old, new) = (rename.oldURI.name, rename.newURI.name)
    let folder = old.utf8.last == UInt8(ascii: "/") ? old : old + "/"
    for (document, sequence) in documents {
      guard document == rename.oldURI || document.name.utf8.starts(with: folder.utf8) else {
        continue
      }
      let rest = String(decoding: document.name.utf8.dropFirst(old.utf8.count), as: UTF8.self)
      documents.removeValue(forKey: document)
      if let renamed = DocumentID(new + rest) { documents.updateValue(sequence, forKey: renamed) }
    }
  }
}
