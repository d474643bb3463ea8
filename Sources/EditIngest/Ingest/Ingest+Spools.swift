package import EditModel
package import EditProtocol
import EditorSync
import TextState

// Delivery of the spools of bridges that have ended. Their messages are older than whatever is sent
// meanwhile, so other requests about their documents wait.
extension Ingest {
  /// The source of the messages in spools.
  package static let spoolSource = -1

  /// Lets all requests about these documents wait that do not come from `spoolSource`, until
  /// `release`.
  package func hold(_ documents: Set<DocumentID>) {
    for document in documents { heldForSpools[document, default: 0] += 1 }
  }

  /// Ends a `hold` of these documents.
  package func release(_ documents: Set<DocumentID>) {
    for document in documents {
      let count = heldForSpools[document] ?? 1
      heldForSpools[document] = count > 1 ? count - 1 : nil
    }
    guard phase != .closed else { return }
    resumeWork()
  }

  /// True if a request must wait because of a `hold`.
  func isHeld(_ request: IngestRequest, from source: Int) -> Bool {
    if heldForSpools.isEmpty || source == Self.spoolSource { return false }
    if let names = request.documents { return names.contains { heldForSpools[$0] != nil } }
    guard case .editor(_, .didRenameFiles(let params), _, _, _) = request,
      heldForSpools.count <= Self.heldCountCompared
    else { return true }
    // It renames documents that have such a name, or are in a folder that has it.
    return params.files.contains { file in
      heldForSpools.keys.contains { held in
        [file.oldURI, file.newURI].contains { held.name.utf8.starts(with: $0.name.utf8) }
      }
    }
  }

  /// The number of held documents up to which the names in a rename are compared with them.
  private static let heldCountCompared = 16

  /// A document that a connected editor has open, with the text of its buffer.
  package struct OpenElsewhere: Sendable {
    package let editor: EditorKey
    package let text: DidOpenParams
  }

  /// The open documents of other connected editors that are among `held`, which are held. Returns nil as long
  /// as earlier requests about them are carried out.
  package func openElsewhere(
    _ held: Set<DocumentID>, except own: EditorKey
  ) throws(ProtocolError) -> [OpenElsewhere]? {
    guard held.allSatisfy({ upkeep.longWork[$0] == nil }) else { return nil }
    var found: [OpenElsewhere] = []
    for (key, session) in editors where key != own && bridges.isPresent(key) {
      for (id, opened) in session.documents where held.contains(id) {
        let text = try liveDocument(id).state.text
        found.append(
          OpenElsewhere(
            editor: key, text: DidOpenParams(uri: id, version: opened.version, text: text)))
      }
    }
    return found
  }

  /// Sets the spools that are shown as not delivered.
  package func show(refusedSpools: [RefusedSpool]) { self.refusedSpools = refusedSpools }
}
