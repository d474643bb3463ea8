package import EditJSON
public import EditModel

extension Methods {
  /// Methods that write to one document's history, and their dry runs.
  static let writing: [any MethodRequest.Type] = [
    AppendRequest.self, ForwardRequest.self, AnnotateRequest.self, TypingAttributesRequest.self,
    MarkRequest.self, ImportRequest.self,
    RenameRequest.self, UndoStepsRequest.self, UndoPlanRequest.self, UndoRequest.self,
    RedoPlanRequest.self, RedoRequest.self, RestorePlanRequest.self, RestoreRequest.self,
    StyleRequest.self,
  ]
}

extension AppendRequest: MethodRequest {
  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, AppendResult>(
    "editlog/append",
    "Logs edits of one document, all or none.",
    isChange: true,
    params: Codec(
      schema: [
        "type": "object", "required": ["document", "edits"],
        "properties": [
          "document": .object(Codec<DocumentID>.document.schema),
          "base": ["type": "integer", "minimum": 0], "session": ["type": "string"],
          "counter": ["type": "integer", "minimum": 1],
          "author": .object(Codec<String>.author.schema),
          "origin": .object(Codec<Origin>.origin.schema),
          "atRest": ["type": "boolean"],
          "saved": ["type": "boolean"],
          "edits": [
            "type": "array", "minItems": 1, "items": .object(Codec<AppendEdit>.appendEdit.schema),
          ],
        ],
      ],
      decode: { (json) throws(ShapeError) in try AppendRequest(json: json) }, encode: { $0.json }),
    answer: Codec<AppendResult>(
      schema: [
        "type": "object", "required": ["first", "sequence", "durable"],
        "properties": [
          "first": ["type": "integer"], "sequence": ["type": "integer"],
          "durable": ["type": "boolean"], "head": ["type": "string"],
          "duplicate": ["type": "boolean"],
        ],
      ],
      decode: { (json) throws(ShapeError) in try AppendResult(json: json) }, encode: { $0.json }))
}

extension ForwardRequest: MethodRequest {
  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, ForwardResult>(
    "editlog/forward",
    "Takes an LSP notification from an editor's bridge.",
    isChange: true,
    params: Codec(
      schema: [
        "type": "object", "required": ["session", "counter", "method"],
        "properties": [
          "session": ["type": "string"], "counter": ["type": "integer", "minimum": 1],
          "method": ["type": "string"], "params": ["type": "object"],
        ],
      ],
      decode: { (json) throws(ShapeError) in try ForwardRequest(json: json) }, encode: { $0.json }),
    answer: Codec<ForwardResult>(
      { ForwardResult(counter: $0, durable: $1, document: $2, sequence: $3) },
      .required("counter", \.counter, .unsigned),
      .required("durable", \.durable, .bool),
      .optional("document", \.document, .document),
      .optional("sequence", \.sequence, .sequence())))
}

// MARK: editlog/annotate

/// Tells the origin and the author of an editor's next changes of a document, until it is sent again.
/// Without origin, author and agent, they are told by the changes themselves again.
public struct AnnotateRequest: MethodRequest {
  /// The document.
  public var document: DocumentID
  /// The origin of the changes.
  public var origin: Origin?
  /// The author of the changes.
  public var author: String?
  /// The name of the agent that makes the changes: their author, and their origin is `program` unless
  /// another is given.
  public var agent: String?

  /// A call.
  public init(
    _ document: DocumentID, origin: Origin? = nil, author: String? = nil, agent: String? = nil
  ) {
    (self.document, self.origin, self.author, self.agent) = (document, origin, author, agent)
  }

  /// What is known of the changes; nil if nothing is.
  package var annotation: ChangeAnnotation? {
    let annotation = ChangeAnnotation(
      origin: origin ?? (agent == nil ? nil : .program), author: agent ?? author)
    return annotation == ChangeAnnotation() ? nil : annotation
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, AnnotateAnswer>(
    "editlog/annotate",
    "Tells the origin and the author of an editor's next changes.",
    isChange: false,
    params: Codec(
      { AnnotateRequest($0, origin: $1, author: $2, agent: $3) },
      .required("document", \.document, .document),
      .optional("origin", \.origin, .origin),
      .optional("author", \.author, .author),
      .optional("agent", \.agent, .author)),
    answer: Codec({ AnnotateAnswer() }))
}

/// The answer to an annotation.
public struct AnnotateAnswer: Hashable, Sendable {
  /// An answer.
  public init() {}
}

// MARK: editlog/mark

/// Gives a version a label.
public struct MarkRequest: MethodRequest {
  /// The document.
  public var document: DocumentID
  /// The label, 1 to `HistoryEvent.labelSizeMax` bytes.
  public var label: String
  /// The version.
  public var at: PointExpression

