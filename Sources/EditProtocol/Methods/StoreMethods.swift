package import EditJSON
public import EditModel

extension Methods {
  /// Methods about the store and all its documents.
  static let store: [any MethodRequest.Type] = [
    DocumentsRequest.self, FormerNameRequest.self, DocumentStatusRequest.self, StatusRequest.self,
    VerifyRequest.self, UsageRequest.self, ForgetRequest.self, RepairPlanRequest.self,
    RepairRequest.self,
  ]
}

// MARK: editlog/documents

/// Asks for all documents.
public struct DocumentsRequest: MethodRequest {
  /// A call.
  public init() {}

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, DocumentsAnswer>(
    "editlog/documents",
    "All documents, in the order of their names.",
    isChange: false,
    params: Codec({ DocumentsRequest() }),
    answer: DocumentsAnswer.codec)
}

/// All documents.
public struct DocumentsAnswer: Hashable, Sendable {
  /// The documents, in the order of the bytes of their names.
  public var documents: [ListedDocument]
  /// Warnings about documents that may be missing from the list.
  public var reservation: Reservation

  /// An answer.
  public init(documents: [ListedDocument], reservation: Reservation = Reservation()) {
    (self.documents, self.reservation) = (documents, reservation)
  }

  package static let codec = Codec<Self>(
    { DocumentsAnswer(documents: $0, reservation: $1) },
    .required("documents", \.documents, .array(ListedDocument.codec)),
    .group(\.reservation, Reservation.codec))
}

/// A document of the store.
public struct ListedDocument: Hashable, Sendable {
  /// Its name.
  public var document: DocumentID
  /// Its number in the store, which never changes.
  public var number: UInt64
  /// The number of its last edit.
  public var sequence: SequenceNumber
  /// Its size in the store, in bytes.
  public var size: Int
  /// Damage that was found: why it cannot be read, or what is corrected when it is read.
  public var problem: String?
  /// The time of its first entry.
  public var firstTime: Timestamp?
  /// The time of its last entry.
  public var lastTime: Timestamp?

  /// A document.
  public init(
    document: DocumentID, number: UInt64, sequence: SequenceNumber, size: Int,
    problem: String? = nil, firstTime: Timestamp? = nil, lastTime: Timestamp? = nil
  ) {
    (self.document, self.number, self.sequence, self.size) = (document, number, sequence, size)
    (self.problem, self.firstTime, self.lastTime) = (problem, firstTime, lastTime)
  }

  package static let codec = Codec<Self>(
    {
      ListedDocument(
        document: $0, number: $1, sequence: $2, size: $3, problem: $4, firstTime: $5,
        lastTime: $6)
    },
    .required("document", \.document, .document),
    // A daemon of an older version does not send it.
    .optional("number", \.number, .unsigned, else: UInt64(0), isAlwaysWritten: true),
    .required("sequence", \.sequence, .unsigned),
    .required("bytes", \.size, .count),
    .optional("problem", \.problem, .string),
    .optional("firstTime", \.firstTime, .time),
    .optional("lastTime", \.lastTime, .time))
}

// MARK: editlog/formerName

/// Asks which documents had a name before they were renamed.
public struct FormerNameRequest: MethodRequest {
  /// The name.
  public var name: DocumentID

  /// A call.
  public init(_ name: DocumentID) { self.name = name }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, FormerNameAnswer>(
    "editlog/formerName",
    "The documents that had a name before they were renamed.",
    isChange: false,
    params: Codec({ FormerNameRequest($0) }, .required("document", \.name, .document)),
    answer: FormerNameAnswer.codec)
}

/// The documents that had a name before.
public struct FormerNameAnswer: Hashable, Sendable {
  /// The names that they have now, the oldest document first. A document that has the name now is
  /// not one of them.
  public var documents: [DocumentID]

  /// An answer.
  public init(documents: [DocumentID]) { self.documents = documents }

  package static let codec = Codec<Self>(
    { FormerNameAnswer(documents: $0) },
    .required("documents", \.documents, .array(.document)))
}

// MARK: editlog/status

/// Asks for the state of the store and of the daemon.
public struct StatusRequest: MethodRequest {
  /// True if the heads of all histories are asked for.
  public var hasHeads: Bool
  /// True if the metrics of the daemon are asked for.
  public var hasMetrics: Bool

