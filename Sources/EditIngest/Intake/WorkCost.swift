import EditLog
import EditModel
import EditProtocol
import EditorSync
import TextState

/// Estimates of the time that work takes. The unit is the insertion of one UTF-16 unit; 100,000 of them
/// take about a millisecond.
enum WorkCost {
  /// The cost of any edit or event.
  static let entry = 64
  /// The cost per UTF-16 unit of comparing texts: a comparison may take many times their lengths.
  static let comparedUnit = 256
  /// The cost per UTF-16 unit before a position in another encoding, to find it.
  static let passedUnit = 8
  /// The cost of renaming a document.
  static let rename = 2_048
  /// The cost of searching a history for a request. It is above `IngestOptions.longLength`, so the
  /// search never runs on the loop.
  static let search = 1 << 30
  /// The cost per attribute run that an edit changes or sets.
  static let run = 64
  /// The cost per range of a selection: four units are looked up.
  static let selected = 64
}

extension AppendRequest {
  /// The cost of staging the edits in a document of `length` UTF-16 units with `runCount` attribute
  /// runs, in units of `WorkCost`. The whole text is hashed if it was saved. O(edits).
  func cost(runCount: Int, length: Int) -> Int {
    edits.reduce(isSaved ? length : 0) { sum, edit in
      let action = edit.action
      let visited = action.attributes == .inherit ? 0 : min(runCount, action.range.length)
      let cost = sum + action.ownCost + visited * WorkCost.run
      guard let selection = edit.selection else { return cost }
      return cost + (selection.before.count + selection.after.count) * WorkCost.selected
    }
  }
}

extension ImportRequest {
  /// The cost of staging the entries, in units of `WorkCost`. O(entries).
  var cost: Int { entries.reduce(0) { $0 + $1.cost } }
}

extension HistoryEntry {
  /// The cost of staging or writing it, in units of `WorkCost`.
  var cost: Int {
    switch self {
    case .edit(let edit): edit.action.ownCost
    case .event: WorkCost.entry
    }
  }
}

extension EditAction {
  /// The cost of its text and its attributes, in units of `WorkCost`, without the cost that depends on
  /// the document.
  var ownCost: Int {
    let text = (replacement?.count ?? 0) + WorkCost.entry
    return switch attributes {
    case .inherit: text
    case .set(let runs), .merge(let runs):
      runs.reduce(text) { $0 + WorkCost.run + $1.attributes.size }
    case .remove(let names): names.reduce(text) { $0 + WorkCost.run + $1.utf8.count }
    }
  }
}

extension LSPSession {
  /// The cost of reading a message about one document of `length` UTF-16 units, in units of
  /// `WorkCost`; 0 if the message concerns other documents too.
  func cost(
    of message: LSPMessage, documentLength length: Int, fileSize: Int
  ) -> Int {
    // A new document has no text to compare with.
    let compared =
      (length == 0 ? 1 : WorkCost.comparedUnit) * max(length, message.textLength, fileSize)
      + fileSize
    switch message {
    case .didOpen: return compared
    case .didChange(let params, _):
      guard let opened = documents[params.uri] else { return compared }
      if opened.comparesNextChange || params.changes.contains(where: { $0.range == nil }) {
        return compared
      }
      let passed = client.encoding == .utf16 ? 0 : length * WorkCost.passedUnit
      return message.textLength + params.changes.count * (WorkCost.entry + passed)
        + (params.changes.count > 1 ? length : 0)
    case .didSave: return compared
    case .didClose(let params): return documents[params.uri] == nil ? 0 : length
    case .initialize, .reopened, .didRenameFiles, .renamed, .renamedOntoKnown, .part, .end,
      .ended, .other:
      return 0
    }
  }
}
