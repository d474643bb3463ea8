import EditJSON
public import EditModel

/// What the edits of one transaction changed: all that a copy of the text, its attributes and its
/// paragraphs needs to follow. If a delivery ends within a transaction, the next one has the rest.
public struct GroupChange: Hashable, Sendable {
  /// The first edit.
  public var first: SequenceNumber
  /// The last edit.
  public var last: SequenceNumber
  /// The kinds of changes of all edits.
  public var actions: EditActions
  /// The edited range, in UTF-16 units of the text after the last edit. It covers the ranges of all
  /// edits, and what is between them.
  public var editedRange: UTF16Range
  /// New length minus old length of the text, in UTF-16 units.
  public var changeInLength: Int
  /// The changes of text and attributes, one for each edit, in their order.
  public var contents: [ContentChange]
  /// What became of paragraphs from before the first edit to after the last: the removed ones first,
  /// highest old index first; then the others by ascending new index. If they are applied to the list of
  /// paragraphs before the group, the result is the list after it. Nil if there are more than
  /// `paragraphCountMax`; `rest` then says where to read them.
  public var paragraphs: [ParagraphChange]?
  /// How the paragraphs after the last edit are read, if there are more than `paragraphCountMax` changes.
  public var rest: ChangeRest<ParagraphsRequest>?
  /// What became of sections, as `paragraphs` of paragraphs. Nil if the subscription did not ask for it, or if
  /// there are more than `paragraphCountMax`; `sectionsRest` then says where to read them.
  public var sections: [SectionChange]?
  /// How the sections after the last edit are read, if there are more than `paragraphCountMax` changes.
  public var sectionsRest: ChangeRest<OutlineRequest>?

  /// The maximum number of changes of paragraphs.
  public static let paragraphCountMax = 10_000
  /// The maximum length of a paragraph whose content is told, in UTF-16 units.
  public static let paragraphLengthMax = 1 << 16

  /// A change.
  public init(
    first: SequenceNumber, last: SequenceNumber, actions: EditActions, editedRange: UTF16Range,
    changeInLength: Int, contents: [ContentChange], paragraphs: [ParagraphChange]?,
    rest: ChangeRest<ParagraphsRequest>? = nil, sections: [SectionChange]? = nil,
    sectionsRest: ChangeRest<OutlineRequest>? = nil
  ) {
    (self.first, self.last, self.actions) = (first, last, actions)
    (self.editedRange, self.changeInLength) = (editedRange, changeInLength)
    (self.contents, self.paragraphs, self.rest) = (contents, paragraphs, rest)
    (self.sections, self.sectionsRest) = (sections, sectionsRest)
  }

  static let codec = Codec<Self>(
    {
      GroupChange(
        first: $0, last: $1, actions: $2, editedRange: $3, changeInLength: $4, contents: $5,
        paragraphs: $6, rest: $7, sections: $8, sectionsRest: $9)
    },
    .required("first", \.first, .unsigned),
    .required("last", \.last, .unsigned),
    .required("actions", \.actions, .actions),
    .required("editedRange", \.editedRange, .range),
    .required(
      "changeInLength", \.changeInLength,
      .integer(in: -EditAction.textLengthMax...EditAction.textLengthMax)),
    .required("contents", \.contents, .array(ContentChange.codec)),
    .optional("paragraphs", \.paragraphs, .array(ParagraphChange.codec)),
    .optional("rest", \.rest, ChangeRest.codec),
    .optional("sections", \.sections, .array(SectionChange.codec)),
    .optional("sectionsRest", \.sectionsRest, ChangeRest.codec))
}

/// Where to read what changed if too many changes are left out.
public struct ChangeRest<Request: MethodRequest>: Hashable, Sendable {
  /// The number of changes that were left out.
  public var count: Int
  /// The call that reads all after the last edit, in parts.
  public var request: Request

  /// The call that reads what `count` changes led to.
  public init(count: Int, _ request: Request) { (self.count, self.request) = (count, request) }

  private var method: String { Request.method }

  static var codec: Codec<Self> {
    Codec(
      { count, _, request in ChangeRest(count: count, request) },
      .required("count", \.count, .count), .required("method", \.method, .string),
      .required("params", \.request, Request.definition.params))
  }
}

/// The change of text and attributes by one edit.
public struct ContentChange: Hashable, Sendable {
  /// The replaced or formatted range, in UTF-16 units of the text before the edit.
  public var range: UTF16Range
  /// The text that replaces the range; nil if only attributes change.
  public var text: UTF16Text?
  /// The attributes of the new text, or of the formatted range, after the edit.
  public var attributeRuns: [AttributeRun]

  /// A change.
  public init(range: UTF16Range, text: UTF16Text?, attributeRuns: [AttributeRun]) {
    (self.range, self.text, self.attributeRuns) = (range, text, attributeRuns)
  }

  static let codec = Codec<Self>(
    { ContentChange(range: $0, text: $1, attributeRuns: $2) },
    .group(\.range, .range),
    .optional("text", \.text, .text),
    .required("attributeRuns", \.attributeRuns, .array(.run)))
}

/// What became of one paragraph.
public struct ParagraphChange: Hashable, Sendable {
  /// The kinds of changes.
  public enum Event: String, CaseIterable, Sendable {
    /// The paragraph was removed.
    case removed
    /// The paragraph is new.
    case inserted
    /// Its units changed.
    case edited
    /// Only attributes changed.
    case attributesChanged
  }

