import EditModel
public import EditProtocol
import TextState

extension LSPSession {
  /// `didSave`, with the text where the client sent it.
  ///
  /// Three texts are compared, as `ComparableText`: ours, the client's and the file's. None is
  /// believed alone, because a narrowed buffer sends its visible part, another client doubles its
  /// backslashes, and a third saves before it tells the edits it saved:
  ///
  /// - ours is in the file, or is the client's, or is all there is: it was saved;
  /// - the client's is in the file, and ours is another: the divergence, the edits that bring
  ///   ours to theirs, and the save are recorded;
  /// - else nothing yet: the next change must make our text that of the file.
  ///
  /// O(n). `found` is the identity of a document that is not open; if it is nil, the document is
  /// identified here.
  public mutating func didSave(
    _ params: DidSaveParams, as found: UnopenedDocument? = nil, in environment: LSPEnvironment
  ) -> LSPPlan {
    var plan = LSPPlan()
    let (document, text) = (params.uri, params.text)
    var state = environment.state(document) ?? TextState()
    if documents[document] == nil {
      let found = found ?? identify(document, savedAs: text, in: environment)
      let begun = begin(document, as: found, in: environment, plan: &plan) {
        // The file is what was saved; the client's text may be part of it.
        environment.textOfFile(document) ?? text
      }
      guard let begun else { return plan }
      state = begun
    }
    guard var opened = documents[document] else { return plan }
    let entries = save(text, of: &opened, in: state, environment, noting: &plan.anomalies)
    plan.add(PlannedDocument(document, entries: entries))
    documents[document] = opened
    return plan
  }

  private func save(
    _ text: UTF16Text?, of opened: inout OpenDocument, in state: TextState,
    _ environment: LSPEnvironment, noting anomalies: inout [LSPAnomaly]
  ) -> [PlannedEntry] {
    (opened.unclearSave, opened.beforeSave) = (nil, nil)
    let ourText = state.text
    // An equal text tells nothing new: it may end in an empty line.
    if let text, text != ourText { opened.endsInNewline = text.endsInNewline }
    let ours = ComparableText(ourText)
    let (theirs, file) = (text.map(ComparableText.init), environment.file(of: opened.document))
    if ours == file || ours == theirs || file == nil && theirs == nil {
      return [savedEvent(of: ourText, in: &opened, environment)]
    }
    guard let text, theirs == file else {
      opened.unclearSave = file ?? theirs
      anomalies.append(.unclearSave)
      return []
    }
    opened.beforeSave = state
    let digests = (ours: environment.digest(ourText), theirs: environment.digest(text))
    var entries: [PlannedEntry] = [
      .event(.divergence(ours: digests.ours, theirs: digests.theirs))
    ]
    let actions = TextDifference.replacements(from: ourText, to: text)
    entries.append(transaction: actions) { _ in .external }
    entries.append(savedEvent(of: text, in: &opened, environment))
    return entries
  }
}