  /// A call.
  public init(hasHeads: Bool = false, hasMetrics: Bool = false) {
    (self.hasHeads, self.hasMetrics) = (hasHeads, hasMetrics)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, StatusAnswer>(
    "editlog/status",
    "The state of the store and of the daemon.",
    isChange: false,
    params: Codec(
      { StatusRequest(hasHeads: $0, hasMetrics: $1) },
      .optional("heads", \.hasHeads, .bool, else: false),
      .optional("metrics", \.hasMetrics, .bool, else: false)),
    answer: StatusAnswer.codec)
}

/// The state of the store, and of the daemon if one answers.
public struct StatusAnswer: Hashable, Sendable {
  /// The version of EditLog that answers.
  public var version: String
  /// The store's identifier.
  public var store: String
  /// The store's folder.
  public var path: String
  /// The number of documents.
  public var documentCount: Int
  /// The number of edits of all documents.
  public var editCount: UInt64
  /// Bytes of all segments.
  public var sealedSize: Int
  /// Bytes of all journals.
  public var journalSize: Int
  /// Known damage that is not accepted, one sentence each.
  public var damage: [String]
  /// The number of accepted losses.
  public var acceptedLossCount: Int
  /// The number of files in quarantine.
  public var quarantinedCount: Int
  /// The head of each history, if asked for.
  public var heads: [AcknowledgedHead]?
  /// The daemon that answers. Nil if the files are read.
  public var daemon: DaemonStatus?

  /// An answer.
  public init(
    version: String, store: String, path: String, documentCount: Int, editCount: UInt64,
    sealedSize: Int, journalSize: Int, damage: [String], acceptedLossCount: Int,
    quarantinedCount: Int, heads: [AcknowledgedHead]? = nil, daemon: DaemonStatus? = nil
  ) {
    (self.version, self.store, self.path) = (version, store, path)
    (self.documentCount, self.editCount) = (documentCount, editCount)
    (self.sealedSize, self.journalSize, self.damage) = (sealedSize, journalSize, damage)
    (self.acceptedLossCount, self.quarantinedCount) = (acceptedLossCount, quarantinedCount)
    (self.heads, self.daemon) = (heads, daemon)
  }

  package static let codec = Codec<Self>(
    {
      StatusAnswer(
        version: $0, store: $1, path: $2, documentCount: $3, editCount: $4, sealedSize: $5,
        journalSize: $6, damage: $7, acceptedLossCount: $8, quarantinedCount: $9, heads: $10,
        daemon: $11)
    },
    .required("version", \.version, .string),
    .required("store", \.store, .string),
    .required("path", \.path, .string),
    .required("documents", \.documentCount, .count),
    .required("edits", \.editCount, .unsigned),
    .required("sealedBytes", \.sealedSize, .count),
    .required("journalBytes", \.journalSize, .count),
    .required("damage", \.damage, .array(.string)),
    .required("acceptedLosses", \.acceptedLossCount, .count),
    .required("quarantined", \.quarantinedCount, .count),
    .optional("heads", \.heads, .array(.head)),
    .optionalGroup("daemon", \.daemon, DaemonStatus.codec))
}

/// The state of a running daemon.
public struct DaemonStatus: Hashable, Sendable {
  /// The time at which it started.
  public var started: Timestamp
  /// The number of entries that are only in journals.
  public var unsealedCount: Int
  /// The number of documents whose newest version is in memory.
  public var inMemoryCount: Int
  /// The number of documents whose links and checkpoints it has checked since it started.
  public var checkedCount: Int
  /// The reason why edits are refused, if the last write found no space.
  public var shortage: ShownShortage?
  /// The spools of editors' bridges that the daemon does not deliver.
  public var refusedSpools: [RefusedSpool]
  /// The clients that are connected and have described themselves.
  public var clients: [ConnectedClient]
  /// The number of entries that it has logged in the last minute.
  public var lastMinuteCount: Int
  /// The longest time from the arrival of a request to its acknowledgement in the last minute, in
  /// nanoseconds.
  public var lastMinuteLag: Int
  /// When it has sealed a document last. Nil if it has sealed none since it started.
  public var lastSeal: Timestamp?
  /// Its metrics in the text format of Prometheus, if they were asked for.
  public var metrics: String?

