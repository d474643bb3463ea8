package import EditJSON
public import EditModel

/// The edits that an undo takes back: those that meet every condition that is set, and are not taken
/// back already. The text found when the document was first opened is not among them, unless `step` or
/// `origin` names it.
public struct UndoSelection: Hashable, Sendable {
  /// Those of an undo step.
  public var step: Int?
  /// Those of an author.
  public var author: String?
  /// Those of agents: edits of origin `program` that have an author.
  public var isAgent = false
  /// Those of the agent of this name.
  public var agent: String?
  /// Those of an origin.
  public var origin: Origin?
  /// Those of a client's run.
  public var session: SessionID?
  /// Those that inserted and deleted text in this paragraph only.
  public var paragraph: ParagraphID?
  /// Those that inserted and deleted text in this range only, in UTF-16 units of the newest version.
  public var range: UTF16Range?
  /// Those after this edit.
  public var after: SequenceNumber?
  /// Those up to this edit.
  public var through: SequenceNumber?

  /// All edits.
  public init() {}

  /// True if no condition is set.
  public var isEmpty: Bool { self == UndoSelection() }

  package static let codec = Codec<Self>(
    { step, author, isAgent, agent, origin, session, paragraph, range, after, through in
      var selection = UndoSelection()
      (selection.step, selection.author, selection.isAgent) = (step, author, isAgent)
      (selection.agent, selection.origin, selection.session) = (agent, origin, session)
      (selection.paragraph, selection.range) = (paragraph, range)
      (selection.after, selection.through) = (after, through)
      return selection
    },
    .optional("step", \.step, .count),
    .optional("author", \.author, .author),
    .optional("agents", \.isAgent, .bool, else: false),
    .optional("agent", \.agent, .author),
    .optional("origin", \.origin, .origin),
    .optional("session", \.session, .session),
    .optional("paragraph", \.paragraph, .paragraph),
    .optional("range", \.range, .range),
    .optional("after", \.after, .unsigned),
    .optional("through", \.through, .unsigned))
}

/// What an undo leaves as it is, on the ground of what it takes back.
public struct ShownRemainder: Hashable, Sendable {
  /// The kinds of remainders.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// Text of others inside text that vanishes: it stays.
    case stays
    /// Text that stays deleted, because another edit deleted it too.
    case staysDeleted
    /// Text that the selection inserted, and another edit cut and pasted: it stays.
    case staysMoved
  }

  /// The kind.
  public var kind: Kind
  /// Its place, in UTF-16 units of the text before the undo.
  public var location: Int
  /// The text, or its beginning.
  public var text: UTF16Text
  /// The text around it that vanishes, or its beginning; nil for deleted text.
  public var inside: UTF16Text?
  /// The other edit that deleted it, if there is one.
  public var deletedBy: SequenceNumber?
  /// The other edit that moved it, if one did.
  public var movedBy: SequenceNumber?

  /// A remainder.
  public init(
    kind: Kind, location: Int, text: UTF16Text, inside: UTF16Text? = nil,
    deletedBy: SequenceNumber? = nil, movedBy: SequenceNumber? = nil
  ) {
    (self.kind, self.location, self.text) = (kind, location, text)
    (self.inside, self.deletedBy, self.movedBy) = (inside, deletedBy, movedBy)
  }

  package static let codec = Codec<Self>(
    {
      ShownRemainder(
        kind: $0, location: $1, text: $2, inside: $3, deletedBy: $4, movedBy: $5)
    },
    .required(
      "kind", \.kind,
      Codec(
        schema: ["enum": .array(Kind.allCases.map { JSON($0.rawValue) })],
        decode: { (json) throws(ShapeError) in
          guard let kind = Kind(rawValue: try json.asString()) else {
            throw ShapeError(mustBe: "stays, staysDeleted or staysMoved", found: json)
          }
          return kind
        }, encode: { JSON($0.rawValue) })),
    .required("location", \.location, .count),
    .required("text", \.text, .text),
    .optional("inside", \.inside, .text),
    .optional("deletedBy", \.deletedBy, .unsigned),
    .optional("movedBy", \.movedBy, .unsigned))
}

extension Codec<SequenceSet> {
  /// Ranges of sequence numbers, each as an array of the first and the last.
  package static let sequences = Codec(
    schema: [
      "type": "array",
      "items": [
        "type": "array", "items": ["type": "integer", "minimum": 1], "minItems": 2, "maxItems": 2,
      ],
    ],
    decode: { (json) throws(ShapeError) in try SequenceSet(json: json) },
    encode: { $0.json })
}
