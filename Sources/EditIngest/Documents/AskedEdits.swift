import EditJSON
import EditLogFormat
import EditModel
import EditProtocol
import EditorSync
import TextState

/// The edits of a request that an editor was asked to make, as they are logged if it has made them. They are
/// in a file before the editor is asked: if the daemon ends before it logs them, the next one can tell
/// whether the editor has made them.
struct AskedEdits: Hashable, Sendable {
  /// The version to which the edits refer.
  let base: SequenceNumber
  /// The ticket of the request, if it has one. Without one, its entries have the counter of an earlier
  /// request.
  let ticket: RequestTicket?
  let entries: [HistoryEntry]

  /// The maximum number of requests that are kept of a document. Beyond it, the oldest are dropped.
  private static let countMax = 8

  /// The edits.
  var edits: [Edit] {
    entries.compactMap { if case .edit(let edit) = $0 { edit } else { nil } }
  }

  /// The state after the edits. Nil if they do not fit.
  ///
  /// - Parameter state: The state of the version `base`.
  func applied(to state: TextState) -> TextState? {
    var state = state
    do { for edit in edits { try state.advance(by: edit.action) } } catch { return nil }
    return state
  }

  // MARK: Whether the editor has made them

  /// What a text says about the edits that its editor was asked to make.
  enum Outcome {
    /// The text has them; all else that differs was changed by others.
    case made
    /// The text does not have them.
    case notMade
    /// It has changed where the edits were to be made.
    case unknown
  }

  /// Compares a text with those before and after the edits. O(n).
  ///
  /// The edits are in the text if it is the text after them, or differs from that only outside of the
  /// range that they change, and not in it if the same holds for the text before them.
  static func outcome(of text: UTF16Text, before: TextState, after: TextState) -> Outcome {
    if after.text == text { return .made }
    if before.text == text { return .notMade }
    let change = before.change(to: after.text)
    let start = change.range.location
    let (ours, theirs) = (after.change(to: text).range, before.change(to: text).range)
    let end = start + change.newLength
    // Where units were inserted, a change may touch them.
    let isMade =
      change.newLength > 0
      ? ours.upperBound <= start || ours.location >= end
      : ours.upperBound < start || ours.location > end
    let isNotMade = theirs.upperBound < start || theirs.location > change.range.upperBound
    return isMade == isNotMade ? .unknown : isMade ? .made : .notMade
  }

  // MARK: In the file

  /// Those of a document, in the form of its file. Nil if there are none.
  static func content(of all: [AskedEdits]) -> [UInt8]? {
    guard !all.isEmpty else { return nil }
    let asked = all.suffix(countMax).map { asked -> JSON in
      var object: JSONObject = ["base": JSON(asked.base)]
      object["session"] = asked.ticket.map { JSON($0.session.name) }
      object["counter"] = asked.ticket.map { JSON($0.counter) }
      object["entries"] = .array(asked.entries.map(\.json))
      return .object(object)
    }
    return JSON.object(["asked": .array(asked)]).serialized()
  }

  /// Those in the content of a file; none if it is not valid.
  static func all(in content: [UInt8]) -> [AskedEdits] {
    guard let json = try? JSON.parse(content, limits: .message), let object = try? json.asObject(),
      let all = try? object.array(
        "asked",
        of: { (json) throws(ShapeError) in
          try AskedEdits(json: json)
        })
    else { return [] }
    return all
  }

  private init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    base = try object.unsigned("base")
    ticket = try object.ticketIfPresent()
    entries = try object.array("entries") { (json) throws(ShapeError) in
      try HistoryEntry(json: json)
    }
  }

  init(base: SequenceNumber, ticket: RequestTicket?, entries: [HistoryEntry]) {
    (self.base, self.ticket, self.entries) = (base, ticket, entries)
  }
}