  /// A daemon's state.
  public init(
    started: Timestamp, unsealedCount: Int, inMemoryCount: Int, checkedCount: Int,
    shortage: ShownShortage? = nil, refusedSpools: [RefusedSpool] = [],
    clients: [ConnectedClient] = [], lastMinuteCount: Int = 0, lastMinuteLag: Int = 0,
    lastSeal: Timestamp? = nil, metrics: String? = nil
  ) {
    (self.lastMinuteCount, self.lastMinuteLag) = (lastMinuteCount, lastMinuteLag)
    (self.lastSeal, self.metrics) = (lastSeal, metrics)
    (self.started, self.unsealedCount) = (started, unsealedCount)
    (self.inMemoryCount, self.checkedCount) = (inMemoryCount, checkedCount)
    (self.shortage, self.refusedSpools, self.clients) = (shortage, refusedSpools, clients)
  }

  package static let codec = Codec<Self>(
    {
      (
        _: Bool, started, unsealed, inMemory, checked, shortage, refusedSpools, clients, count, lag,
        lastSeal, metrics
      ) in
      DaemonStatus(
        started: started, unsealedCount: unsealed, inMemoryCount: inMemory,
        checkedCount: checked, shortage: shortage, refusedSpools: refusedSpools,
        clients: clients, lastMinuteCount: count, lastMinuteLag: lag, lastSeal: lastSeal,
        metrics: metrics)
    },
    .flag("daemon", true),
    .required("started", \.started, .time),
    .required("unsealedEntries", \.unsealedCount, .count),
    .required("documentsInMemory", \.inMemoryCount, .count),
    .required("checked", \.checkedCount, .count),
    .optional("noSpace", \.shortage, ShownShortage.codec),
    .optional("refusedSpools", \.refusedSpools, .array(RefusedSpool.codec), else: []),
    // A daemon of an older version does not send it.
    .optional("clients", \.clients, .array(ConnectedClient.codec), else: [], isAlwaysWritten: true),
    .optional("lastMinuteEntries", \.lastMinuteCount, .count, else: 0, isAlwaysWritten: true),
    .optional("lastMinuteLag", \.lastMinuteLag, .count, else: 0, isAlwaysWritten: true),
    .optional("lastSeal", \.lastSeal, .time),
    .optional("metrics", \.metrics, .string))
}

/// A spool of an editor's bridge that the daemon does not deliver, or the folder of the spools.
public struct RefusedSpool: Hashable, Sendable {
  /// The path.
  public var path: String
  /// A sentence for people: why, and what to do.
  public var message: String

  /// A refused spool.
  public init(path: String, message: String) { (self.path, self.message) = (path, message) }

  package static let codec = Codec<Self>(
    { RefusedSpool(path: $0, message: $1) },
    .required("path", \.path, .string), .required("message", \.message, .string))
}

/// A client that is connected to the daemon and has described itself.
public struct ConnectedClient: Hashable, Sendable {
  /// Its session, its names and its author.
  public var identity: ClientIdentity
  /// The number of documents that it has open as an editor.
  public var openCount: Int

  /// A client.
  public init(_ identity: ClientIdentity, openCount: Int = 0) {
    (self.identity, self.openCount) = (identity, openCount)
  }

  package static let codec = Codec<Self>(
    schema: [
      "type": "object", "required": ["session", "client", "open"],
      "properties": [
        "session": ["type": "string"], "client": ["type": "string"],
        "version": ["type": "string"], "host": ["type": "string"],
        "process": ["type": "integer", "minimum": 1], "author": ["type": "string"],
        "open": ["type": "integer", "minimum": 0], "skipped": SkippedFiles.schema,
      ],
    ],
    decode: { (json) throws(ShapeError) in
      let object = try json.asObject()
      guard let session = try object.sessionIfPresent("session"),
        let identity = ClientIdentity(
          session: session, client: try SessionDescription(members: object),
          author: try object.authorIfPresent("author"),
          skipped: try SkippedFiles(memberOf: object))
      else { throw ShapeError("session", mustBe: "a string", found: nil) }
      return ConnectedClient(identity, openCount: Int(clamping: try object.unsigned("open")))
    },
    encode: { client in
      var object = client.identity.members
      object["open"] = JSON(UInt64(client.openCount))
      return .object(object)
    })
}

/// The store's disk is full, and edits are refused.
public struct ShownShortage: Hashable, Sendable {
  /// The time at which this began.
  public var since: Timestamp
  /// The minimum number of bytes that are missing.
  public var missingSize: Int
  /// A sentence for people.
  public var message: String

