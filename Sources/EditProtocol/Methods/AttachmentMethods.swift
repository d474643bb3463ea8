public import EditJSON
public import EditModel

extension Methods {
  /// Methods about the bytes that edits name by their digests.
  static let attachments: [any MethodRequest.Type] = [
    AttachRequest.self, AttachmentRequest.self, AttachmentsRequest.self, ContentsRequest.self,
    InsertAttachmentRequest.self,
  ]
}

// MARK: editlog/attach

/// Stores the bytes of an attachment of a document, once. An edit names them by their digest.
public struct AttachRequest: MethodRequest {
  /// The document, which has an edit.
  public var document: DocumentID
  /// The bytes.
  public var content: [UInt8]

  /// The maximum size of an attachment, in bytes.
  public static let sizeMax = 16 << 20

  /// A call.
  ///
  /// - Parameters:
  ///   - document: The document, which has an edit.
  ///   - content: The bytes.
  public init(_ document: DocumentID, _ content: [UInt8]) {
    (self.document, self.content) = (document, content)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, AttachAnswer>(
    "editlog/attach",
    "Stores the bytes of an attachment of a document.",
    isChange: true,
    params: Codec(
      { AttachRequest($0, $1) },
      .required("document", \.document, .document),
      .required("content", \.content, .content)),
    answer: AttachAnswer.codec)
}

/// Where an attachment is.
public struct AttachAnswer: Hashable, Sendable {
  /// The attachment.
  public var attachment: ShownAttachment
  /// False if the document has it already.
  public var isNew: Bool
  /// The cells of a row and the rows that a picture takes, by its size in pixels; nil for other bytes.
  public var columns, rows: Int?

  /// An answer.
  ///
  /// - Parameters:
  ///   - attachment: The attachment, with the type that its bytes say.
  ///   - isNew: False if the document has it already.
  ///   - columns: The cells of a row that a picture takes.
  ///   - rows: The rows that a picture takes.
  public init(_ attachment: ShownAttachment, isNew: Bool, columns: Int? = nil, rows: Int? = nil) {
    (self.attachment, self.isNew) = (attachment, isNew)
    (self.columns, self.rows) = (columns, rows)
  }

  package static let codec = Codec<Self>(
    { AttachAnswer($0, isNew: $1, columns: $2, rows: $3) },
    .group(\.attachment, ShownAttachment.codec), .required("new", \.isNew, .bool),
    .optional("columns", \.columns, .count), .optional("rows", \.rows, .count))
}

/// An attachment of a document.
public struct ShownAttachment: Hashable, Sendable {
  /// A place of an attachment in the newest version.
  public struct Place: Hashable, Sendable {
    /// The place, in UTF-16 units.
    public var offset: Int
    /// The name that the version gives it there; nil if it gives none.
    public var name: String?
    /// The type of its bytes that the version gives there; nil if it gives none.
    public var type: String?

    /// A place.
    ///
    /// - Parameters:
    ///   - offset: The place, in UTF-16 units.
    ///   - name: The name that the version gives it there.
    ///   - type: The type of its bytes that the version gives there.
    public init(_ offset: Int, name: String? = nil, type: String? = nil) {
      (self.offset, self.name, self.type) = (offset, name, type)
    }

    static let codec = Codec<Self>(
      { Place($0, name: $1, type: $2) }, .required("offset", \.offset, .count),
      .optional("name", \.name, .string), .optional("type", \.type, .string))
  }

  /// The maximum number of places in an answer, not counting the first place of each attachment.
  public static let placesMax = 1 << 13

  /// The SHA-256 of its bytes.
  public var digest: AttachmentDigest
  /// Its size in bytes.
  public var size: Int
  /// The name that the newest version gives it in its first place there; nil if it gives none.
  public var name: String?
  /// The type of its bytes, such as `image/png`, in the same place.
  public var type: String?
  /// That place in the newest version, in UTF-16 units; nil if the version does not have it.
  public var offset: Int?
  /// Its places in the newest version, ascending; not all of them if `placeCount` is larger.
  public var places: [Place]
  /// The number of its places in the newest version.
  public var placeCount: Int

  /// An attachment.
  ///
  /// - Parameters:
  ///   - digest: The SHA-256 of its bytes.
  ///   - size: Its size in bytes.
  ///   - name: The name that the newest version gives it in its first place there.
  ///   - type: The type of its bytes in the same place.
  ///   - offset: That place, in UTF-16 units.
  ///   - places: Its places, ascending.
  ///   - placeCount: The number of all its places.
  public init(
    _ digest: AttachmentDigest, size: Int, name: String? = nil, type: String? = nil,
    offset: Int? = nil, places: [Place] = [], placeCount: Int = 0
  ) {
    (self.digest, self.size) = (digest, size)
    (self.name, self.type, self.offset) = (name, type, offset)
    (self.places, self.placeCount) = (places, placeCount)
  }

