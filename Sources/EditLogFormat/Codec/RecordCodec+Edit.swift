package import EditModel

extension RecordCodec {
  /// Appends an edit.
  @inline(never)
  package static func encode(
    _ edit: Edit, meta: inout ByteWriter, content: inout ByteWriter
  ) {
    let start = content.count
    let action = edit.action
    if let text = action.replacement { WTF8.encode(text, to: &content) }
    let change = AttributeCodec.kind(of: action.attributes)
    if change != 0 { AttributeCodec.encode(action.attributes, to: &content) }
    encodeMeta(edit, change: change, contentSize: content.count - start, to: &meta)
  }

  /// The text whose encoding is the whole content of an edit.
  package static func wholeContent(of edit: Edit) -> UTF16Text? {
    guard case .inherit = edit.action.attributes else { return nil }
    return edit.action.replacement
  }

  /// Appends an edit without its content of `contentSize` bytes. `change` is the kind of its
  /// attribute change.
  package static func encodeMeta(
    _ edit: Edit, change: UInt8 = 0, contentSize: Int, to meta: inout ByteWriter
  ) {
    let action = edit.action
    let newLength = action.newLength
    precondition(
      action.range.upperBound <= EditAction.textLengthMax
        && newLength <= EditAction.textLengthMax - action.range.location,
      "an edit lies outside any text")
    precondition(
      edit.sequence >= 1 && edit.sequence <= sequenceMax
        && (1...edit.sequence).contains(edit.transaction),
      "a transaction starts after its edit")
    var flags = flags(author: edit.author, session: edit.session, counter: edit.counter)
    if action.replacement != nil { flags |= Flag.replacement }
    if edit.transaction != edit.sequence { flags |= Flag.transaction }
    if edit.clientTime != nil { flags |= Flag.clientTime }
    if edit.selection != nil { flags |= Flag.selection }
    meta.write(flags)
    meta.write(edit.origin.rawValue | change << 4)
    meta.write(varint: edit.sequence)
    meta.write(count: action.range.location)
    meta.write(count: action.range.length)
    if action.replacement != nil { meta.write(count: newLength) }
    meta.write(count: contentSize)
    meta.write(fixed: edit.time.nanoseconds)
    if edit.transaction != edit.sequence {
      meta.write(varint: edit.sequence &- edit.transaction)
    }
    encodeSource(
      author: edit.author, session: edit.session, counter: edit.counter, to: &meta)
    if let clientTime = edit.clientTime { meta.write(fixed: clientTime.nanoseconds) }
    if let selection = edit.selection { SelectionForm(selection, of: action).write(to: &meta) }
  }

  /// The largest size in bytes that the attribute change of an edit can have; 0 if there is none. Of text
  /// that is not ASCII, some bytes are counted too. 0 for bytes that are no edit.
  package static func attributesSizeMax(of record: EntryBytes) -> Int {
    var meta = ByteReader(record.meta)
    do throws(CodecError) {
      let flags = try meta.readByte()
      guard try meta.readByte() >> 4 != 0 else { return 0 }
      // Sequence number, location, length.
      for _ in 0..<3 { _ = try meta.readVarint() }
      let newLength = flags & Flag.replacement == 0 ? 0 : try meta.readVarint()
      return record.content.count - Int(min(newLength, UInt64(record.content.count)))
    } catch { return 0 }
  }

  static func decodeEdit(
    _ flags: UInt8, _ meta: inout ByteReader, _ content: inout ByteReader
  ) throws(CodecError) -> Edit {
    let kinds = try meta.readByte()
    guard let origin = Origin(rawValue: kinds & 0xF), kinds >> 4 <= 3 else {
      throw meta.error(.unknown)
    }
    let sequence = try meta.readVarint()
    guard (1...sequenceMax).contains(sequence) else { throw meta.error(.place) }
    let action = try decodeAction(flags, change: kinds >> 4, &meta, &content)
    let time = Timestamp(nanoseconds: try meta.read())
    let before = flags & Flag.transaction == 0 ? 0 : try decodeNonzero(&meta)
    guard before < sequence else { throw meta.error(.place) }
    let (author, session, counter) = try decodeSource(flags, &meta)
    let clientTime =
      flags & Flag.clientTime == 0 ? nil : Timestamp(nanoseconds: try meta.read())
    let selection =
      flags & Flag.selection == 0 ? nil : try decodeSelection(of: action, &meta)
    return Edit(
      sequence: sequence, action: action, origin: origin, transaction: sequence - before,
      author: author, session: session, counter: counter, time: time, clientTime: clientTime,
      selection: selection)
  }

  private static func decodeAction(
    _ flags: UInt8, change: UInt8, _ meta: inout ByteReader, _ content: inout ByteReader
  ) throws(CodecError) -> EditAction {
    let place = meta
    let location = try meta.readCount(max: EditAction.textLengthMax)
    let length = try meta.readCount(max: EditAction.textLengthMax - location)
    guard let range = UTF16Range(location: location, length: length) else {
      throw place.error(.action)
    }
    let newLength =
      flags & Flag.replacement == 0
      ? nil : try meta.readCount(max: EditAction.textLengthMax - location)
    let size = try meta.readCount(max: .max)
    let end = content.offset.addingReportingOverflow(size)
    guard !end.overflow, size <= content.remaining else { throw content.error(.truncated) }

    let text =
      if let newLength {
        UTF16Text(units: try WTF8.decode(newLength, from: &content))
      } else { UTF16Text?.none }
    let attributes = try AttributeCodec.decodeChange(kind: change, from: &content)
    guard content.offset == end.partialValue else { throw meta.error(.mismatch) }
    return try makeAction(range, text, attributes, at: place)
  }

  /// A selection in its only form.
  private static func decodeSelection(
    of action: EditAction, _ meta: inout ByteReader
  ) throws(CodecError) -> EditSelection {
    let place = meta
    let form = try SelectionForm(&meta)
    guard let selection = try form.selection(of: action, at: place),
      SelectionForm(selection, of: action) == form
    else { throw place.error(.overlong) }
    return selection
  }

  /// The action with these decoded parts.
  @inline(__always)
  static func makeAction(
    _ range: UTF16Range, _ text: UTF16Text?, _ attributes: AttributeChange, at place: ByteReader
  ) throws(CodecError) -> EditAction {
    if let text, case .inherit = attributes { return EditAction(replacing: range, with: text) }
    do {
      return try EditAction(range: range, replacement: text, attributes: attributes)
    } catch { throw place.error(.action) }
  }
}
