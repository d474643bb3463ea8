import EditModel
import TextState

/// A case of the events of one edit, told by their indices: those of removed paragraphs count in the
/// text before, all others in the text after.
struct EventsCase: Decodable {
  struct Events: Decodable {
    var insertions: [Int]
    var editions: [Int]
    var removals: [Int]
  }

  var name: String
  var initial_text: String
  var edit: CaseEdits
  var final_text: String?
  var recommended_events_of_the_edit: Events

  /// What our outcome has that the recommended one has not.
  var differences: [String] {
    do {
      var text = try EditedText()
      if !initial_text.isEmpty {
        try text.apply([CaseEdit(location: 0, length: 0, text: initial_text)])
      }
      var (insertions, editions, removals): ([Int], [Int], [Int]) = ([], [], [])
      for event in try text.apply(edit.edits) {
        switch event {
        case .removed(let index, _, _): removals.append(index)
        case .inserted(let index, _, _): insertions.append(index)
        case .edited(let index, _, _), .attributesChanged(let index, _, _): editions.append(index)
        }
      }
      let expected = recommended_events_of_the_edit
      // The order of a list is not part of a case: each list is a set.
      return (final_text.map { difference("text", text.texts.joined(), $0) } ?? [])
        + difference("insertions", insertions.sorted(), expected.insertions.sorted())
        + difference("editions", editions.sorted(), expected.editions.sorted())
        + difference("removals", removals.sorted(), expected.removals.sorted())
    } catch { return ["\(error)"] }
  }
}