  /// A shortage.
  public init(since: Timestamp, missingSize: Int, message: String) {
    (self.since, self.missingSize, self.message) = (since, missingSize, message)
  }

  static let codec = Codec<Self>(
    { ShownShortage(since: $0, missingSize: $1, message: $2) },
    .required("since", \.since, .time),
    .required("missingBytes", \.missingSize, .count),
    .required("message", \.message, .string))
}

// MARK: editlog/verify

/// Asks for a check of every byte.
public struct VerifyRequest: MethodRequest {
  /// Heads that the histories must confirm.
  public var heads: [AcknowledgedHead]

  /// A call.
  public init(heads: [AcknowledgedHead] = []) { self.heads = heads }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, VerifyAnswer>(
    "editlog/verify",
    "A check of every byte of the store.",
    isChange: false,
    params: Codec(
      { VerifyRequest(heads: $0) },
      .optional("heads", \.heads, .array(.head), else: [])),
    answer: VerifyAnswer.codec)
}

/// The result of a check of every byte.
public struct VerifyAnswer: Hashable, Sendable {
  /// True if nothing acknowledged is missing, except accepted losses.
  public var isSound: Bool
  /// Documents that were checked.
  public var documentCount: Int
  /// Edits that were checked.
  public var editCount: UInt64
  /// Events that were checked.
  public var eventCount: UInt64
  /// Checkpoints that do not hold.
  public var badCheckpointCount: Int
  /// Heads of the call that the histories confirm.
  public var confirmedCount: Int
  /// The damage and other irregularities that were found.
  public var findings: [Finding]
  /// The head of each history.
  public var heads: [AcknowledgedHead]

  /// An answer.
  public init(
    isSound: Bool, documentCount: Int, editCount: UInt64, eventCount: UInt64,
    badCheckpointCount: Int, confirmedCount: Int, findings: [Finding],
    heads: [AcknowledgedHead]
  ) {
    (self.isSound, self.documentCount) = (isSound, documentCount)
    (self.editCount, self.eventCount) = (editCount, eventCount)
    (self.badCheckpointCount, self.confirmedCount) = (badCheckpointCount, confirmedCount)
    (self.findings, self.heads) = (findings, heads)
  }

  package static let codec = Codec<Self>(
    {
      VerifyAnswer(
        isSound: $0, documentCount: $1, editCount: $2, eventCount: $3, badCheckpointCount: $4,
        confirmedCount: $5, findings: $6, heads: $7)
    },
    .required("sound", \.isSound, .bool),
    .required("documents", \.documentCount, .count),
    .required("edits", \.editCount, .unsigned),
    .required("events", \.eventCount, .unsigned),
    .required("badCheckpoints", \.badCheckpointCount, .count),
    .required("confirmed", \.confirmedCount, .count),
    .required("findings", \.findings, .array(Finding.codec)),
    .required("heads", \.heads, .array(.head)))
}

/// Damage or another irregularity in a store.
public struct Finding: Hashable, Sendable {
  /// The kinds of findings.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A write was cut short before it was acknowledged.
    case torn
    /// A file was repaired, and its old version is in quarantine, or it is rebuilt from other files.
    /// It is not proven that nothing of it is lost.
    case repaired
    /// A file in quarantine that no history needs.
    case handled
    /// Bytes have changed and can be rebuilt.
    case repairable
    /// Bytes have changed or are missing, and with them edits.
    case damaged
    /// A head is not confirmed: the history was truncated or rewritten.
    case rewritten
    /// Acknowledged entries are gone, and the loss is not accepted.
    case lost
    /// A person accepted the loss.
    case accepted
    /// A newer version wrote the file.
    case newer
    /// The file does not belong to a store.
    case unknown
    /// The file may not be read.
    case refused

