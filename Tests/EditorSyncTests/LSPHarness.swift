import EditorSync
import EditModel
import EditProtocol
import TestSupport
import Testing
import TextState

/// A log in memory with one client: carries out the plans of its session, keeps their entries, and
/// checks that they fit.
struct LSPHarness {
  /// The document of messages that name no other.
  static let note = "file:///note.md"

  var session: LSPSession
  var states: [DocumentID: TextState] = [:]
  var disk: [String: [UInt8]] = [:]
  /// The entries that were logged since the last call of `recorded`, one per line.
  var log: [String] = []
  var anomalies: [LSPAnomaly] = []

  init(_ client: LSPClient) { session = LSPSession(client: client) }

  init(_ name: String? = nil, encodings: [String] = []) {
    let params = InitializeParams(clientName: name, positionEncodings: encodings)
    self.init(LSPClient(params))
  }

  /// The text of a document.
  func text(_ name: String = note) -> String {
    DocumentID(name).flatMap { states[$0] }.map { String($0.text) } ?? "unknown"
  }

  /// The entries that were logged since the last call.
  mutating func recorded() -> [String] {
    defer { log = [] }
    return log
  }

  var environment: LSPEnvironment {
    var environment = LSPEnvironment(
      state: { [states] in states[$0] }, isKnown: { [states] in states[$0] != nil },
      readDisk: { [disk] in disk[$0.name] }, hasFile: { [disk] in disk[$0.name] != nil },
      digest: digestForTests, digestOfState: { digestForTests($0.text) })
    environment.documents = { [states] folders in states.keys.filter { folders.contains($0) } }
    return environment
  }
}

/// A substitute for SHA-256: not cryptographic, but equal texts have equal digests.
func digestForTests(_ text: UTF16Text) -> ContentDigest {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  for unit in text.units { hash = (hash ^ UInt64(unit)) &* 0x100_0000_01B3 }
  let bytes = (0..<4).flatMap { _ in (0..<8).map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) } }
  guard let digest = ContentDigest(bytes: bytes) else { preconditionFailure("32 bytes") }
  return digest
}

/// Messages, in the short form that the tests need.
extension LSPHarness {
  mutating func open(_ text: UTF16Text, _ name: String = note, version: Int64? = 0) {
    open(DidOpenParams(uri: document(name), version: version, text: text))
  }

  mutating func open(_ params: DidOpenParams) {
    carryOut(session.didOpen(params, in: environment))
  }

  /// The changes as `line:column-line:column`, or `all` for the whole text.
  mutating func change(
    _ changes: (String, UTF16Text)..., version: Int64? = nil, in name: String = note
  ) {
    change(all: changes, version: version, in: name)
  }

  mutating func change(
    all changes: [(String, UTF16Text)], version: Int64? = nil, in name: String = note
  ) {
    let changes = changes.map { DidChangeParams.Change(range: range($0.0), text: $0.1) }
    change(DidChangeParams(uri: document(name), version: version, changes: changes))
  }

  mutating func change(_ params: DidChangeParams) {
    carryOut(session.didChange(params, in: environment))
  }

  mutating func save(_ text: UTF16Text? = nil, _ name: String = note) {
    save(DidSaveParams(uri: document(name), text: text))
  }

  mutating func save(_ params: DidSaveParams) {
    carryOut(session.didSave(params, in: environment))
  }

  mutating func close(_ name: String = note) {
    carryOut(session.didClose(TextDocumentParams(uri: document(name)), in: environment))
  }

  mutating func rename(_ old: String, to new: String) {
    let rename = DidRenameFilesParams.Rename(oldURI: document(old), newURI: document(new))
    carryOut(session.didRenameFiles(DidRenameFilesParams(files: [rename]), in: environment))
  }

  mutating func end() { carryOut(session.end(in: environment)) }

  private func range(_ notation: String) -> LSPRange? {
    let numbers = notation.split(whereSeparator: { ":-".contains($0) }).compactMap { Int($0) }
    guard numbers.count == 4 else { return nil }
    return LSPRange(
      start: LSPPosition(line: numbers[0], character: numbers[1]),
      end: LSPPosition(line: numbers[2], character: numbers[3]))
  }
}

/// The plans.
extension LSPHarness {
  mutating func carryOut(_ plan: LSPPlan) {
    anomalies += plan.anomalies
    for planned in plan.documents {
      if let old = planned.renamedFrom {
        #expect(states[planned.document] == nil, "renamed onto a history")
        states[planned.document] = states.removeValue(forKey: old)
      }
      for entry in planned.entries { record(entry, in: planned.document) }
    }
  }

  private mutating func record(_ entry: PlannedEntry, in document: DocumentID) {
    var state = states[document] ?? TextState()
    switch entry {
    case .edit(let edit):
      #expect(throws: Never.self) { try state.apply(edit.action) }
      log.append((edit.continuesTransaction ? "& " : "") + name(of: edit))
    case .event(let event):
      log.append(name(of: event, at: digestForTests(state.text)))
    }
    states[document] = state
  }

  private func name(of edit: PlannedEdit) -> String {
    let text = edit.action.replacement.map { String($0) } ?? "nil"
    return "\(edit.origin) \(edit.action.range) \(text.debugDescription)"
  }

  private func name(of event: HistoryEvent.Kind, at now: ContentDigest) -> String {
    switch event {
    case .mark: "mark"
    case .baseline(let digest): digest == now ? "baseline" : "baseline of another text"
    case .saved(let digest): digest == now ? "saved" : "saved another text"
    case .closed(let unsaved): unsaved ? "closed, unsaved" : "closed"
    case .divergence(let ours, let theirs):
      ours == now && theirs != now ? "divergence" : "divergence of other texts"
    case .renamed(let old): "renamed from \(old)"
    case .session(let description): "session of \(description.client)"
    case .copied(let from, let at): "copied from \(from) at \(at)"
    case .undo(let change, _): "undo of \(change.undone), redo of \(change.redone)"
    }
  }
}
