import EditModel
package import EditProtocol
import TextState

extension LSPSession {
  /// `didChange`: one transaction. Each content change is an edit of the text after the change before
  /// it.
  ///
  /// The origin of an edit is `typing` if it inserts units, and `removal` if it only deletes units. A
  /// long insertion does not count as a paste: completion, snippets and formatters insert long texts
  /// too.
  ///
  /// O(changes · log n) in UTF-16; O(n) more for several changes or a whole text. `found` is the
  /// identity of a document that is not open; if it is nil, the document is identified here.
  package mutating func didChange(
    _ params: DidChangeParams, as found: UnopenedDocument? = nil, in environment: LSPEnvironment
  ) -> LSPPlan {
    var plan = LSPPlan()
    let (document, changes) = (params.uri, params.changes)
    // eglot repeats a version without changes.
    guard !changes.isEmpty else { return plan }
    var state = environment.state(document) ?? TextState()
    if documents[document] == nil {
      let found = found ?? identify(document, changedBy: changes, in: environment)
      let begun = begin(document, as: found, in: environment, plan: &plan) {
        let whole = changes.first.flatMap { $0.range == nil ? $0.text : nil }
        return whole ?? environment.textOfFile(document) ?? environment.state(document)?.text
      }
      guard let begun else { return plan }
      state = begun
    }
    guard var opened = documents[document] else { return plan }
    defer { documents[document] = opened }
    if opened.isRepeated(version: params.version, changes: changes) {
      plan.anomalies.append(.duplicateChange(version: opened.version ?? 0))
    } else if areLate(changes, of: &opened, in: state) {
      plan.anomalies.append(.changesAfterTheirSave)
    } else {
      let entries = read(changes, of: &opened, in: state, environment, noting: &plan.anomalies)
      plan.add(PlannedDocument(document, entries: entries))
    }
    return plan
  }

  private func read(
    _ changes: [DidChangeParams.Change], of opened: inout OpenDocument, in state: TextState,
    _ environment: LSPEnvironment, noting anomalies: inout [LSPAnomaly]
  ) -> [PlannedEntry] {
    var playback = LSPPlayback(state)
    let reader = reader(of: opened)
    for change in changes { playback.read(change, with: reader, noting: &anomalies) }
    var entries: [PlannedEntry] = []
    let save = opened.unclearSave.take()
    let text = save == nil ? nil : playback.current(noting: &anomalies).text
    entries.append(transaction: playback.actions) { $0.newLength > 0 ? .typing : .removal }
    if let text, save == ComparableText(text) {
      entries.append(savedEvent(of: text, in: &opened, environment))
    }
    return entries
  }

  /// True if the text of the save before contained these changes already: they lead to it from the
  /// text before the save. Kate sends `didSave` before the changes that it saved.
  private func areLate(
    _ changes: [DidChangeParams.Change], of opened: inout OpenDocument, in state: TextState
  ) -> Bool {
    guard let before = opened.beforeSave.take() else { return false }
    var anomalies: [LSPAnomaly] = []
    var playback = LSPPlayback(before)
    let reader = reader(of: opened)
    for change in changes { playback.read(change, with: reader, noting: &anomalies) }
    return playback.current(noting: &anomalies).text == state.text
  }

  /// The event for a save of `text`.
  func savedEvent(
    of text: UTF16Text, in opened: inout OpenDocument, _ environment: LSPEnvironment
  ) -> PlannedEntry {
    let digest = environment.digest(text)
    opened.saved = digest
    return .event(.saved(digest))
  }
}