    /// An unknown kind, from a newer version, is read as `damaged`.
    static let codec = Codec<Self>(
      schema: ["enum": .array(allCases.map { JSON($0.rawValue) })],
      decode: { (json) throws(ShapeError) in Kind(rawValue: try json.asString()) ?? .damaged },
      encode: { JSON($0.rawValue) })

    /// True if a finding of this kind alone leaves the store sound.
    public var isSound: Bool {
      switch self {
      case .torn, .repaired, .accepted, .handled: true
      case .repairable, .damaged, .rewritten, .lost, .newer, .unknown, .refused: false
      }
    }
  }

  /// The kind.
  public var kind: Kind
  /// The document that it concerns.
  public var document: DocumentID?
  /// The file's path, relative to the store's folder.
  public var file: String
  /// The position in the file, in bytes.
  public var offset: Int?
  /// One sentence: what was found.
  public var what: String
  /// The first edit that it concerns.
  public var firstEdit: SequenceNumber?
  /// The last edit that it concerns.
  public var lastEdit: SequenceNumber?
  /// The time at which a person accepted the loss.
  public var acceptedTime: Timestamp?
  /// The next step.
  public var remedy: String?

  /// A finding.
  public init(
    _ kind: Kind, document: DocumentID? = nil, file: String, offset: Int? = nil, what: String,
    firstEdit: SequenceNumber? = nil, lastEdit: SequenceNumber? = nil,
    acceptedTime: Timestamp? = nil, remedy: String? = nil
  ) {
    (self.kind, self.document, self.file, self.offset) = (kind, document, file, offset)
    (self.what, self.firstEdit, self.lastEdit) = (what, firstEdit, lastEdit)
    (self.acceptedTime, self.remedy) = (acceptedTime, remedy)
  }

  package static let codec = Codec<Self>(
    {
      Finding(
        $0, document: $1, file: $2, offset: $3, what: $4, firstEdit: $5, lastEdit: $6,
        acceptedTime: $7, remedy: $8)
    },
    .required("kind", \.kind, Kind.codec),
    .optional("document", \.document, .document),
    .required("file", \.file, .string),
    .optional("offset", \.offset, .count),
    .required("what", \.what, .string),
    .optional("firstEdit", \.firstEdit, .unsigned),
    .optional("lastEdit", \.lastEdit, .unsigned),
    .optional("accepted", \.acceptedTime, .time),
    .optional("do", \.remedy, .string))
}

// MARK: editlog/usage

/// Asks for the size of the store.
public struct UsageRequest: MethodRequest {
  /// A call.
  public init() {}

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, UsageAnswer>(
    "editlog/usage",
    "The bytes that the store takes, by document, kind and age.",
    isChange: false,
    params: Codec({ UsageRequest() }),
    answer: UsageAnswer.codec)
}

/// The size of the store, in bytes.
public struct UsageAnswer: Hashable, Sendable {
  /// The bytes of each document.
  public var documents: [ShownUsage]
  /// The bytes of the store.
  public var totals: Totals

  /// The sizes of the whole store, and of its parts that belong to no document, in bytes.
  public struct Totals: Hashable, Sendable {
    /// All files.
    public var size: Int
    /// All journals.
    public var journals: Int
    /// The journals without the entries of documents.
    public var journalOverhead: Int
    /// The store's own files.
    public var overhead: Int
    /// Files in quarantine.
    public var quarantine: Int

    /// Bytes.
    public init(
      size: Int, journals: Int, journalOverhead: Int, overhead: Int, quarantine: Int
    ) {
      (self.size, self.journals, self.journalOverhead) = (size, journals, journalOverhead)
      (self.overhead, self.quarantine) = (overhead, quarantine)
    }

    package static let codec = Codec<Self>(
      {
        Totals(size: $0, journals: $1, journalOverhead: $2, overhead: $3, quarantine: $4)
      },
      .required("bytes", \.size, .count),
      .required("journals", \.journals, .count),
      .required("journalOverhead", \.journalOverhead, .count),
      .required("overhead", \.overhead, .count),
      .required("quarantine", \.quarantine, .count))
  }

