package import EditModel
package import EditProtocol
import TextState

/// The session of one editor: its open documents, and the effect of each of its messages on the log.
///
/// A value without I/O and clock. It reads the log and the files through `LSPEnvironment`, and returns
/// the entries to log as an `LSPPlan`. The plan of a message must be carried out before the next
/// message is read.
package struct LSPSession: Sendable {
  package let client: LSPClient
  /// The documents that the client has open.
  package internal(set) var documents: [DocumentID: OpenDocument] = [:]
  /// What the last message did. An editor that saves a document under another name opens a new one
  /// directly after it has changed, saved or closed the old one, or closes the old one directly after.
  var lastTurn: Turn?

  /// A document was changed or saved; one was opened that had no history; or one was closed.
  enum Turn: Sendable {
    case used(DocumentID)
    case began(DocumentID, ContentDigest)
    case closed(CopySource, ContentDigest)
  }

  /// Restores the state of one document, because the plan of a message was not carried out.
  package mutating func restore(_ document: DocumentID, to state: OpenDocument?) {
    documents[document] = state
  }

  /// Records the version of a document after the plan of a message, unless the client's text is an
  /// older one.
  package mutating func settle(_ document: DocumentID, at version: SequenceNumber) {
    guard documents[document]?.sequence == nil else { return }
    documents[document]?.sequence = version
  }

  /// A reader of changes to this document.
  func reader(of opened: OpenDocument) -> LSPReader {
    LSPReader(client: client, bufferEndsInNewline: opened.endsInNewline)
  }

  /// A session without open documents.
  package init(client: LSPClient) { self.client = client }

  /// `didOpen`: the difference between the log's text and the client's, as edits of the origin
  /// `external`. For a document without a history: its text, and a baseline. If `copyOf` is not nil,
  /// and the text changes, an event before the edits names that version. O(n).
  package mutating func didOpen(
    _ params: DidOpenParams, copyOf source: CopySource? = nil, in environment: LSPEnvironment
  ) -> LSPPlan {
    var plan = LSPPlan()
    let wasOpen = documents[params.uri] != nil
    // The state after the edits would take the memory of another text.
    let (known, actions) = planOpening(
      params.uri, version: params.version, text: params.text, copyOf: source, in: environment,
      plan: &plan)
    known.check(actions, noting: &plan.anomalies)
    // eglot 1.9 opens each file twice, with the same text.
    if wasOpen, !plan.documents.isEmpty { plan.anomalies.append(.openedTwice) }
    return plan
  }

  /// `didClose`. O(n) for the digest of the text.
  package mutating func didClose(
    _ params: TextDocumentParams, in environment: LSPEnvironment
  ) -> LSPPlan {
    var plan = LSPPlan()
    if documents[params.uri] != nil {
      let last = lastTurn
      close(params.uri, in: environment, plan: &plan)
      if case .began(let document, let begun)? = last, document != params.uri,
        case .closed(let source, let closed)? = lastTurn, begun == closed,
        environment.hasFile(params.uri)
      {
        plan.add(PlannedDocument(document, entries: [source.event]))
      }
    } else {
      plan.anomalies.append(.notOpen)
    }
    return plan
  }

  /// The end of the connection: every open document is closed. This is no error: many editors send
  /// nothing before they quit.
  package mutating func end(in environment: LSPEnvironment) -> LSPPlan {
    var plan = LSPPlan()
    for document in documents.keys.sorted(by: { $0.precedes($1) }) {
      close(document, in: environment, plan: &plan)
    }
    return plan
  }

  /// Opens `document`, even if it is open already, with this text. Returns the state after the plan.
  mutating func open(
    _ document: DocumentID, version: Int64?, text: UTF16Text, copyOf source: CopySource? = nil,
    in environment: LSPEnvironment, plan: inout LSPPlan
  ) -> TextState {
    let (known, actions) = planOpening(
      document, version: version, text: text, copyOf: source, in: environment, plan: &plan)
    return known.applying(actions, noting: &plan.anomalies)
  }

  /// As `open`, but returns the state before the plan and the edits of the plan.
  private mutating func planOpening(
    _ document: DocumentID, version: Int64?, text: UTF16Text, copyOf source: CopySource?,
    in environment: LSPEnvironment, plan: inout LSPPlan
  ) -> (known: TextState, actions: [EditAction]) {
    var entries: [PlannedEntry] = []
    let known = environment.state(document)
    let actions = known.difference(to: text)
    let digest = environment.digest(text)
    let source = source ?? (known == nil ? copySource(of: text, digest, in: environment) : nil)
    if let source, !actions.isEmpty { entries.append(source.event) }
    entries.append(transaction: actions) { _ in known == nil ? .load : .external }
    if known == nil { entries.append(.event(.baseline(digest))) }
    lastTurn = known == nil && source == nil && !text.isEmpty ? .began(document, digest) : nil
    plan.add(PlannedDocument(document, entries: entries))

    var opened = OpenDocument(document, version: version, endsInNewline: text.endsInNewline)
    let file = environment.file(of: document)
    // Without a file to compare with, the text counts as saved, which is nearly always true.
    if file == nil || file == ComparableText(text) { opened.saved = digest }
    documents[document] = opened
    return (known ?? TextState(), actions)
  }

  /// The version that the last message changed, saved or closed, if it is this text and its file is
  /// still there. O(n).
  private func copySource(
    of text: UTF16Text, _ digest: ContentDigest, in environment: LSPEnvironment
  ) -> CopySource? {
    let source: CopySource
    switch lastTurn {
    case .closed(let closed, digest): source = closed
    case .used(let document):
      guard let state = environment.state(document), state.hasText(text) else { return nil }
      source = CopySource(document, at: state.sequence)
    case .closed, .began, nil: return nil
    }
    return environment.hasFile(source.document) ? source : nil
  }

  /// Closes `document`, which must be open.
  mutating func close(
    _ document: DocumentID, in environment: LSPEnvironment, plan: inout LSPPlan
  ) {
    let state = environment.left(document) ?? environment.state(document)
    let digest = state.map(environment.digestOfState) ?? environment.digest("")
    let saved = documents.removeValue(forKey: document)?.saved
    let unsaved = saved != digest
    lastTurn = state.map { .closed(CopySource(document, at: $0.sequence), digest) }
    plan.add(PlannedDocument(document, entries: [.event(.closed(unsaved: unsaved))]))
  }
}

extension TextState? {
  /// The edits that lead to `text`: one insertion if there is no state.
  func difference(to text: UTF16Text) -> [EditAction] {
    if let self {
      return self.hasText(text) ? [] : TextDifference.replacements(from: self.text, to: text)
    }
    return text.isEmpty ? [] : [EditAction(replacing: UTF16Range(0..<0), with: text)]
  }
}

extension TextState {
  /// Notes those of `actions`, each in the text after the one before, that do not fit. Only lengths
  /// matter, so nothing is applied.
  fileprivate func check(_ actions: [EditAction], noting anomalies: inout [LSPAnomaly]) {
    var length = length
    for action in actions {
      do {
        try action.validate(textLength: length)
        length += action.changeInLength
      } catch {
        anomalies.append(.refused(error))
      }
    }
  }

  /// This state after `actions`. Edits that do not fit are noted and left out.
  func applying(_ actions: [EditAction], noting anomalies: inout [LSPAnomaly]) -> TextState {
    var state = self
    for action in actions {
      do { try state.advance(by: action) } catch { anomalies.append(.refused(error)) }
    }
    return state
  }
}
