package import EditLogFormat
package import EditModel

/// A batch of the native dialect: an append request, with its edits as the log's own records (see
/// `RecordCodec`).
///
///     counter | version it was made against, plus 1; 0 if none | document | number of edits |
///     for each edit: size of meta | meta | size of content | content
///     flags, if they are not 0 | if they say so, for each edit: name of its composition, empty if none
///
/// In a record the sequence numbers count the edits of the batch from 1, the time is the client's
/// (the smallest number if it sends none), and the session and the counter are absent: they are those
/// of the connection and of the batch.
package enum NativeBatch {
  /// The time of an edit for which the client sends none.
  private static let noTime = Timestamp(nanoseconds: .min)
  /// The maximum number of edits of a batch: a bound for the memory that a batch takes.
  package static let editCountMax = AppendRequest.editCountMax
  /// The maximum size in bytes of the attribute changes of a batch. In memory they take up to 48 times as
  /// much.
  package static let attributesSizeMax = 256 << 10
  /// The smallest number of bytes that an edit takes.
  private static let editSizeMin = 15
  private enum Flag {
    /// An editor that has the document open is asked to make the edits.
    static let asksEditors: UInt8 = 1
    /// The names of compositions follow.
    static let compositions: UInt8 = 2
    /// The edits lead to a text that was saved.
    static let saved: UInt8 = 4
    static let all = asksEditors | compositions | saved
  }

  /// Appends the frame of a request. Its own ticket is left out.
  ///
  /// - Throws: `invalidParams` for a request without edits, `tooLarge` for one with too many edits or
  ///   attributes, `invalidEdit` for an edit that lies outside any text.
  package static func write(
    _ request: AppendRequest, counter: UInt64, to bytes: inout ByteWriter,
    with scratch: inout RecordScratch
  ) throws(ProtocolError) {
    guard !request.edits.isEmpty else {
      throw ProtocolError(.invalidParams, "an append request needs at least one edit")
    }
    guard request.edits.count <= editCountMax else {
      throw ProtocolError(
        .tooLarge,
        "a request has \(request.edits.count) edits, and \(editCountMax) are allowed; split it")
    }
    try NativeFrame.write(.batch, to: &bytes) { (body) throws(ProtocolError) in
      body.write(varint: counter)
      body.write(varint: request.base.map { $0 == .max ? .max : $0 + 1 } ?? 0)
      body.write(string: request.document.name)
      body.write(count: request.edits.count)
      var transaction: SequenceNumber = 1
      var attributesSize = 0
      for (index, edit) in request.edits.enumerated() {
        let action = edit.action
        guard action.range.upperBound <= EditAction.textLengthMax,
          action.newLength <= EditAction.textLengthMax - action.range.location
        else {
          throw .invalidEdit(
            at: index,
            .textTooLong(
              changeInLength: action.changeInLength, textLength: action.range.upperBound))
        }
        let number = SequenceNumber(index + 1)
        let label = edit.transaction
        if index == 0 || label == nil || label != request.edits[index - 1].transaction {
          transaction = number
        }
        let logged = Edit(
          sequence: number, action: action, origin: request.loggedOrigin(of: edit),
          transaction: transaction, author: edit.author ?? request.author,
          time: edit.time ?? noTime, selection: edit.selection)
        scratch.write(.edit(logged), to: &body)
        attributesSize += scratch.attributesSizeMax
        guard attributesSize <= attributesSizeMax else {
          throw .tooLarge(
            "the attribute changes of a request", size: attributesSize,
            sizeMax: attributesSizeMax)
        }
      }
      write(flagsOf: request, to: &body)
    }
  }

  private static func write(flagsOf request: AppendRequest, to body: inout ByteWriter) {
    let hasCompositions = request.edits.contains { $0.composition != nil }
    let flags =
      (request.atRest ? 0 : Flag.asksEditors) | (hasCompositions ? Flag.compositions : 0)
      | (request.isSaved ? Flag.saved : 0)
    guard flags != 0 else { return }
    body.write(flags)
    guard hasCompositions else { return }
    for edit in request.edits { body.write(string: edit.composition ?? "") }
  }

  /// The number of edits of a frame that `write` has made.
  package static func editCount(ofFrame frame: UnsafeRawBufferPointer) -> Int {
    var reader = ByteReader(
      UnsafeRawBufferPointer(rebasing: frame.dropFirst(NativeFrame.headerSize)))
    do throws(CodecError) {
      _ = (try reader.readVarint(), try reader.readVarint())
      _ = try reader.readBytes(try reader.readCount(max: reader.remaining))
      return try reader.readCount(max: editCountMax)
    } catch { return 0 }
  }

  /// Why a batch is refused: its counter is 0 if it cannot be read.
  package struct Refusal: Error {
    package let counter: UInt64
    package let error: ProtocolError
  }

  /// Reads a batch.
  ///
  /// - Parameters:
  ///   - body: The body of its frame.
  ///   - client: Who sent it.
  ///   - last: The document of the batch before; its memory is used again.
  package static func read(
    _ body: UnsafeRawBufferPointer, of client: NativeHello, last: DocumentID?
  ) throws(Refusal) -> (request: AppendRequest, ticket: RequestTicket) {
    var reader = ByteReader(body)
    var counter: UInt64 = 0
    do throws(CodecError) {
      counter = try readCounter(&reader)
      let base = try reader.readVarint()
      let document = try document(&reader, last)
      var edits: [AppendEdit] = []
      let flags = try readRest(&reader, to: &edits, countMax: editCountMax)
      let ticket = RequestTicket(session: client.session, counter: counter)
      return (
        AppendRequest(
          document: document, base: base == 0 ? nil : base - 1, ticket: ticket,
          author: client.author, atRest: flags & Flag.asksEditors == 0,
          isSaved: flags & Flag.saved != 0, edits: edits), ticket
      )
    } catch {
      throw Refusal(
        counter: counter,
        error: ProtocolError(.invalidParams, "batch \(counter): \(error); it was not logged"))
    }
  }

  /// Reads a batch that follows one or more of the same client, and adds its edits to theirs. Returns
  /// false, and adds nothing, if it is not the next one, if it must stay alone, because it names a base
  /// version, may ask an editor or was saved, or if it is refused.
  ///
  /// - Parameters:
  ///   - body: The body of its frame.
  ///   - request: The batches before it.
  ///   - counter: The counter of the last of them.
  ///   - editCountMax: The maximum number of edits of all.
  package static func read(
    _ body: UnsafeRawBufferPointer, to request: inout AppendRequest, after counter: UInt64,
    editCountMax: Int
  ) -> Bool {
    var reader = ByteReader(body)
    let count = request.edits.count
    do throws(CodecError) {
      guard try readCounter(&reader) == counter &+ 1, try reader.readVarint() == 0,
        try reader.readString(is: request.document.name),
        try readRest(&reader, to: &request.edits, countMax: editCountMax - count)
          & (Flag.asksEditors | Flag.saved) == 0
      else { throw reader.error(.place) }
      return true
    } catch {
      request.edits.removeLast(request.edits.count - count)
      return false
    }
  }

  private static func readCounter(_ reader: inout ByteReader) throws(CodecError) -> UInt64 {
    let counter = try reader.readVarint()
    guard counter > 0 else { throw reader.error(.tooLarge) }
    return counter
  }

  /// Reads the edits of a batch and what follows them, and returns its flags.
  private static func readRest(
    _ reader: inout ByteReader, to edits: inout [AppendEdit], countMax: Int
  ) throws(CodecError) -> UInt8 {
    let count = try reader.readCount(max: min(countMax, reader.remaining / editSizeMin))
    guard count > 0 else { throw reader.error(.truncated) }
    if edits.isEmpty { edits.reserveCapacity(count) }
    var attributesSize = 0
    for number in 1...SequenceNumber(count) {
      edits.append(try edit(&reader, number: number, &attributesSize))
    }
    if reader.isAtEnd { return 0 }
    let place = reader
    let flags = try reader.readByte()
    guard flags != 0, flags & ~Flag.all == 0 else {
      throw place.error(.unknown)
    }
    if flags & Flag.compositions != 0 { try readCompositions(&reader, of: &edits, count: count) }
    try reader.expectEnd()
    return flags
  }

  /// Reads the names of the compositions of the last `count` edits.
  private static func readCompositions(
    _ reader: inout ByteReader, of edits: inout [AppendEdit], count: Int
  ) throws(CodecError) {
    for index in edits.count - count..<edits.count {
      let name = try reader.readString(sizeMax: AppendEdit.compositionSizeMax)
      if !name.isEmpty { edits[index].composition = name }
    }
  }

  private static func document(
    _ reader: inout ByteReader, _ last: DocumentID?
  ) throws(CodecError) -> DocumentID {
    let start = reader
    if let last, try reader.readString(is: last.name) { return last }
    reader = start
    guard let document = DocumentID(try reader.readString(sizeMax: DocumentID.sizeMax)) else {
      throw start.error(.name)
    }
    return document
  }

  private static func edit(
    _ reader: inout ByteReader, number: SequenceNumber, _ attributesSize: inout Int
  ) throws(CodecError) -> AppendEdit {
    let place = reader
    let record = try EntryBytes(&reader)
    attributesSize += RecordCodec.attributesSizeMax(of: record)
    guard attributesSize <= attributesSizeMax else { throw place.error(.tooLarge) }
    var (meta, content) = (ByteReader(record.meta), ByteReader(record.content))
    guard
      case .edit(let edit) = try RecordCodec.decode(meta: &meta, content: &content),
      meta.isAtEnd, content.isAtEnd, edit.sequence == number, edit.session == nil,
      edit.counter == 0, edit.clientTime == nil,
      (edit.author?.utf8.count ?? 1) <= AppendRequest.authorSizeMax, edit.author != ""
    else { throw place.error(.place) }
    return AppendEdit(
      action: edit.action, time: edit.time == noTime ? nil : edit.time, origin: edit.origin,
      author: edit.author, transaction: Int64(edit.transaction), selection: edit.selection)
  }
}

extension ByteReader {
  /// Reads a string, and tells whether it is `expected`.
  fileprivate mutating func readString(is expected: String) throws(CodecError) -> Bool {
    let size = try readCount(max: remaining)
    guard size == expected.utf8.count else { return false }
    let bytes = try readBytes(size)
    var expected = expected
    return expected.withUTF8 { expected in
      expected.elementsEqual(bytes)
    }
  }
}