  /// A call.
  public init(_ document: DocumentID, label: String, at: PointExpression = .latest) {
    (self.document, self.label, self.at) = (document, label, at)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, MarkAnswer>(
    "editlog/mark",
    "Gives a version a label.",
    isChange: true,
    params: Codec(
      { MarkRequest($0, label: $1, at: $2) },
      .required("document", \.document, .document),
      .required("label", \.label, .label),
      .optional("at", \.at, .point, else: .latest)),
    answer: MarkAnswer.codec)
}

/// The label of a version.
public struct MarkAnswer: Hashable, Sendable {
  /// The label.
  public var label: String
  /// The version's number.
  public var sequence: SequenceNumber

  /// An answer.
  public init(label: String, sequence: SequenceNumber) {
    (self.label, self.sequence) = (label, sequence)
  }

  package static let codec = Codec<Self>(
    { MarkAnswer(label: $0, sequence: $1) },
    .required("label", \.label, .label),
    .required("sequence", \.sequence, .unsigned))
}

// MARK: editlog/rename

/// Gives a document another name, under which its history goes on.
public struct RenameRequest: MethodRequest {
  /// The document.
  public var document: DocumentID
  /// The new name, which no document has.
  public var name: DocumentID

  /// A call.
  public init(_ document: DocumentID, to name: DocumentID) {
    (self.document, self.name) = (document, name)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, RenameAnswer>(
    "editlog/rename",
    "Gives a document another name.",
    isChange: true,
    params: Codec(
      { RenameRequest($0, to: $1) }, .required("document", \.document, .document),
      .required("to", \.name, .document)),
    answer: Codec({ RenameAnswer() }))
}

/// The answer to a rename.
public struct RenameAnswer: Hashable, Sendable {
  /// An answer.
  public init() {}
}

// MARK: editlog/undo

/// Asks for the undo steps of a document.
public struct UndoStepsRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The rule for steps; nil for the usual one.
  public var grouping: UndoRule?

  /// A call.
  public init(_ history: HistoryReference, grouping: UndoRule? = nil) {
    (self.history, self.grouping) = (history, grouping)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, UndoStepsAnswer>(
    "editlog/undo",
    "The undo steps of a document.",
    isChange: false,
    params: Codec(
      { (history, grouping, _: Bool) in UndoStepsRequest(history, grouping: grouping) },
      .group(\.history, HistoryReference.codec),
      .optional("grouping", \.grouping, UndoRule.codec), .flag("list", true)),
    answer: UndoStepsAnswer.codec,
    isMeant: { (params) throws(ProtocolError) in
      // Both flags are read, so that one of a wrong type is never ignored.
      let (isList, _) = (try params.flag("list"), try params.flag("dryRun"))
      return isList
    })
}

/// The undo steps of a document.
public struct UndoStepsAnswer: HistoryAnswer {
  /// The steps, in the order of their numbers.
  public var steps: [ShownUndoStep]
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(steps: [ShownUndoStep], reservation: Reservation = Reservation()) {
    (self.steps, self.reservation) = (steps, reservation)
  }

  package static let codec = Codec<Self>(
    { UndoStepsAnswer(steps: $0, reservation: $1) },
    .required("steps", \.steps, .array(ShownUndoStep.codec)),
    .group(\.reservation, Reservation.codec))
}

/// A step of a document's undo tree.
public struct ShownUndoStep: Hashable, Sendable {
  /// Its number, from 1.
  public var step: Int
  /// The step before it; 0 for none.
  public var parent: Int
  /// Its first edit.
  public var first: SequenceNumber
  /// Its last edit.
  public var last: SequenceNumber
  /// The number of its edits.
  public var editCount: Int
  /// UTF-16 units that it inserted.
  public var inserted: Int
  /// UTF-16 units that it deleted.
  public var deleted: Int
  /// True for the step that an undo would take back.
  public var isCurrent: Bool
  /// True if it is undone, or on another branch.
  public var isUndone: Bool
  /// The origin of its edits, if it is the same for all.
  public var origin: Origin?
  /// The author of its edits, if known and the same for all.
  public var author: String?
  /// The time of its first edit.
  public var time: Timestamp?

  /// A step.
  public init(
    step: Int, parent: Int, first: SequenceNumber, last: SequenceNumber, editCount: Int,
    inserted: Int, deleted: Int, isCurrent: Bool, isUndone: Bool, origin: Origin?,
    author: String?, time: Timestamp?
  ) {
    (self.step, self.parent, self.first, self.last) = (step, parent, first, last)
    (self.editCount, self.inserted, self.deleted) = (editCount, inserted, deleted)
    (self.isCurrent, self.isUndone) = (isCurrent, isUndone)
    (self.origin, self.author, self.time) = (origin, author, time)
  }

