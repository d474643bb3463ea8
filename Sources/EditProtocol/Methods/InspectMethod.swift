package import EditJSON
public import EditModel

/// A place in a version, as a call names it. At most one of its members is set; if none is, it is the
/// whole text.
public struct PlaceReference: Hashable, Sendable {
  /// The index of a paragraph.
  public var index: Int?
  /// An offset in UTF-16 units.
  public var offset: Int?
  /// A line and a column.
  public var position: TextPosition?
  /// A paragraph's identifier.
  public var paragraph: ParagraphID?
  /// A range in UTF-16 units.
  public var range: UTF16Range?
  /// The first and the last of some lines, counted from 1.
  public var lines: ClosedRange<Int>?

  /// The whole text.
  public init() {}

  /// The number of members that are set.
  package var count: Int {
    let members: [Any?] = [index, offset, position, paragraph, range, lines]
    return members.count { $0 != nil }
  }

  static let codec = Codec<Self>(
    { index, offset, position, paragraph, range, lines in
      var place = PlaceReference()
      (place.index, place.offset, place.position) = (index, offset, position)
      (place.paragraph, place.range, place.lines) = (paragraph, range, lines)
      return place
    },
    .optional("index", \.index, .count), .optional("offset", \.offset, .count),
    .optional("position", \.position, TextPosition.codec),
    .optional("paragraph", \.paragraph, .paragraph), .optional("range", \.range, .range),
    .optional("lines", \.lines, .lines))
}

extension Codec<ClosedRange<Int>> {
  /// The first and the last of some lines, counted from 1.
  static let lines = Codec(
    schema: [
      "type": "array", "items": ["type": "integer", "minimum": 1], "minItems": 2, "maxItems": 2,
    ],
    decode: { (json) throws(ShapeError) in
      let numbers = try json.asArray(of: Codec<Int>.integer(in: 1...Int.max).decode)
      guard numbers.count == 2, numbers[0] <= numbers[1] else {
        throw ShapeError(mustBe: "the first and the last of some lines", found: json)
      }
      return numbers[0]...numbers[1]
    }, encode: { [JSON($0.lowerBound), JSON($0.upperBound)] })
}

/// A line and a column, both counted from 1. The column counts UTF-16 units. Only LF ends a line.
public struct TextPosition: Hashable, Sendable {
  /// The line.
  public var line: Int
  /// The column.
  public var column: Int

  /// A position.
  public init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

  static let codec = Codec<Self>(
    { TextPosition(line: $0, column: $1) },
    .required("line", \.line, .integer(in: 1...Int.max)),
    .required("column", \.column, .integer(in: 1...Int.max)))
}

/// Asks for everything about a place of a version.
public struct InspectRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The version.
  public var at: PointExpression
  /// The place.
  public var place: PlaceReference
  /// The number of paragraphs of the place to skip.
  public var skip: Int
  /// The maximum number of paragraphs. All if nil.
  public var limit: Int?
  /// True if the answer also has the runs of attributes and of paragraphs' identifiers.
  public var runs: Bool

  /// A call.
  public init(
    _ history: HistoryReference, at: PointExpression = .latest,
    _ place: PlaceReference = PlaceReference(), skip: Int = 0, limit: Int? = nil,
    runs: Bool = false
  ) {
    (self.history, self.at, self.place) = (history, at, place)
    (self.skip, self.limit, self.runs) = (skip, limit, runs)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, InspectAnswer>(
    "editlog/inspect",
    "Paragraphs, attributes and position of a place of a version.",
    isChange: false,
    params: Codec(
      { InspectRequest($0, at: $1, $2, skip: $3, limit: $4, runs: $5) },
      .group(\.history, HistoryReference.codec),
      .optional("at", \.at, .point, else: .latest),
      .group(\.place, PlaceReference.codec),
      .optional("skip", \.skip, .count, else: 0),
      .optional("limit", \.limit, .integer(in: 1...Int.max)),
      .optional("runs", \.runs, .bool, else: false)),
    answer: InspectAnswer.codec)
}

/// Everything about a place of a version.
public struct InspectAnswer: HistoryAnswer {
  /// The version's number.
  public var sequence: SequenceNumber
  /// The length of the text in UTF-16 units.
  public var length: Int
  /// The start of the place. Nil for a removed paragraph, and in parts after the first.
  public var start: InspectedPlace?
  /// The paragraphs of the place in order.
  public var paragraphs: AnswerList<ShownParagraph>
  /// The removed paragraph that was asked for.
  public var dead: DeadParagraph?
  /// The runs of attributes and identifiers. Nil if the call does not ask for them.
  public var runs: InspectedRuns?
  /// The carets and selected ranges of the client after the version's edit, the main one first; empty if
  /// it sent none, and in parts after the first.
  public var selection: [SelectedRange]
  /// The `skip` of the next part. Nil after the last.
  public var next: Int?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    sequence: SequenceNumber, length: Int, start: InspectedPlace?,
    paragraphs: AnswerList<ShownParagraph>, dead: DeadParagraph? = nil,
    runs: InspectedRuns? = nil, selection: [SelectedRange] = [], next: Int? = nil,
    reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.length, self.start) = (sequence, length, start)
    (self.paragraphs, self.dead, self.selection) = (paragraphs, dead, selection)
    self.runs = runs
    (self.next, self.reservation) = (next, reservation)
  }

  package static let codec = Codec<Self>(
    {
      InspectAnswer(
        sequence: $0, length: $1, start: $2, paragraphs: $3, dead: $4, runs: $5, selection: $6,
        next: $7, reservation: $8)
    },
    .required("sequence", \.sequence, .unsigned), .required("length", \.length, .count),
    .optionalGroup("offset", \.start, InspectedPlace.codec),
    .required("paragraphs", \.paragraphs, .list(ShownParagraph.codec)),
    .optional("dead", \.dead, DeadParagraph.codec),
    .optionalGroup("runs", \.runs, InspectedRuns.codec),
    .optional("selection", \.selection, .array(.selected), else: []),
    .optional("next", \.next, .count), .group(\.reservation, Reservation.codec))
}

