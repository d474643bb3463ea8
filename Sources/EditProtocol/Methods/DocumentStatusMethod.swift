package import EditJSON
public import EditModel

// MARK: editlog/status of a document

/// Asks for the state of a document.
public struct DocumentStatusRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference

  /// A call.
  public init(_ history: HistoryReference) { self.history = history }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, DocumentStatusAnswer>(
    "editlog/status",
    "The state of a document.",
    isChange: false,
    params: Codec(
      { DocumentStatusRequest($0) }, .group(\.history, HistoryReference.codec)),
    answer: DocumentStatusAnswer.codec,
    isMeant: { (params) throws(ProtocolError) in
      // Both flags are read, so that one of a wrong type is never ignored.
      let (heads, metrics) = (try params.flag("heads"), try params.flag("metrics"))
      guard params != .null, params["document"] != nil else { return false }
      guard !heads, !metrics else {
        throw ProtocolError(
          .invalidParams, "params may have one of document, heads and metrics")
      }
      return true
    })
}

/// The state of a document.
public struct DocumentStatusAnswer: HistoryAnswer {
  /// The newest version: the number of the last edit.
  public var sequence: SequenceNumber
  /// The time of the last edit. Nil if there is none.
  public var time: Timestamp?
  /// True if a connected editor has the document open. Nil if the files are read.
  public var isOpen: Bool?
  /// The undo step that an undo would take back. Nil if there is nothing to undo.
  public var undoableStep: Int?
  /// The undo step that a redo would bring back. Nil if there is nothing to redo.
  public var redoableStep: Int?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// True if there is something to undo.
  public var isUndoable: Bool { undoableStep != nil }
  /// True if there is something to redo.
  public var isRedoable: Bool { redoableStep != nil }

  /// An answer.
  public init(
    sequence: SequenceNumber, time: Timestamp? = nil, isOpen: Bool? = nil,
    undoableStep: Int? = nil, redoableStep: Int? = nil, reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.time, self.isOpen) = (sequence, time, isOpen)
    (self.undoableStep, self.redoableStep) = (undoableStep, redoableStep)
    self.reservation = reservation
  }

  package static let codec = Codec<Self>(
    { (sequence, time, isOpen, _: Bool, _: Bool, undoable, redoable, reservation) in
      DocumentStatusAnswer(
        sequence: sequence, time: time, isOpen: isOpen, undoableStep: undoable,
        redoableStep: redoable, reservation: reservation)
    },
    .required("sequence", \.sequence, .unsigned),
    .optional("time", \.time, .time),
    .optional("open", \.isOpen, .bool),
    .required("undoable", \.isUndoable, .bool),
    .required("redoable", \.isRedoable, .bool),
    .optional("undoableStep", \.undoableStep, .count),
    .optional("redoableStep", \.redoableStep, .count),
    .group(\.reservation, Reservation.codec))
}
