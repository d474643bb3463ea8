import EditJSON
import EditModel
import EditProtocol
import EditQueries
import Styling
import TextState

/// What rules say about a caret.
struct CaretReport: Hashable, Sendable {
  /// Links first, then addresses, then patterns.
  var values: [InspectedAttribute]
  /// The tags that are not inactive; nil if the rules have no tags.
  var tags: [CaretTag]?

  fileprivate static let codec = Codec<Self>(
    { CaretReport(values: $0, tags: $1) },
    .required("caretValues", \.values, .array(InspectedAttribute.codec)),
    .optional("tags", \.tags, .caretTags))
}

/// A tag at a caret.
struct CaretTag: Hashable, Sendable {
  var name: String
  var state: TagRules.State
}

/// A place of a version, and what rules say about it.
struct InspectReport: Hashable, Sendable {
  var place: InspectAnswer
  /// Nil without rules.
  var caret: CaretReport?

  static let codec = Codec<Self>(
    { InspectReport(place: $0, caret: $1) }, .group(\.place, InspectAnswer.codec),
    .optionalGroup("caretValues", \.caret, CaretReport.codec))
}

extension Codec<[CaretTag]> {
  /// An object with the state of each tag.
  fileprivate static let caretTags = Codec(
    schema: [
      "type": "object", "additionalProperties": .object(Codec<TagRules.State>.name().schema),
    ],
    decode: { (json) throws(ShapeError) in
      var tags: [CaretTag] = []
      for member in try json.asObject().members {
        tags.append(
          CaretTag(
            name: member.name, state: try Codec<TagRules.State>.name().decode(member.value)))
      }
      return tags
    },
    encode: { tags in
      .object(JSONObject(unique: tags.map { .init(name: $0.name, value: JSON($0.state.rawValue)) }))
    })
}

extension InspectCommand {
  /// What the rules of a file say about the caret at an offset of a version. Only the paragraph of the
  /// unit before the caret is read and styled.
  func caretReport(
    _ path: String, at caret: Int, of version: SequenceNumber, _ session: Session
  ) async throws -> CaretReport {
    let rules = try RulesFile.read(path, for: name)
    var place = PlaceReference()
    place.offset = max(0, caret - 1)
    let point = PointExpression.sequence(version)
    let found = try await session.ask(name, reading.afterFirstPart) { [place] in
      InspectRequest($0, at: point, place, limit: 1)
    }
    guard let range = found.paragraphs.first?.range, !range.isEmpty else {
      return CaretReport(values: [], tags: Self.tags(rules, [:]))
    }
    let part = try await session.ask(name, reading.afterFirstPart) {
      StateRequest(
        $0, VersionPart(at: point, offset: range.location, limit: range.length))
    }
    var state = TextState()
    do {
      try state.apply(
        EditAction(
          range: UTF16Range(0..<0), replacement: part.text, attributes: .set(part.attributeRuns)))
    } catch {
      throw CommandError.internalError("the paragraph does not fit its attributes: \(error)")
    }
    let styled = StyledText(state, by: rules)
    let local = caret - range.location
    let values = styled.values(atCaret: local, rules).map { value in
      let (lower, upper) = (value.range.location, value.range.upperBound)
      return InspectedAttribute(
        name: value.name, value: value.value,
        range: UTF16Range(lower + range.location..<upper + range.location))
    }
    let unit = max(0, local - 1)
    let attributes = unit < state.length ? state.attributes(at: unit).attributes : [:]
    return CaretReport(values: values, tags: Self.tags(rules, attributes))
  }

  /// The tags that are active or disabled if the caret has some attributes.
  private static func tags(
    _ rules: StyleRules, _ attributes: AttributeSet
  ) -> [CaretTag]? {
    guard let tags = rules.tags else { return nil }
    let known = Set(tags.tags)
    let active = attributes.filter { known.contains($0.name) && $0.value != .bool(false) }
      .map(\.name)
    return tags.states(active: active).filter { $0.value != .inactive }
      .sorted { $0.key < $1.key }.map { CaretTag(name: $0.key, state: $0.value) }
  }

  /// The report as lines.
  func lines(_ report: CaretReport, _ session: Session) -> String {
    var lines = FactLines(session)
    if report.values.isEmpty {
      lines.add("found", "no link and no pattern")
    } else {
      lines.add("found", report.values)
    }
    if let tags = report.tags {
      lines.add(
        "tags", tags.map { "\($0.name.shown) \($0.state.rawValue)" }.joined(separator: ", "))
    }
    return lines.text
  }
}