  /// An answer.
  public init(documents: [ShownUsage], totals: Totals) {
    (self.documents, self.totals) = (documents, totals)
  }

  package static let codec = Codec<Self>(
    { UsageAnswer(documents: $0, totals: $1) },
    .required("documents", \.documents, .array(ShownUsage.codec)),
    .group(\.totals, Totals.codec))
}

/// The size of a document in bytes, by kind and by the age of its entries.
public struct ShownUsage: Hashable, Sendable {
  /// The document.
  public var document: DocumentID
  /// All bytes.
  public var size: Int
  /// The number of its edits.
  public var editCount: UInt64
  /// Blocks of segments.
  public var blocks: Int
  /// Footers of segments.
  public var footers: Int
  /// Parity of segments.
  public var parity: Int
  /// Checkpoints.
  public var checkpoints: Int
  /// Attachments.
  public var attachments: Int
  /// Entries in journals.
  public var journal: Int
  /// Copies of its name.
  public var name: Int
  /// Other files in its folder.
  public var other: Int
  /// Bytes per edit. Nil without edits.
  public var bytesPerEdit: Double?
  /// Blocks and journal entries by age.
  public var ages: Ages

  /// Bytes by the age of the last entry in them.
  public struct Ages: Hashable, Sendable {
    /// Up to 1, 7 and 30 days, and older; each without the younger ones.
    public var (day, week, month, older): (Int, Int, Int, Int)

    /// Bytes.
    public init(day: Int = 0, week: Int = 0, month: Int = 0, older: Int = 0) {
      (self.day, self.week, self.month, self.older) = (day, week, month, older)
    }

    static let codec = Codec<Self>(
      { Ages(day: $0, week: $1, month: $2, older: $3) },
      .required("day", \.day, .count),
      .required("week", \.week, .count),
      .required("month", \.month, .count),
      .required("older", \.older, .count))
  }

  /// A document's bytes.
  public init(
    document: DocumentID, size: Int, editCount: UInt64, blocks: Int, footers: Int, parity: Int,
    checkpoints: Int, attachments: Int = 0, journal: Int, name: Int, other: Int,
    bytesPerEdit: Double?, ages: Ages
  ) {
    (self.document, self.size, self.editCount) = (document, size, editCount)
    (self.blocks, self.footers, self.parity) = (blocks, footers, parity)
    (self.checkpoints, self.attachments) = (checkpoints, attachments)
    (self.journal, self.name) = (journal, name)
    (self.other, self.bytesPerEdit, self.ages) = (other, bytesPerEdit, ages)
  }

  package static let codec = Codec<Self>(
    {
      ShownUsage(
        document: $0, size: $1, editCount: $2, blocks: $3, footers: $4, parity: $5,
        checkpoints: $6, attachments: $7, journal: $8, name: $9, other: $10, bytesPerEdit: $11,
        ages: $12)
    },
    .required("document", \.document, .document),
    .required("bytes", \.size, .count),
    .required("edits", \.editCount, .unsigned),
    .required("blocks", \.blocks, .count),
    .required("footers", \.footers, .count),
    .required("parity", \.parity, .count),
    .required("checkpoints", \.checkpoints, .count),
    .optional("attachments", \.attachments, .count, else: 0, isAlwaysWritten: true),
    .required("journal", \.journal, .count),
    .required("name", \.name, .count),
    .required("other", \.other, .count),
    .optional("bytesPerEdit", \.bytesPerEdit, .number),
    .required("ages", \.ages, Ages.codec))
}

// MARK: editlog/forget

/// Removes a document and its history for good.
public struct ForgetRequest: MethodRequest {
  /// The document.
  public var target: Target

  /// The document's name or number.
  public enum Target: Hashable, Sendable {
    /// Its name.
    case name(DocumentID)
    /// Its number in the store, for a name that cannot be an argument of a program.
    case number(UInt64)
  }

  /// The last edit that the document may have. If it has later ones, nothing is removed.
  public var upTo: SequenceNumber?