  /// What happened.
  public var event: Event
  /// Its index after the group; of a removed paragraph that before it.
  public var index: Int
  /// Its identifier.
  public var id: ParagraphID
  /// Its range in UTF-16 units, terminator included: after the group; of a removed paragraph before it.
  public var range: UTF16Range
  /// Its range before the group, if it was edited; the range whose attributes changed, if only they did.
  public var changedRange: UTF16Range?
  /// The paragraph from which some of the text of a new one comes, or that got the rest of the text of
  /// a removed one.
  public var related: ParagraphID?
  /// The text of a new or edited paragraph. Nil if it is longer than `GroupChange.paragraphLengthMax`, or
  /// if the contents of the paragraphs of the delivery before it have 1,048,576 units already.
  public var text: UTF16Text?
  /// The attributes of a paragraph that was not removed. Nil as `text`.
  public var attributeRuns: [AttributeRun]?
  /// The text that a removed paragraph had before the group. Nil as `text`; `oldDigest` is then there.
  public var oldText: UTF16Text?
  /// The digest of the text that a removed paragraph had, if `oldText` is left out.
  public var oldDigest: ContentDigest?

  /// A change.
  public init(
    _ event: Event, index: Int, id: ParagraphID, range: UTF16Range,
    changedRange: UTF16Range? = nil, related: ParagraphID? = nil, text: UTF16Text? = nil,
    attributeRuns: [AttributeRun]? = nil, oldText: UTF16Text? = nil,
    oldDigest: ContentDigest? = nil
  ) {
    (self.event, self.index, self.id, self.range) = (event, index, id, range)
    (self.changedRange, self.related) = (changedRange, related)
    (self.text, self.attributeRuns) = (text, attributeRuns)
    (self.oldText, self.oldDigest) = (oldText, oldDigest)
  }

  static let codec = Codec<Self>(
    {
      ParagraphChange(
        $0, index: $1, id: $2, range: $3, changedRange: $4, related: $5, text: $6,
        attributeRuns: $7, oldText: $8, oldDigest: $9)
    },
    .required("event", \.event, .name()),
    .required("index", \.index, .count),
    .required("id", \.id, .paragraph),
    .group(\.range, .range),
    .optional("changedRange", \.changedRange, .range),
    .optional("related", \.related, .paragraph),
    .optional("text", \.text, .text),
    .optional("attributeRuns", \.attributeRuns, .array(.run)),
    .optional("oldText", \.oldText, .text),
    .optional("oldDigest", \.oldDigest, .contentDigest))
}

/// What became of one section.
public struct SectionChange: Hashable, Sendable {
  /// The kinds of changes.
  public enum Event: String, CaseIterable, Sendable {
    /// Its heading was removed, or is none any more.
    case removed
    /// The section is new.
    case inserted
    /// A paragraph of it changed, or was removed or inserted.
    case edited
  }

  /// What happened.
  public var event: Event
  /// Its index after the group; of a removed section that before it.
  public var index: Int
  /// The heading's paragraph. Nil before the first heading.
  public var id: ParagraphID?
  /// What the section is after the group. Nil if it was removed.
  public var facts: Facts?

  /// A section, without its place.
  public struct Facts: Hashable, Sendable {
    /// The heading's level, from 1; 0 before the first heading.
    public var level: Int
    /// Its heading, cut. Nil before the first heading.
    public var heading: UTF16Text?
    /// The number of its paragraphs, the heading among them.
    public var paragraphCount: Int
    /// Its length in UTF-16 units.
    public var length: Int
    /// Its words.
    public var words: Int
    /// Its characters, as people count them, without terminators.
    public var characters: Int

    /// A section.
    public init(
      level: Int, heading: UTF16Text?, paragraphCount: Int, length: Int, words: Int,
      characters: Int
    ) {
      (self.level, self.heading, self.paragraphCount) = (level, heading, paragraphCount)
      (self.length, self.words, self.characters) = (length, words, characters)
    }

    static let codec = Codec<Self>(
      {
        Facts(
          level: $0, heading: $1, paragraphCount: $2, length: $3, words: $4, characters: $5)
      },
      .required("level", \.level, .count), .optional("heading", \.heading, .text),
      .required("paragraphCount", \.paragraphCount, .count),
      .required("length", \.length, .length), .required("words", \.words, .count),
      .required("characters", \.characters, .count))
  }

  /// A change.
  public init(_ event: Event, index: Int, id: ParagraphID?, facts: Facts? = nil) {
    (self.event, self.index, self.id, self.facts) = (event, index, id, facts)
  }

  static let codec = Codec<Self>(
    { SectionChange($0, index: $1, id: $2, facts: $3) },
    .required("event", \.event, .name()), .required("index", \.index, .count),
    .optional("id", \.id, .paragraph), .optionalGroup("level", \.facts, Facts.codec))
}

extension Codec<ContentDigest> {
  /// The digest of a text, in 64 hexadecimal digits.
  static let contentDigest = Codec(
    schema: ["type": "string", "pattern": "^[0-9a-f]{64}$"],
    decode: { (json) throws(ShapeError) in
      guard let digest = ContentDigest(hex: try json.asString()) else {
        throw ShapeError(mustBe: "64 hexadecimal digits", found: json)
      }
      return digest
    }, encode: { JSON($0.hex) })
}

extension Codec<EditActions> {
  /// The names of kinds of changes.
  static let actions = Codec(
    schema: ["type": "array", "items": ["enum": ["characters", "attributes"]]],
    decode: { (json) throws(ShapeError) in
      let names = try json.asArray { (json) throws(ShapeError) in try json.asString() }
      return names.reduce(into: EditActions()) { actions, name in
        if name == "characters" { actions.insert(.characters) }
        if name == "attributes" { actions.insert(.attributes) }
      }
    }, encode: { .array($0.names.map { JSON($0) }) })
}
