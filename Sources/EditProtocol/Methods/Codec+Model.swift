public import EditJSON
public import EditModel

// Codecs of the model's values: documents, times, points, edits.

extension Codec<DocumentID> {
  /// A document's name.
  public static let document = Codec(
    schema: ["type": "string", "minLength": 1, "maxLength": JSON(DocumentID.sizeMax)],
    decode: { (json) throws(ShapeError) in
      guard let document = DocumentID(try json.asString()) else {
        throw ShapeError(
          mustBe: "a name of 1 to \(DocumentID.sizeMax) bytes of UTF-8", found: json)
      }
      return document
    }, encode: { JSON($0.name) })
}

extension Codec<Timestamp> {
  /// A time: RFC 3339 in UTC; read with any offset, or as nanoseconds since 1970.
  public static let time = Codec(
    schema: ["type": ["string", "integer"], "format": "date-time"],
    decode: { (json) throws(ShapeError) in try Timestamp(json: json) },
    encode: { JSON($0.rfc3339) })
}

extension Codec<PointExpression> {
  /// A version's sequence number, or an expression in the grammar of `PointParser`.
  public static let point = Codec(
    schema: ["type": ["string", "integer"]],
    decode: { (json) throws(ShapeError) in
      if case .integer = json { return PointExpression(String(try json.asUnsigned())) }
      guard case .string = json else {
        throw ShapeError(mustBe: "a version's number, or a string that names one", found: json)
      }
      return PointExpression(try json.asString())
    }, encode: { JSON($0.text) })
}

extension Codec<AcknowledgedHead> {
  /// A head, written `DOCUMENT@SEQUENCE:HEX`.
  public static let head = Codec(
    schema: ["type": "string", "pattern": "@[0-9]+:[0-9a-f]{64}$"],
    decode: { (json) throws(ShapeError) in
      guard let head = AcknowledgedHead(try json.asString()) else {
        throw ShapeError(mustBe: "written DOCUMENT@SEQUENCE:HEX", found: json)
      }
      return head
    }, encode: { JSON("\($0)") })
}

extension Codec<String> {
  /// An author's name.
  public static let author = Codec(
    schema: ["type": "string", "minLength": 1, "maxLength": JSON(AppendRequest.authorSizeMax)],
    decode: { (json) throws(ShapeError) in
      let author = try json.asString()
      guard (1...AppendRequest.authorSizeMax).contains(author.utf8.count) else {
        throw ShapeError(
          mustBe: "a name of 1 to \(AppendRequest.authorSizeMax) bytes of UTF-8", found: json)
      }
      return author
    }, encode: { JSON($0) })

  /// A mark's label.
  public static let label = Codec(
    schema: ["type": "string", "minLength": 1, "maxLength": JSON(HistoryEvent.labelSizeMax)],
    decode: { (json) throws(ShapeError) in
      let label = try json.asString()
      guard (1...HistoryEvent.labelSizeMax).contains(label.utf8.count) else {
        throw ShapeError(
          mustBe: "a label of 1 to \(HistoryEvent.labelSizeMax) bytes of UTF-8", found: json)
      }
      return label
    }, encode: { JSON($0) })
}

extension Codec<Origin> {
  /// The origin of an edit, by its name.
  public static let origin = Codec(
    schema: ["enum": .array(Origin.wireNames.map { JSON($0) })],
    decode: { (json) throws(ShapeError) in
      let name = try json.asString()
      guard let index = Origin.wireNames.firstIndex(of: name) else {
        let names = Origin.wireNames.joined(separator: ", ")
        throw ShapeError(mustBe: "one of \(names)", found: json)
      }
      return Origin.allCases[index]
    }, encode: { JSON($0.wireName) })
}

extension Codec<SessionID> {
  /// The identifier of a client's run.
  public static let session = Codec(
    schema: ["type": "string", "minLength": 1, "maxLength": JSON(SessionID.sizeMax)],
    decode: { (json) throws(ShapeError) in
      guard let session = SessionID(try json.asString()) else {
        throw ShapeError(
          mustBe: "an identifier of 1 to \(SessionID.sizeMax) bytes of UTF-8", found: json)
      }
      return session
    }, encode: { JSON($0.name) })
}