/// The runs of a part of a version: its attributes, and its paragraphs' identifiers, as if these were an
/// attribute too.
public struct InspectedRuns: Hashable, Sendable {
  /// Each range over which an attribute has one value, as long as possible, by location and name. Each is in
  /// one part of the answer: the one in which it begins, or the first.
  public var attributes: [InspectedRun]
  /// The paragraphs that have units.
  public var identifiers: [IdentifierRun]

  /// Runs.
  public init(attributes: [InspectedRun], identifiers: [IdentifierRun]) {
    (self.attributes, self.identifiers) = (attributes, identifiers)
  }

  static let codec = Codec<Self>(
    { InspectedRuns(attributes: $0, identifiers: $1) },
    .required("runs", \.attributes, .array(InspectedRun.codec)),
    .required("identifierRuns", \.identifiers, .array(IdentifierRun.codec)))
}

/// A range over which an attribute has one value.
public struct InspectedRun: Hashable, Sendable {
  /// The attribute, and the range: as long as possible, so it may begin before the place that was asked for.
  public var attribute: InspectedAttribute
  /// The paragraphs that the range touches, terminators included: what it is expanded to for a block.
  public var expanded: UTF16Range

  /// A run.
  public init(_ attribute: InspectedAttribute, expanded: UTF16Range) {
    (self.attribute, self.expanded) = (attribute, expanded)
  }

  static let codec = Codec<Self>(
    { InspectedRun($0, expanded: $1) },
    .group(\.attribute, InspectedAttribute.codec), .required("expanded", \.expanded, .range))
}

/// The range of a paragraph that has units, with its identifier.
public struct IdentifierRun: Hashable, Sendable {
  /// The paragraph's identifier.
  public var id: ParagraphID
  /// The paragraph's range, terminator included.
  public var range: UTF16Range

  /// A run.
  public init(id: ParagraphID, range: UTF16Range) { (self.id, self.range) = (id, range) }

  /// An object of `id`, `location` and `length`.
  package static let codec = Codec<Self>(
    { IdentifierRun(id: $0, range: $1) },
    .required("id", \.id, .paragraph), .group(\.range, .range))
}

/// An offset of a version: its position, and the attributes around it.
public struct InspectedPlace: Hashable, Sendable {
  /// The offset in UTF-16 units.
  public var offset: Int
  /// Its line and column.
  public var position: TextPosition
  /// The attributes of the unit at the offset. Empty at the text's end.
  public var attributes: [InspectedAttribute]
  /// The longest range over which all attributes are those of the unit. Nil at the text's end.
  public var attributeRange: UTF16Range?
  /// The attributes of the unit before the offset, or at the text's start of the first unit: those
  /// that a caret here has. An attribute `link` comes first.
  public var attributesBefore: [InspectedAttribute]

  /// A place.
  public init(
    offset: Int, position: TextPosition, attributes: [InspectedAttribute],
    attributeRange: UTF16Range?, attributesBefore: [InspectedAttribute]
  ) {
    (self.offset, self.position, self.attributes) = (offset, position, attributes)
    (self.attributeRange, self.attributesBefore) = (attributeRange, attributesBefore)
  }

  static let codec = Codec<Self>(
    {
      InspectedPlace(
        offset: $0, position: $1, attributes: $2, attributeRange: $3, attributesBefore: $4)
    },
    .required("offset", \.offset, .count), .group(\.position, TextPosition.codec),
    .required("attributes", \.attributes, .array(InspectedAttribute.codec)),
    .optional("attributeRange", \.attributeRange, .range),
    .required("attributesBefore", \.attributesBefore, .array(InspectedAttribute.codec)))
}

/// An attribute of a unit.
public struct InspectedAttribute: Hashable, Sendable {
  /// The attribute's name.
  public var name: String
  /// The attribute's value.
  public var value: AttributeValue
  /// The longest range around the unit over which the attribute has this value.
  public var range: UTF16Range

  /// An attribute.
  public init(name: String, value: AttributeValue, range: UTF16Range) {
    (self.name, self.value, self.range) = (name, value, range)
  }

  package static let codec = Codec<Self>(
    { name, value, location, length in
      InspectedAttribute(
        name: name, value: value, range: UTF16Range(location..<location + length))
    },
    .required("name", \.name, .string), .required("value", \.value, .attributeValue),
    .required("location", \.range.location, .length), .required("length", \.range.length, .length))
}

extension Codec<AttributeValue> {
  /// An attribute's value.
  package static let attributeValue = Codec(
    schema: [:], decode: { (json) throws(ShapeError) in try AttributeValue(json: json) },
    encode: { $0.json })
}
