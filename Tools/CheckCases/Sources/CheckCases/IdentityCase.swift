import EditModel
import TextState

/// A case of paragraph identity: the identifiers, texts and events under the recommended rules.
struct IdentityCase: Decodable {
  struct Paragraph: Decodable, Equatable {
    var id: String
    var string: String
  }

  struct Event: Decodable, Equatable, CustomStringConvertible {
    var event: String
    var index: Int
    var id: String
    var length: Int?
    var range: [Int]?

    var description: String {
      "\(event) \(index) \(id)" + (length.map { " \($0)" } ?? "") + (range.map { " \($0)" } ?? "")
    }
  }

  struct Outcome: Decodable {
    var ids_before: [String]?
    var ids_after: [String]
    var paragraphs: [Paragraph]?
    var events: [Event]?
  }

  var name: String
  var initial_steps: [CaseEdits]
  var edit: CaseEdits
  var recommended: Outcome

  private enum CodingKeys: String, CodingKey { case name, initial_steps, edit, recommended }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    initial_steps = try container.decode([CaseEdits].self, forKey: .initial_steps)
    edit =
      try container.decodeNil(forKey: .edit)
      ? CaseEdits() : container.decode(CaseEdits.self, forKey: .edit)
    recommended = try container.decode(Outcome.self, forKey: .recommended)
  }

  /// What our outcome has that the recommended one has not.
  var differences: [String] {
    do {
      var text = try EditedText()
      for step in initial_steps { try text.apply(step.edits) }
      var differences: [String] = []
      if let ids = recommended.ids_before {
        differences += difference("identifiers before", text.ids, ids)
      }
      let before = text
      let events = try text.apply(edit.edits)
      differences += difference("identifiers after", text.ids, recommended.ids_after)
      if let paragraphs = recommended.paragraphs {
        differences += difference("texts", text.texts, paragraphs.map(\.string))
        differences += difference("paragraphs", text.ids, paragraphs.map(\.id))
      }
      if let expected = recommended.events {
        differences += difference("events", events.map { event(of: $0, before, text) }, expected)
      }
      return differences
    } catch { return ["\(error)"] }
  }

  private func event(
    of event: ParagraphEvent, _ before: EditedText, _ after: EditedText
  ) -> Event {
    switch event {
    case .removed(let index, let descriptor, _):
      Event(event: "removed", index: index, id: before.name(of: descriptor.id))
    case .inserted(let index, let descriptor, _):
      Event(
        event: "inserted", index: index, id: after.name(of: descriptor.id),
        length: descriptor.range.length)
    case .edited(let index, let descriptor, _):
      Event(
        event: "edited", index: index, id: after.name(of: descriptor.id),
        length: descriptor.range.length)
    case .attributesChanged(let index, let descriptor, let range):
      Event(
        event: "attributesChanged", index: index, id: after.name(of: descriptor.id),
        range: [range.location, range.length])
    }
  }
}
