import EditModel
import EditProtocol
import TextState

extension LSPSession {
  /// Returns the entries to log for a message, and updates the session.
  package mutating func read(_ message: LSPMessage, in environment: LSPEnvironment) -> LSPPlan {
    switch message {
    case .initialize, .other: LSPPlan()
    case .reopened(let open): reopened(open, in: environment)
    case .didOpen(let params): didOpen(params, in: environment)
    case .didChange(let params, let found): didChange(params, as: found, in: environment)
    case .didSave(let params, let found): didSave(params, as: found, in: environment)
    case .didClose(let params): didClose(params, in: environment)
    case .didRenameFiles(let params): didRenameFiles(params, in: environment)
    case .renamed(let moves): rename(moves)
    case .renamedOntoKnown, .part: LSPPlan()
    case .end, .ended: end(in: environment)
    }
  }

  /// Adds documents that the client had open before it connected, with the log's text.
  private mutating func reopened(
    _ open: ArraySlice<DocumentID>, in environment: LSPEnvironment
  ) -> LSPPlan {
    for document in open {
      guard let state = environment.state(document) else { continue }
      documents[document] = OpenDocument(document, version: nil, endsInNewline: state.endsInNewline)
    }
    return LSPPlan()
  }

  /// True if the document of a message is not open and not identified yet.
  package func needsIdentification(_ message: LSPMessage) -> Bool {
    switch message {
    case .didChange(let params, as: nil): !params.changes.isEmpty && documents[params.uri] == nil
    case .didSave(let params, as: nil): documents[params.uri] == nil
    default: false
    }
  }

  /// The message with the identity of its document, which is not open. O(n) in the document's file and
  /// the texts of the open documents.
  package func identified(_ message: LSPMessage, in environment: LSPEnvironment) -> LSPMessage {
    switch message {
    case .didChange(let params, _):
      .didChange(
        params, as: identify(params.uri, changedBy: params.changes, in: environment))
    case .didSave(let params, _):
      .didSave(params, as: identify(params.uri, savedAs: params.text, in: environment))
    default: message
    }
  }
}