  package static let codec = Codec<Self>(
    {
      ShownAttachment(
        $0, size: $1, name: $2, type: $3, offset: $4, places: $5, placeCount: $6)
    },
    .required("digest", \.digest, .attachment), .required("bytes", \.size, .count),
    .optional("name", \.name, .string), .optional("type", \.type, .string),
    .optional("offset", \.offset, .count),
    .optional("places", \.places, .array(Place.codec), else: []),
    .optional("placeCount", \.placeCount, .count, else: 0))
}

// MARK: editlog/attachment

/// Asks for the bytes of an attachment.
public struct AttachmentRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The SHA-256 of the bytes.
  public var digest: AttachmentDigest

  /// A call.
  ///
  /// - Parameters:
  ///   - history: The history, and the checks that the call asks for.
  ///   - digest: The SHA-256 of the bytes.
  public init(_ history: HistoryReference, _ digest: AttachmentDigest) {
    (self.history, self.digest) = (history, digest)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, AttachmentAnswer>(
    "editlog/attachment",
    "The bytes of an attachment.",
    isChange: false,
    params: Codec(
      { AttachmentRequest($0, $1) }, .group(\.history, HistoryReference.codec),
      .required("digest", \.digest, .attachment)),
    answer: AttachmentAnswer.codec)
}

/// The bytes of an attachment, which have the digest that was asked for.
public struct AttachmentAnswer: HistoryAnswer {
  /// The bytes.
  public var content: [UInt8]
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  ///
  /// - Parameters:
  ///   - content: The bytes.
  ///   - reservation: Warnings about data that may be missing.
  public init(_ content: [UInt8], reservation: Reservation = Reservation()) {
    (self.content, self.reservation) = (content, reservation)
  }

  package static let codec = Codec<Self>(
    { AttachmentAnswer($0, reservation: $1) }, .required("content", \.content, .content),
    .group(\.reservation, Reservation.codec))
}

// MARK: editlog/attachments

/// Asks for the attachments of a document.
public struct AttachmentsRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference

  /// A call.
  ///
  /// - Parameter history: The history, and the checks that the call asks for.
  public init(_ history: HistoryReference) { self.history = history }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, AttachmentsAnswer>(
    "editlog/attachments",
    "The attachments of a document by digest, with their names and types in the newest version.",
    isChange: false,
    params: Codec({ AttachmentsRequest($0) }, .group(\.history, HistoryReference.codec)),
    answer: AttachmentsAnswer.codec)
}

/// The attachments of a document.
public struct AttachmentsAnswer: HistoryAnswer {
  /// The attachments whose bytes the store has, whether a version names them or not.
  public var attachments: [ShownAttachment]
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  ///
  /// - Parameters:
  ///   - attachments: The attachments whose bytes the store has.
  ///   - reservation: Warnings about data that may be missing.
  public init(_ attachments: [ShownAttachment], reservation: Reservation = Reservation()) {
    (self.attachments, self.reservation) = (attachments, reservation)
  }

  package static let codec = Codec<Self>(
    { AttachmentsAnswer($0, reservation: $1) },
    .required("attachments", \.attachments, .array(ShownAttachment.codec)),
    .group(\.reservation, Reservation.codec))
}

extension Codec<AttachmentDigest> {
  /// The digest of an attachment: 64 hexadecimal digits in lower case.
  public static let attachment = Codec(
    schema: ["type": "string", "pattern": "^[0-9a-f]{64}$"],
    decode: { (json) throws(ShapeError) in
      guard let digest = AttachmentDigest(try json.asString()) else {
        throw ShapeError(
          mustBe: "a SHA-256 in 64 hexadecimal digits in lower case", found: json)
      }
      return digest
    }, encode: { JSON("\($0)") })
}

extension Codec<[UInt8]> {
  /// The bytes of an attachment, in Base64.
  static let content = Codec(
    schema: ["type": "string", "contentEncoding": "base64"],
    decode: { (json) throws(ShapeError) in
      let text = try json.asString()
      guard text.utf8.count <= (AttachRequest.sizeMax + 2) / 3 * 4 else {
        throw ShapeError(
          "",
          .mustBe(
            "Base64 of at most \(AttachRequest.sizeMax) bytes", found: "\(text.utf8.count) digits"))
      }
      guard let bytes = Base64.decode(text) else {
        throw ShapeError(mustBe: "Base64 with padding", found: json)
      }
      return bytes
    }, encode: { JSON(Base64.encode($0)) })
}