extension Codec<ParagraphID> {
  /// A paragraph's identifier, such as `12.0`.
  public static let paragraph = Codec(
    schema: ["type": "string", "pattern": #"^[0-9]+\.[0-9]+$"#],
    decode: { (json) throws(ShapeError) in
      guard let id = ParagraphID(try json.asString()) else {
        throw ShapeError(mustBe: "a paragraph's identifier such as 12.0", found: json)
      }
      return id
    }, encode: { JSON("\($0)") })
}

extension Codec<UTF16Range> {
  /// A range in UTF-16 units.
  public static let range = Codec(
    { (location, length) in UTF16Range(location..<location + length) },
    .required("location", \.location, .length), .required("length", \.length, .length))
}

extension Codec<Int> {
  /// A location or length of a text in UTF-16 units.
  public static let length = integer(in: 0...EditAction.textLengthMax)
}

extension Codec<AttributeRun> {
  /// A number of units with the same attributes.
  public static let run = Codec(
    schema: [
      "type": "object", "required": ["length", "attributes"],
      "properties": [
        "length": ["type": "integer", "minimum": 1], "attributes": ["type": "object"],
      ],
    ],
    decode: { (json) throws(ShapeError) in try AttributeRun(json: json) },
    encode: { ["length": JSON($0.length), "attributes": $0.attributes.json] })
}

extension Codec<AppendEdit> {
  /// An edit that is not logged yet.
  public static let appendEdit = Codec(
    schema: editSchema(
      adding: [
        "time": .object(Codec<Timestamp>.time.schema),
        "author": .object(Codec<String>.author.schema), "transaction": ["type": "integer"],
        "composition": [
          "type": "string", "minLength": 1, "maxLength": JSON(AppendEdit.compositionSizeMax),
        ],
        "selection": .object(Codec<EditSelection>.selection.schema),
      ]),
    decode: { (json) throws(ShapeError) in try AppendEdit(json: json) }, encode: { $0.json })
}

/// A number of 64 bits: a string if it is larger than a signed one.
private let counterSchema: JSON = [
  "anyOf": [["type": "integer", "minimum": 0], ["type": "string", "pattern": "^[0-9]{19,20}$"]]
]

extension Codec<HistoryEntry> {
  /// A logged entry: an edit, or an event, which has the member `event`.
  public static let entry = Codec(
    schema: [
      "oneOf": [
        .object(
          editSchema(
            adding: [
              "v": ["const": 1], "sequence": ["type": "integer", "minimum": 1],
              "transaction": ["type": "integer", "minimum": 1], "author": ["type": "string"],
              "session": ["type": "string"], "counter": counterSchema,
              "time": .object(Codec<Timestamp>.time.schema), "timeMicros": ["type": "integer"],
              "clientTime": .object(Codec<Timestamp>.time.schema),
              "selection": .object(Codec<EditSelection>.selection.schema),
            ], required: ["v", "sequence", "time"])),
        .object(Codec<HistoryEvent>.event.schema),
      ]
    ],
    decode: { (json) throws(ShapeError) in try HistoryEntry(json: json) }, encode: { $0.json })
}

extension Codec<HistoryEvent> {
  /// An event between edits, which has the member `event`.
  public static let event = Codec(
    schema: [
      "type": "object", "required": ["v", "event", "after", "time"],
      "properties": [
        "v": ["const": 1],
        "event": ["enum": .array(HistoryEvent.Kind.names.map { JSON($0) })],
        "after": counterSchema, "label": ["type": "string"],
        "at": counterSchema, "digest": ["type": "string"],
        "unsaved": ["type": "boolean"], "ours": ["type": "string"],
        "theirs": ["type": "string"], "from": ["type": "string"],
        "undone": .object(Codec<SequenceSet>.sequences.schema),
        "redone": .object(Codec<SequenceSet>.sequences.schema), "to": counterSchema,
        "client": ["type": "string"], "version": ["type": "string"],
        "host": ["type": "string"], "process": ["type": "integer", "minimum": 1],
        "author": ["type": "string"], "session": ["type": "string"],
        "counter": counterSchema, "time": .object(Codec<Timestamp>.time.schema),
        "timeMicros": ["type": "integer"],
      ],
    ],
    decode: { (json) throws(ShapeError) in
      guard case .event(let event) = try HistoryEntry(json: json) else {
        throw ShapeError("event", mustBe: "the name of an event", found: nil)
      }
      return event
    }, encode: { $0.json })
}

extension Codec<EntryPreview> {
  /// The preview of a logged entry: an edit, or an event, which has the member `event`.
  static let preview = Codec(
    schema: [
      "oneOf": [.object(EditPreview.codec.schema), .object(Codec<HistoryEvent>.event.schema)]
    ],
    decode: { (json) throws(ShapeError) in
      try json.asObject()["event"] == nil
        ? .edit(EditPreview.codec.decode(json)) : .event(Codec<HistoryEvent>.event.decode(json))
    },
    encode: { entry in
      switch entry {
      case .edit(let edit): EditPreview.codec.encode(edit)
      case .event(let event): event.json
      }
    })
}

/// The schema of an object with the members of every edit, and `members`.
private func editSchema(
  adding members: JSONObject, required: [JSON] = []
) -> JSONObject {
  let lengthMax = JSON(EditAction.textLengthMax)
  var properties: JSONObject = [
    "actions": ["type": "array", "minItems": 1, "items": ["enum": ["characters", "attributes"]]],
    "location": ["type": "integer", "minimum": 0, "maximum": lengthMax],
    "length": ["type": "integer", "minimum": 0, "maximum": lengthMax],
    "changeInLength": ["type": "integer"], "text": ["type": "string"],
    "attributes": ["type": "object", "minProperties": 1, "maxProperties": 1],
    "origin": .object(Codec<Origin>.origin.schema),
  ]
  for member in members.members { properties[member.name] = member.value }
  return [
    "type": "object", "properties": .object(properties),
    "required": .array(["actions", "location", "length", "changeInLength"] + required),
  ]
}
