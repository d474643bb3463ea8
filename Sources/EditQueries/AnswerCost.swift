import EditProtocol
import TextState

/// What the memory of an answer depends on, as far as it is known before the history is read.
///
/// The figures of `state`, `paragraphs`, `inspect`, `outline`, `blame`, `log` and the history of a paragraph were
/// measured on a text of a million line breaks, and rounded up. The others are estimates.
struct AnswerCost {
  /// UTF-16 units of the newest version.
  let units: Int
  /// Its paragraphs.
  let paragraphs: Int
  /// Its attribute runs.
  let runs: Int
  let edits: Int
  /// Bytes of the decompressed history, at least one for each unit that was ever inserted. Called only if
  /// it matters, because it may open files.
  let history: () async -> Int

  /// An upper bound of the memory for the answer to a question, in bytes. Rows that are written while
  /// they are made take none.
  func size(of request: any MethodRequest) async -> Int {
    switch request {
    case let request as StateRequest:
      let length = min(units, request.part.limit ?? units)
      return length * 4 + runs * Self.run + (isNewest(request.part.at) ? 0 : state)
    case let request as ParagraphsRequest:
      let rows = min(units, Self.rowsTogether * Self.paragraphLength) * 4
      let list = request.range == nil ? 0 : paragraphs * Self.listed
      let details = request.details == ParagraphsRequest.Details() ? 0 : models
      return rows + list + details + (isNewest(request.part.at) ? 0 : state)
    case let request as InspectRequest:
      return await state + models + undo
        + (request.runs ? (runs + paragraphs) * Self.inspectedRun : 0)
    case is ParagraphHistoryRequest, is OutlineRequest: return state + models
    case is BlameRequest, is BlameReverseRequest: return await 2 * state + undo + units * 2
    case is UndoStepsRequest, is UndoPlanRequest, is UndoRequest, is RedoPlanRequest,
      is RedoRequest:
      return await state + undo
    case is DiffRequest, is ParagraphDiffRequest, is RestorePlanRequest, is RestoreRequest:
      return 2 * state + units * 6 + paragraphs * Self.compared
    case is RenderRequest: return state + Self.renderedSize
    // Pages of few edits, each of which may be as long as the text.
    case is LogRequest: return Self.pageSize + units * 4
    // An edit, and the version before it if it removes something.
    case is LogPreviewRequest: return state + units * 4
    // A version to which edits are applied, and their text.
    case is SubscribeRequest: return state + units * 4
    case is ExportRequest: return state + units * 8 + paragraphs * Self.compared
    default: return state + units * 8
    }
  }

  private func isNewest(_ point: PointExpression) -> Bool { point == .latest }

  /// A version that is replayed.
  private var state: Int { units * 2 + paragraphs * 48 + runs * 72 }

  /// The models of the paragraphs. Those that are gone are not known; an edit removes one at most in
  /// most histories.
  private var models: Int { (paragraphs + edits) * Self.model }

  /// The undo steps, and the text of all units that ever were.
  private var undo: Int { get async { await history() * 3 + edits * Self.undoneEdit } }

  /// Bytes of one of each: an attribute run, a paragraph in a list, in a model and in a comparison, an
  /// edit among undo steps.
  private static let (run, listed, model, compared, undoneEdit) = (96, 64, 320, 160, 256)
  /// Bytes of a run of an attribute or of an identifier, with its name and its value.
  private static let inspectedRun = 192
  /// Rows that are made together, and an estimate of the length of each.
  private static let (rowsTogether, paragraphLength) = (256, 4_096)
  /// Rendered rows, whose number of units has a bound.
  private static let renderedSize = 2 << 20
  /// A page of the log.
  private static let pageSize = 1 << 20
}
