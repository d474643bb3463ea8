import EditModel
package import EditProtocol
import TextState

extension LSPSession {
  /// `didSave`, with the text if the client sent it.
  ///
  /// Three texts are compared, as `ComparableText`: the log's, the client's and the file's. No single
  /// one is reliable: one client sends only the visible part of a narrowed buffer, another doubles its
  /// backslashes, and a third sends `didSave` before the changes that it saved.
  ///
  /// - If the log's text equals the file's or the client's, or there is no other text: it was saved.
  /// - If the client's text equals the file's, but not the log's: the divergence, the edits from the
  ///   log's text to the client's, and the save are logged.
  ///   The changes between the two texts may follow; then they are not logged again.
  /// - Else nothing is logged now. If the next change leads to the text of the file, or to the client's
  ///   if there is no file, the save is logged then.
  ///
  /// If other sessions have changed the document since the client's last message, its text is the
  /// version that it had then, unless the message has a text.
  ///
  /// O(n). `found` is the identity of a document that is not open; if it is nil, the document is
  /// identified here.
  package mutating func didSave(
    _ params: DidSaveParams, as found: UnopenedDocument? = nil, in environment: LSPEnvironment
  ) -> LSPPlan {
    var plan = LSPPlan()
    lastTurn = nil
    let (document, left) = (params.uri, environment.left(params.uri))
    let text = params.text ?? left?.text
    var state = environment.state(document) ?? TextState()
    if documents[document] == nil {
      let found = found ?? identify(document, savedAs: text, in: environment)
      let begun = begin(document, as: found, in: environment, plan: &plan) {
        // The file has the saved text; the client's text may be a part of it.
        environment.textOfFile(document) ?? text
      }
      guard let begun else { return plan }
      state = begun
    }
    guard var opened = documents[document] else { return plan }
    lastTurn = .used(document)
    let entries = save(
      text, isBehind: left != nil, of: &opened, in: state, environment, noting: &plan.anomalies)
    plan.add(PlannedDocument(document, entries: entries))
    documents[document] = opened
    return plan
  }

  private func save(
    _ text: UTF16Text?, isBehind: Bool, of opened: inout OpenDocument, in state: TextState,
    _ environment: LSPEnvironment, noting anomalies: inout [LSPAnomaly]
  ) -> [PlannedEntry] {
    opened.unclearSave = nil
    // If the texts are equal, this is known already, and more exactly: the last line may be empty.
    if let text, !state.hasText(text) { opened.endsInNewline = text.endsInNewline }
    let ours = ComparableText(state)
    let (theirs, file) = (text.map(ComparableText.init), environment.file(of: opened.document))
    if !isBehind || ours == theirs || theirs == file { opened.sequence = nil }
    if ours == file || ours == theirs || file == nil && theirs == nil {
      return [savedEvent(environment.digestOfState(state), in: &opened)]
    }
    guard let text, theirs == file else {
      opened.unclearSave = file ?? theirs
      anomalies.append(.unclearSave)
      return []
    }
    opened.beforeSave = opened.beforeSave ?? state
    var entries = divergence(from: state.text, to: text, environment)
    entries.append(savedEvent(environment.digest(text), in: &opened))
    return entries
  }
}
