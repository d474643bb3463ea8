import EditJSON
import EditModel
import EditProtocol
import EditQueries
import Styling
import TextState

/// What rules say about a caret.
struct CaretReport {
  /// Links first, then addresses, then patterns.
  var values: [CaretValue]
  /// The tags that are not inactive, by name; nil if the rules have no tags.
  var tags: [(name: String, state: TagRules.State)]?

  /// The members of a JSON object.
  var members: [JSONObject.Member] {
    let values = values.map { value -> JSON in
      .object([
        "name": JSON(value.name), "value": value.value.json,
        "location": JSON(value.range.location), "length": JSON(value.range.length),
      ])
    }
    var members = [JSONObject.Member(name: "caretValues", value: .array(values))]
    if let tags {
      var states = JSONObject()
      for (name, state) in tags { states[name] = JSON(state.rawValue) }
      members.append(JSONObject.Member(name: "tags", value: .object(states)))
    }
    return members
  }
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
      var value = value
      value.range = UTF16Range(
        value.range.location + range.location..<value.range.upperBound + range.location)
      return value
    }
    let unit = max(0, local - 1)
    let attributes = unit < state.length ? state.attributes(at: unit).attributes : [:]
    return CaretReport(values: values, tags: Self.tags(rules, attributes))
  }

  /// The tags that are active or disabled if the caret has some attributes.
  private static func tags(
    _ rules: StyleRules, _ attributes: AttributeSet
  ) -> [(name: String, state: TagRules.State)]? {
    guard let tags = rules.tags else { return nil }
    let known = Set(tags.tags)
    let active = attributes.filter { known.contains($0.name) && $0.value != .bool(false) }
      .map(\.name)
    return tags.states(active: active).filter { $0.value != .inactive }
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The report as lines.
  func lines(_ report: CaretReport, _ session: Session) -> String {
    var lines = FactLines(session)
    if report.values.isEmpty {
      lines.add("found", "no link and no pattern")
    } else {
      lines.add(
        "found",
        report.values.map {
          InspectedAttribute(name: $0.name, value: $0.value, range: $0.range)
        })
    }
    if let tags = report.tags {
      lines.add(
        "tags", tags.map { "\($0.name.shown) \($0.state.rawValue)" }.joined(separator: ", "))
    }
    return lines.text
  }
}
