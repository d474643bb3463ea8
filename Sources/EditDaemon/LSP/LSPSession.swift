public import EditModel
public import EditProtocol
import TextState

/// One client's connection as its messages tell it: which documents it has open, and what each
/// message means for the log.
///
/// A value without I/O and clock: what it must know of the world it asks of `LSPEnvironment`,
/// and what is to happen it returns as a plan. The plan of a message must be carried out before
/// the next message is read. `willSave` means nothing and has no method.
public struct LSPSession: Sendable {
  /// The client.
  public let client: LSPClient
  /// The documents it has open.
  public internal(set) var documents: [DocumentID: OpenDocument] = [:]

  /// A reader of the changes to this document.
  func reader(of opened: OpenDocument) -> LSPReader {
    LSPReader(client: client, bufferEndsInNewline: opened.endsInNewline)
  }

  /// The session of a client that has nothing open yet.
  public init(client: LSPClient) { self.client = client }

  /// `didOpen`: the difference between the log's text and the client's, as edits made outside; or
  /// the first text of a document the log does not know, and its baseline. O(n).
  public mutating func didOpen(
    _ params: DidOpenParams, in environment: LSPEnvironment
  ) -> LSPPlan {
    var plan = LSPPlan()
    if documents[params.uri] != nil { plan.anomalies.append(.openedTwice) }
    _ = open(
      params.uri, version: params.version, text: params.text, in: environment, plan: &plan)
    return plan
  }

  /// `didClose`. O(n) for the digest of the text.
  public mutating func didClose(
    _ params: TextDocumentParams, in environment: LSPEnvironment
  ) -> LSPPlan {
    var plan = LSPPlan()
    if documents[params.uri] != nil {
      close(params.uri, in: environment, plan: &plan)
    } else {
      plan.anomalies.append(.notOpen)
    }
    return plan
  }

  /// The end of the connection, however it came: every document still open is closed. Editors
  /// that quit or die say no more than this, so it is no error.
  public mutating func end(in environment: LSPEnvironment) -> LSPPlan {
    var plan = LSPPlan()
    for document in documents.keys.sorted(by: { $0.precedes($1) }) {
      close(document, in: environment, plan: &plan)
    }
    return plan
  }

  /// Opens `document`, open or not, with this text. Returns the state that the plan leads to.
  mutating func open(
    _ document: DocumentID, version: Int64?, text: UTF16Text, in environment: LSPEnvironment,
    plan: inout LSPPlan
  ) -> TextState {
    var entries: [PlannedEntry] = []
    let known = environment.state(document)
    let actions = known.difference(to: text)
    entries.append(transaction: actions) { _ in known == nil ? .load : .external }
    let digest = environment.digest(text)
    if known == nil { entries.append(.event(.baseline(digest))) }
    plan.add(PlannedDocument(document, entries: entries))

    var opened = OpenDocument(document, version: version, endsInNewline: text.endsInNewline)
    let file = environment.file(of: document)
    // Without a file to compare with, the text is taken for the saved one, as it nearly always is.
    if file == nil || file == ComparableText(text) { opened.saved = digest }
    documents[document] = opened
    return (known ?? TextState()).applying(actions, noting: &plan.anomalies)
  }

  /// Closes `document`, which must be open.
  mutating func close(
    _ document: DocumentID, in environment: LSPEnvironment, plan: inout LSPPlan
  ) {
    let text = environment.state(document)?.text ?? ""
    let saved = documents.removeValue(forKey: document)?.saved
    let unsaved = saved != environment.digest(text)
    plan.add(PlannedDocument(document, entries: [.event(.closed(unsaved: unsaved))]))
  }
}

extension LSPPlan {
  /// Adds what is to be recorded in a document, where there is anything.
  mutating func add(_ document: PlannedDocument) {
    if document.renamedFrom != nil || !document.entries.isEmpty { documents.append(document) }
  }
}

extension LSPEnvironment {
  /// The text of a document's file. Returns nil if the file cannot be read or is not UTF-8.
  func textOfFile(_ document: DocumentID) -> UTF16Text? {
    let text = readDisk(document).flatMap { String(validating: $0, as: UTF8.self) }
    return text.map { UTF16Text($0) }
  }

  /// The file of a document; nil where it cannot be read or is not UTF-8.
  func file(of document: DocumentID) -> ComparableText? {
    readDisk(document).flatMap(ComparableText.init(bytes:))
  }
}

extension DocumentID {
  /// True where this name's bytes come first.
  func precedes(_ other: DocumentID) -> Bool {
    name.utf8.lexicographicallyPrecedes(other.name.utf8)
  }
}

extension TextState? {
  /// The edits that lead to `text`: one where nothing is known, however long.
  func difference(to text: UTF16Text) -> [EditAction] {
    if let self { return TextDifference.replacements(from: self.text, to: text) }
    return text.isEmpty ? [] : [EditAction(replacing: UTF16Range(0..<0), with: text)]
  }
}

extension TextState {
  /// This state after `actions`.
  func applying(_ actions: [EditAction], noting anomalies: inout [LSPAnomaly]) -> TextState {
    var state = self
    for action in actions {
      do { try state.advance(by: action) } catch { anomalies.append(.refused(error)) }
    }
    return state
  }
}
