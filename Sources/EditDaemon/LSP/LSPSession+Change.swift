import EditModel
public import EditProtocol
import TextState

extension LSPSession {
  /// `didChange`: one transaction, each content change an edit in the text left by the one before.
  ///
  /// The origin is `typing` where an edit puts units in, `removal` where it only takes them out.
  /// A long insertion is not taken for a paste: completion, snippets and formatters insert just
  /// the same, and `editlog/annotate` is there for clients that know.
  ///
  /// O(changes · log n) in UTF-16; O(n) more for several changes or a whole text. `found` is the
  /// identity of a document that is not open; if it is nil, the document is identified here.
  public mutating func didChange(
    _ params: DidChangeParams, as found: UnopenedDocument? = nil, in environment: LSPEnvironment
  ) -> LSPPlan {
    var plan = LSPPlan()
    let (document, changes) = (params.uri, params.changes)
    // eglot sends a version again with no changes.
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

  /// True where the text of the save before held these changes already: they make it from the
  /// text before the save. Kate saves first and tells the edits afterwards.
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

  /// The event of a save of `text`.
  func savedEvent(
    of text: UTF16Text, in opened: inout OpenDocument, _ environment: LSPEnvironment
  ) -> PlannedEntry {
    let digest = environment.digest(text)
    opened.saved = digest
    return .event(.saved(digest))
  }
}
