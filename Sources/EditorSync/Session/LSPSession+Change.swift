import EditModel
package import EditProtocol
package import TextState

extension LSPSession {
  /// `didChange`: one transaction. Each content change is an edit of the text after the change before
  /// it.
  ///
  /// The origin of an edit is that of its annotation. Without one it is `typing` if it inserts units,
  /// and `removal` if it only deletes units. Typed units get the attributes that the client has set for
  /// them. A long insertion does not count as a paste: completion,
  /// snippets and formatters insert long texts too.
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
    lastTurn = nil
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
    lastTurn = .used(document)
    defer { documents[document] = opened }
    if opened.isRepeated(version: params.version, changes: changes) {
      plan.anomalies.append(.duplicateChange(version: opened.version ?? 0))
      return plan
    }
    let left = environment.left(document)
    opened.sequence = nil
    let late = lateCount(changes, of: &opened, in: left ?? state)
    if late > 0 { plan.anomalies.append(.changesAfterTheirSave) }
    var entries: [PlannedEntry] = []
    if late < changes.count {
      entries = read(
        changes[late...], of: params, &opened, in: left ?? state, environment,
        noting: &plan.anomalies)
    }
    if let left {
      entries = join(entries, of: left, to: state, environment, noting: &plan.anomalies)
    }
    plan.add(PlannedDocument(document, entries: entries))
    return plan
  }

  /// The entries for changes of a text that other sessions have changed since: the divergence, the edits
  /// that lead back to the client's text, then its changes. If its changes lead to the log's newest
  /// text, because the client has read the file again, only the events remain. O(n).
  private func join(
    _ entries: [PlannedEntry], of left: TextState, to newest: TextState,
    _ environment: LSPEnvironment, noting anomalies: inout [LSPAnomaly]
  ) -> [PlannedEntry] {
    let actions = entries.compactMap { entry in
      if case .edit(let edit) = entry { edit.action } else { nil }
    }
    let after = left.applying(actions, noting: &anomalies)
    if after.length == newest.length, after.text == newest.text {
      return entries.filter { if case .event = $0 { true } else { false } }
    }
    guard left.length != newest.length || left.text != newest.text else { return entries }
    anomalies.append(.changedByAnother)
    return divergence(from: newest.text, to: left.text, environment) + entries
  }

  /// Reads a `didChange` that brings the edits that the client was asked for: its first changes lead
  /// exactly to `expected`, the newest state after these edits. Returns the plan of the changes after
  /// them, which are read in `expected`; nil, and changes nothing, if there are no such first changes.
  ///
  /// O(changes · log n), and O(n) for each of at most eight texts of the same length.
  package mutating func didChange(
    _ params: DidChangeParams, bringing expected: TextState, in environment: LSPEnvironment
  ) -> LSPPlan? {
    guard var opened = documents[params.uri], !opened.comparesNextChange,
      environment.left(params.uri) == nil, let state = environment.state(params.uri),
      !opened.isRepeated(version: params.version, changes: params.changes)
    else { return nil }
    var plan = LSPPlan()
    var playback = LSPPlayback(state)
    let reader = reader(of: opened)
    var compared = 0
    for (index, change) in params.changes.enumerated() where compared < 8 {
      playback.read(change, with: reader, noting: &plan.anomalies)
      let current = playback.current(noting: &plan.anomalies)
      guard current.length == expected.length else { continue }
      compared += 1
      guard current.text == expected.text else { continue }
      let rest = params.changes[(index + 1)...]
      if !rest.isEmpty {
        let entries = read(
          rest, of: params, &opened, in: expected, environment,
          noting: &plan.anomalies)
        plan.add(PlannedDocument(params.uri, entries: entries))
      }
      opened.sequence = nil
      documents[params.uri] = opened
      return plan
    }
    return nil
  }

  /// The texts to which the changes of a message may lead in `state`: the buffers of some clients have a last
  /// newline that their texts do not show. O(changes · log n).
  package func texts(after params: DidChangeParams, in state: TextState) -> [TextState] {
    let own = documents[params.uri]?.endsInNewline ?? state.endsInNewline
    return [own, !own].map { endsInNewline in
      var (playback, anomalies) = (LSPPlayback(state), [LSPAnomaly]())
      let reader = LSPReader(client: client, bufferEndsInNewline: endsInNewline)
      for change in params.changes { playback.read(change, with: reader, noting: &anomalies) }
      return playback.current(noting: &anomalies)
    }
  }

  private func read(
    _ changes: ArraySlice<DidChangeParams.Change>, of params: DidChangeParams,
    _ opened: inout OpenDocument, in state: TextState, _ environment: LSPEnvironment,
    noting anomalies: inout [LSPAnomaly]
  ) -> [PlannedEntry] {
    var playback = LSPPlayback(state)
    let reader = reader(of: opened)
    for change in changes { playback.read(change, with: reader, noting: &anomalies) }
    var entries: [PlannedEntry] = []
    let save = opened.unclearSave.take()
    let state = save == nil ? nil : playback.current(noting: &anomalies)
    let annotation = params.annotation
    func origin(_ action: EditAction) -> Origin {
      annotation?.origin ?? (action.newLength > 0 ? .typing : .removal)
    }
    let actions = playback.actions.map { action in
      guard let typing = params.typing, origin(action) == .typing else { return action }
      return action.typed(with: typing)
    }
    entries.append(transaction: actions, author: annotation?.author, origin: origin)
    if let state, save == ComparableText(state) {
      entries.append(savedEvent(environment.digestOfState(state), in: &opened))
    }
    return entries
  }

  /// The number of first changes that the text of the save before already contained: they lead to it
  /// from the text before the save. Kate sends `didSave` before the changes that it saved, and several
  /// of them if it is quick.
  ///
  /// O(changes · log n), and O(n) for each of at most nine texts of the same length.
  private func lateCount(
    _ changes: [DidChangeParams.Change], of opened: inout OpenDocument, in state: TextState
  ) -> Int {
    guard let before = opened.beforeSave.take() else { return 0 }
    var anomalies: [LSPAnomaly] = []
    var playback = LSPPlayback(before)
    let reader = reader(of: opened)
    var compared = 0
    for (index, change) in changes.enumerated() {
      playback.read(change, with: reader, noting: &anomalies)
      let current = playback.current(noting: &anomalies)
      guard current.length == state.length, compared < 8 || index == changes.count - 1 else {
        continue
      }
      if current.text == state.text { return index + 1 }
      compared += 1
    }
    return 0
  }

  /// The event for a save of the text with this digest.
  func savedEvent(_ digest: ContentDigest, in opened: inout OpenDocument) -> PlannedEntry {
    opened.saved = digest
    return .event(.saved(digest))
  }
}