  package static let codec = Codec<Self>(
    {
      ShownUndoStep(
        step: $0, parent: $1, first: $2, last: $3, editCount: $4, inserted: $5, deleted: $6,
        isCurrent: $7, isUndone: $8, origin: $9, author: $10, time: $11)
    },
    .required("step", \.step, .count),
    .optional("parent", \.parent, .count, else: 0, isAlwaysWritten: true),
    .required("first", \.first, .unsigned),
    .required("last", \.last, .unsigned),
    .required("edits", \.editCount, .count),
    .required("inserted", \.inserted, .count),
    .required("deleted", \.deleted, .count),
    .optional("current", \.isCurrent, .bool, else: false, isAlwaysWritten: true),
    .optional("undone", \.isUndone, .bool, else: false, isAlwaysWritten: true),
    .optional("origin", \.origin, .origin),
    .optional("author", \.author, .string),
    .optional("time", \.time, .time))
}

/// Asks for the edits that an undo would append.
public struct UndoPlanRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The step to go to, 0 for the start; nil to take back the current step, or a selection.
  public var target: Int?
  /// The edits to take back; nil to move along the tree.
  public var selection: UndoSelection?
  /// The rule for steps; nil for the usual one.
  public var grouping: UndoRule?

  /// A call.
  public init(
    _ history: HistoryReference, to target: Int? = nil, selection: UndoSelection? = nil,
    grouping: UndoRule? = nil
  ) {
    (self.history, self.target, self.selection) = (history, target, selection)
    self.grouping = grouping
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, UndoPlanAnswer>(
    "editlog/undo",
    "The edits that an undo would append.",
    isChange: false,
    params: Codec(
      { (history, target, selection, grouping, _: Bool) in
        UndoPlanRequest(history, to: target, selection: selection, grouping: grouping)
      },
      .group(\.history, HistoryReference.codec), .optional("to", \.target, .count),
      .optional("selection", \.selection, UndoSelection.codec),
      .optional("grouping", \.grouping, UndoRule.codec), .flag("dryRun", true)),
    answer: UndoPlanAnswer.codec,
    isMeant: { (params) throws(ProtocolError) in try params.flag("dryRun") })
}

/// The edits that an undo or a redo would append.
public struct UndoPlanAnswer: HistoryAnswer {
  /// The step that would be undone or brought back, or the one to go to; nil for a selection.
  public var step: Int?
  /// The version that the edits are made against: the newest.
  public var base: SequenceNumber
  /// The edits, of origin `undo` or `redo`; at least one.
  public var edits: [AppendEdit]
  /// The edits of the history that would be taken back.
  public var undone: SequenceSet
  /// The edits of the history that would be brought back.
  public var redone: SequenceSet
  /// What would stay as it is, on the ground of a selection.
  public var remainders: [ShownRemainder]
  /// What would change, as a unified diff.
  public var unified: UTF16Text
  /// The carets and selected ranges that the client had in the text that would be made, the main one
  /// first; empty if they are not known.
  public var selection: [SelectedRange]
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    step: Int?, base: SequenceNumber, edits: [AppendEdit], undone: SequenceSet,
    redone: SequenceSet, remainders: [ShownRemainder], unified: UTF16Text,
    selection: [SelectedRange] = [], reservation: Reservation = Reservation()
  ) {
    (self.step, self.base, self.edits, self.reservation) = (step, base, edits, reservation)
    (self.undone, self.redone) = (undone, redone)
    (self.remainders, self.unified, self.selection) = (remainders, unified, selection)
  }

  package static let codec = Codec<Self>(
    {
      UndoPlanAnswer(
        step: $0, base: $1, edits: $2, undone: $3, redone: $4, remainders: $5, unified: $6,
        selection: $7, reservation: $8)
    },
    .optional("step", \.step, .count),
    .required("base", \.base, .unsigned),
    .required("edits", \.edits, .array(.appendEdit)),
    .required("undone", \.undone, .sequences),
    .required("redone", \.redone, .sequences),
    .required("remainders", \.remainders, .array(ShownRemainder.codec)),
    .required("unified", \.unified, .text),
    .optional("selection", \.selection, .array(.selected), else: []),
    .group(\.reservation, Reservation.codec))
}

/// Takes back the current undo step or a selection of edits, or goes to another step of the tree.
public struct UndoRequest: MethodRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The step to go to, 0 for the start; nil to take back the current step, or a selection.
  public var target: Int?
  /// The edits to take back; nil to move along the tree.
  public var selection: UndoSelection?
  /// The rule for steps; nil for the usual one.
  public var grouping: UndoRule?
  /// The version that the document must be at, if not nil.
  public var base: SequenceNumber?
  /// The author of the edits.
  public var author: String?
  /// As in `AppendRequest`.
  public var atRest: Bool

