import EditModel
import Projections
import TextState

/// A case of initial synchronisation: the paragraphs of a host's model, and what the repair makes of
/// them.
struct SyncCase: Decodable {
  var name: String?
  var delegate_before: [String]
  var delegate_after: [String]

  /// What our outcome has that the case has not.
  var differences: [String] {
    do {
      let repair = try ParagraphRepair(delegate_before.map { UTF16Text($0) })
      var state = TextState()
      try state.apply(EditAction(replacing: UTF16Range(0..<0), with: repair.text))
      return difference("paragraphs", repair.paragraphs.map { String($0) }, delegate_after)
        + difference(
          "paragraphs of the text", state.paragraphs.map { String(state.text(in: $0.range)) },
          delegate_after)
    } catch { return ["\(error)"] }
  }
}
