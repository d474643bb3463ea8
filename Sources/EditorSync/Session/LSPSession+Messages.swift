import EditModel
import EditProtocol
import TextState

extension LSPSession {
  /// Returns the entries to log for a message, and updates the session.
  package mutating func read(_ message: LSPMessage, in environment: LSPEnvironment) -> LSPPlan {
    switch message {
    case .initialize, .other: LSPPlan()
    case .reopened(let open): reopened(open, in: environment)
    case .didOpen(let params, let source): didOpen(params, copyOf: source, in: environment)
    case .didChange(let params, let found): didChange(params, as: found, in: environment)
    case .didSave(let params, let found): didSave(params, as: found, in: environment)
    case .didClose(let params): didClose(params, in: environment)
    case .didRenameFiles(let params): didRenameFiles(params, in: environment)
    case .renamed(let moves): rename(moves)
    case .renamedOntoKnown, .part: LSPPlan()
    case .end, .ended: end(in: environment)
    }
  }

  /// Adds documents that the client had open before it connected. The client's text is the log's
  /// newest, unless another session has changed the document since: then the divergence and the edits
  /// that lead back to the client's text are logged. The other session's edits stay in the history. If it
  /// is an editor that still has the document open, nothing is logged before the client changes its text.
  private mutating func reopened(
    _ open: ArraySlice<ReopenedDocument>, in environment: LSPEnvironment
  ) -> LSPPlan {
    var plan = LSPPlan()
    for document in open.map(\.document) {
      guard let newest = environment.state(document) else { continue }
      let left = environment.left(document) ?? newest
      documents[document] = OpenDocument(document, version: nil, endsInNewline: left.endsInNewline)
      guard left.text != newest.text else { continue }
      if environment.isUsedElsewhere {
        documents[document]?.sequence = left.sequence
        continue
      }
      plan.anomalies.append(.changedElsewhere)
      let entries = divergence(from: newest.text, to: left.text, environment)
      plan.add(PlannedDocument(document, entries: entries))
    }
    return plan
  }

  /// The entries for a text of the client that is not the log's: the divergence, and the edits that
  /// lead to the client's text. O(n).
  func divergence(
    from ours: UTF16Text, to theirs: UTF16Text, _ environment: LSPEnvironment
  ) -> [PlannedEntry] {
    var entries: [PlannedEntry] = [
      .event(.divergence(ours: environment.digest(ours), theirs: environment.digest(theirs)))
    ]
    let actions = TextDifference.replacements(from: ours, to: theirs)
    entries.append(transaction: actions) { _ in .external }
    return entries
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