  /// A call.
  public init(_ target: Target, upTo: SequenceNumber? = nil) {
    (self.target, self.upTo) = (target, upTo)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, ForgetAnswer>(
    "editlog/forget",
    "Removes a document from every file of the store.",
    isChange: true,
    params: Codec(
      schema: [
        "type": "object",
        "properties": [
          "document": .object(Codec<DocumentID>.document.schema),
          "number": ["type": "integer", "minimum": 1],
          "upTo": ["type": "integer", "minimum": 0],
        ],
        "oneOf": [["required": ["document"]], ["required": ["number"]]],
      ],
      decode: { (json) throws(ShapeError) in
        let object = try json.asObject()
        let upTo = try object.unsignedIfPresent("upTo")
        guard let number = try object.unsignedIfPresent("number", atLeast: 1) else {
          return ForgetRequest(.name(try object.document("document")), upTo: upTo)
        }
        guard let document = object["document"] else {
          return ForgetRequest(.number(number), upTo: upTo)
        }
        throw ShapeError("document", mustBe: "absent, because number is given", found: document)
      },
      encode: { request in
        var object: JSONObject = [:]
        switch request.target {
        case .name(let document): object["document"] = JSON(document.name)
        case .number(let number): object["number"] = JSON(number)
        }
        object["upTo"] = request.upTo.map { JSON($0) }
        return .object(object)
      }),
    answer: ForgetAnswer.codec)
}

/// The receipt of a removal.
public struct ForgetAnswer: Hashable, Sendable {
  /// The name that it had.
  public var document: DocumentID
  /// Edits that it had; 0 if they could not be read.
  public var editCount: UInt64
  /// Events that it had; 0 if they could not be read.
  public var eventCount: UInt64
  /// Files that were overwritten and removed.
  public var fileCount: Int
  /// Bytes in them.
  public var size: Int
  /// Journals that were replaced.
  public var journalCount: Int
  /// Other documents that were sealed so that the journals could be removed.
  public var sealedDocumentCount: Int
  /// Files in quarantine in which bytes were overwritten.
  public var erased: [String]
  /// Overwritten bytes that could not be read. Some may have been another document's.
  public var unreadableSize: Int

  /// A receipt.
  public init(
    document: DocumentID, editCount: UInt64, eventCount: UInt64, fileCount: Int, size: Int,
    journalCount: Int, sealedDocumentCount: Int, erased: [String], unreadableSize: Int
  ) {
    (self.document, self.editCount, self.eventCount) = (document, editCount, eventCount)
    (self.fileCount, self.size, self.journalCount) = (fileCount, size, journalCount)
    (self.sealedDocumentCount, self.erased) = (sealedDocumentCount, erased)
    self.unreadableSize = unreadableSize
  }

  package static let codec = Codec<Self>(
    {
      ForgetAnswer(
        document: $0, editCount: $1, eventCount: $2, fileCount: $3, size: $4, journalCount: $5,
        sealedDocumentCount: $6, erased: $7, unreadableSize: $8)
    },
    .required("document", \.document, .document),
    .required("edits", \.editCount, .unsigned),
    .required("events", \.eventCount, .unsigned),
    .required("files", \.fileCount, .count),
    .required("bytes", \.size, .count),
    .required("journals", \.journalCount, .count),
    .required("sealedDocuments", \.sealedDocumentCount, .count),
    .required("blanked", \.erased, .array(.string)),
    .required("unreadableBytes", \.unreadableSize, .count))
}

// MARK: editlog/repair

/// Asks for the steps that a repair would do.
public struct RepairPlanRequest: MethodRequest {
  /// A call.
  public init() {}

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, RepairAnswer>(
    "editlog/repair",
    "What a repair would do.",
    isChange: false,
    params: Codec(
      { (_: Bool) in RepairPlanRequest() }, .flag("dryRun", true)),
    answer: RepairAnswer.codec,
    isMeant: { (params) throws(ProtocolError) in try params.flag("dryRun") })
}

/// Rebuilds damaged files.
public struct RepairRequest: MethodRequest {
  /// True if known losses are accepted.
  public var acceptsLoss: Bool
  /// True if files in quarantine are removed whose entries are all in the histories.
  public var removesRecovered: Bool

