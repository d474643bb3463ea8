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
  package func hold(_ documents: Set<DocumentID>) { desk.hold(documents) }

  /// Ends a `hold` of these documents.
  package func release(_ documents: Set<DocumentID>) {
    desk.release(documents)
    guard phase != .closed else { return }
    resumeWork()
  }

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
    for (key, id, opened) in desk.opened(held, except: own) {
      let text = try liveDocument(id).state.text
      found.append(
        OpenElsewhere(
          editor: key, text: DidOpenParams(uri: id, version: opened.version, text: text)))
    }
    return found
  }

  /// Sets the spools that are shown as not delivered.
  package func show(refusedSpools: [RefusedSpool]) { desk.refusedSpools = refusedSpools }
}