  /// A call.
  public init(
    _ history: HistoryReference, to target: Int? = nil, selection: UndoSelection? = nil,
    grouping: UndoRule? = nil, base: SequenceNumber? = nil, author: String? = nil,
    atRest: Bool = false
  ) {
    (self.history, self.target, self.selection, self.base) = (history, target, selection, base)
    self.grouping = grouping
    (self.author, self.atRest) = (author, atRest)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, UndoAnswer>(
    "editlog/undo",
    "Takes back the current undo step or a selection of edits, or goes to another step of the tree.",
    isChange: true,
    params: Codec(
      {
        UndoRequest(
          $0, to: $1, selection: $2, grouping: $3, base: $4, author: $5, atRest: $6)
      },
      .group(\.history, HistoryReference.codec),
      .optional("to", \.target, .count),
      .optional("selection", \.selection, UndoSelection.codec),
      .optional("grouping", \.grouping, UndoRule.codec),
      .optional("base", \.base, .unsigned),
      .optional("author", \.author, .author),
      .optional("atRest", \.atRest, .bool, else: false)),
    answer: UndoAnswer.codec)
}

/// What an undo or a redo did.
public struct UndoAnswer: Hashable, Sendable {
  /// The number of the step that was undone, brought back or gone to; for a selection, of the step that
  /// takes it back.
  public var step: Int
  /// The number of the last edit that was appended.
  public var sequence: SequenceNumber
  /// The edits of the history that were taken back.
  public var undone: SequenceSet
  /// The edits of the history that were brought back.
  public var redone: SequenceSet
  /// What stays as it is, on the ground of a selection.
  public var remainders: [ShownRemainder]
  /// The carets and selected ranges that the client had in the text that was made, the main one first;
  /// empty if they are not known. Those after the last edit that was appended are the same.
  public var selection: [SelectedRange]

  /// An answer.
  public init(
    step: Int, sequence: SequenceNumber, undone: SequenceSet = SequenceSet(),
    redone: SequenceSet = SequenceSet(), remainders: [ShownRemainder] = [],
    selection: [SelectedRange] = []
  ) {
    (self.step, self.sequence, self.selection) = (step, sequence, selection)
    (self.undone, self.redone, self.remainders) = (undone, redone, remainders)
  }

  package static let codec = Codec<Self>(
    {
      UndoAnswer(
        step: $0, sequence: $1, undone: $2, redone: $3, remainders: $4, selection: $5)
    },
    .required("step", \.step, .count),
    .required("sequence", \.sequence, .unsigned),
    .optional("undone", \.undone, .sequences, else: SequenceSet(), isAlwaysWritten: true),
    .optional("redone", \.redone, .sequences, else: SequenceSet(), isAlwaysWritten: true),
    .optional(
      "remainders", \.remainders, .array(ShownRemainder.codec), else: [], isAlwaysWritten: true),
    .optional("selection", \.selection, .array(.selected), else: []))
}

// MARK: editlog/redo

/// Asks for the edits that a redo would append.
public struct RedoPlanRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The rule for steps; nil for the usual one.
  public var grouping: UndoRule?

  /// A call.
  public init(_ history: HistoryReference, grouping: UndoRule? = nil) {
    (self.history, self.grouping) = (history, grouping)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, UndoPlanAnswer>(
    "editlog/redo",
    "The edits that a redo would append.",
    isChange: false,
    params: Codec(
      { (history, grouping, _: Bool) in RedoPlanRequest(history, grouping: grouping) },
      .group(\.history, HistoryReference.codec),
      .optional("grouping", \.grouping, UndoRule.codec), .flag("dryRun", true)),
    answer: UndoPlanAnswer.codec,
    isMeant: { (params) throws(ProtocolError) in try params.flag("dryRun") })
}

/// Brings back the step that the last undo took back.
public struct RedoRequest: MethodRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The rule for steps; nil for the usual one.
  public var grouping: UndoRule?
  /// The version that the document must be at, if not nil.
  public var base: SequenceNumber?
  /// The author of the edits.
  public var author: String?
  /// As in `AppendRequest`.
  public var atRest: Bool

  /// A call.
  public init(
    _ history: HistoryReference, grouping: UndoRule? = nil, base: SequenceNumber? = nil,
    author: String? = nil, atRest: Bool = false
  ) {
    (self.history, self.base, self.author, self.atRest) = (history, base, author, atRest)
    self.grouping = grouping
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, UndoAnswer>(
    "editlog/redo",
    "Brings back the step that the last undo took back.",
    isChange: true,
    params: Codec(
      { RedoRequest($0, grouping: $1, base: $2, author: $3, atRest: $4) },
      .group(\.history, HistoryReference.codec),
      .optional("grouping", \.grouping, UndoRule.codec),
      .optional("base", \.base, .unsigned),
      .optional("author", \.author, .author),
      .optional("atRest", \.atRest, .bool, else: false)),
    answer: UndoAnswer.codec)
}