  /// A call.
  public init(acceptsLoss: Bool = false, removesRecovered: Bool = false) {
    (self.acceptsLoss, self.removesRecovered) = (acceptsLoss, removesRecovered)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, RepairAnswer>(
    "editlog/repair",
    "Repairs the store.",
    isChange: true,
    params: Codec(
      { (_: Bool, acceptsLoss, removesRecovered) in
        RepairRequest(acceptsLoss: acceptsLoss, removesRecovered: removesRecovered)
      },
      .flag("dryRun", false),
      .optional("acceptLoss", \.acceptsLoss, .bool, else: false),
      .optional("removeRecovered", \.removesRecovered, .bool, else: false)),
    answer: RepairAnswer.codec)
}

/// The steps of a repair, or of a dry run.
public struct RepairAnswer: Hashable, Sendable {
  /// True if nothing was changed.
  public var isDryRun: Bool
  /// The files that were rebuilt.
  public var repairs: [RepairStep]
  /// Files that were removed from quarantine.
  public var removed: [String]?
  /// The steps that opening the store for writing would do.
  public var opening: [RepairStep]?
  /// Losses that were accepted.
  public var accepted: [RepairStep]?
  /// The steps that opening the store did.
  public var recovery: ShownRecovery?
  /// The findings of a check after the repair.
  public var findings: [Finding]?

  /// An answer.
  public init(
    isDryRun: Bool, repairs: [RepairStep], removed: [String]? = nil,
    opening: [RepairStep]? = nil, accepted: [RepairStep]? = nil, recovery: ShownRecovery? = nil,
    findings: [Finding]? = nil
  ) {
    (self.isDryRun, self.repairs, self.removed) = (isDryRun, repairs, removed)
    (self.opening, self.accepted, self.recovery, self.findings) = (
      opening, accepted, recovery, findings
    )
  }

  package static let codec = Codec<Self>(
    {
      RepairAnswer(
        isDryRun: $0, repairs: $1, removed: $2, opening: $3, accepted: $4, recovery: $5,
        findings: $6)
    },
    .required("dryRun", \.isDryRun, .bool),
    .required("repairs", \.repairs, .array(RepairStep.codec)),
    .optional("removed", \.removed, .array(.string)),
    .optional("opening", \.opening, .array(RepairStep.codec)),
    .optional("accepted", \.accepted, .array(RepairStep.codec)),
    .optional("recovery", \.recovery, ShownRecovery.codec),
    .optional("findings", \.findings, .array(Finding.codec)))
}

/// A file, and the step that was done or the damage that was found.
public struct RepairStep: Hashable, Sendable {
  /// The file's path, relative to the store's folder.
  public var file: String
  /// The document that it belongs to.
  public var document: DocumentID?
  /// One sentence: what was done or found.
  public var what: String

  /// A step.
  public init(file: String, document: DocumentID? = nil, what: String) {
    (self.file, self.document, self.what) = (file, document, what)
  }

  package static let codec = Codec<Self>(
    { RepairStep(file: $0, document: $1, what: $2) },
    .required("file", \.file, .string),
    .optional("document", \.document, .document),
    .required("what", \.what, .string))
}

/// The steps that opening the store did.
public struct ShownRecovery: Hashable, Sendable {
  /// The size of torn writes, in bytes: they were cut short before they were acknowledged.
  public var tornSize: Int
  /// Files that were written again.
  public var madeAnew: [RepairStep]
  /// Files that were moved to quarantine.
  public var quarantined: [String]
  /// Documents whose removal was completed.
  public var forgottenCount: Int

  /// A recovery.
  public init(
    tornSize: Int, madeAnew: [RepairStep], quarantined: [String], forgottenCount: Int
  ) {
    (self.tornSize, self.madeAnew) = (tornSize, madeAnew)
    (self.quarantined, self.forgottenCount) = (quarantined, forgottenCount)
  }

  package static let codec = Codec<Self>(
    { ShownRecovery(tornSize: $0, madeAnew: $1, quarantined: $2, forgottenCount: $3) },
    .required("tornBytes", \.tornSize, .count),
    .optional("madeAnew", \.madeAnew, .array(RepairStep.codec), else: [], isAlwaysWritten: true),
    .required("quarantined", \.quarantined, .array(.string)),
    .required("forgotten", \.forgottenCount, .count))
}
