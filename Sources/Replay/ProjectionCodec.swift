import EditLogFormat
public import EditModel
public import Projections

/// The states of projections at one version, as bytes.
///
///     sequence | count, each: name, version, size, state
///
/// Numbers are varints; the names are in UTF-8 and ascend by their bytes. A state is that after the
/// edit and before the events that follow it. The bytes are a cache: a reader that cannot use them
/// folds the history from the start.
public enum ProjectionCodec {
  /// The bytes of projections after the edit `sequence`, for `CheckpointSink.store`. O(size).
  public static func encode(
    _ projections: [any StoredProjection], at sequence: SequenceNumber
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(varint: sequence)
    writer.write(count: projections.count)
    let sorted = projections.sorted { name(of: $0).precedesExactly(name(of: $1)) }
    for projection in sorted {
      let bytes = projection.storedBytes
      writer.write(string: name(of: projection))
      writer.write(varint: UInt64(type(of: projection).version))
      writer.write(count: bytes.count)
      writer.write(bytes: bytes)
    }
    return writer.bytes
  }

  private static func name(of projection: any StoredProjection) -> String {
    type(of: projection).name
  }
}

/// The states of projections that were read, not decoded yet.
struct StoredProjections {
  /// The edit after which they were stored.
  let sequence: SequenceNumber
  private var states: [String: (version: UInt64, bytes: [UInt8])] = [:]

  /// Reads the bytes of `ProjectionCodec.encode`.
  init(_ bytes: [UInt8]) throws(CodecError) {
    self = try ByteReader.reading(bytes) { (reader: inout ByteReader) throws(CodecError) -> Self in
      try Self(&reader)
    }
  }

  private init(_ reader: inout ByteReader) throws(CodecError) {
    sequence = try reader.readVarint()
    var last: String?
    // A state takes at least three bytes.
    for _ in 0..<(try reader.readCount(max: reader.remaining)) {
      let (name, version) = (try reader.readString(), try reader.readVarint())
      guard last.map({ $0.precedesExactly(name) }) ?? true else { throw reader.error(.unsorted) }
      last = name
      let size = try reader.readCount(max: reader.remaining)
      states[name] = (version, [UInt8](try reader.readBytes(size)))
    }
    try reader.expectEnd()
  }

  /// True if there are none: after this edit they were too large to be stored.
  var isEmpty: Bool { states.isEmpty }

  /// The state of a projection of this type, version and settings; nil if there is none.
  func state<P: StoredProjection>(like projection: P) -> P? {
    guard let bytes = bytes(of: P.self), let stored = try? P(storedBytes: bytes),
      projection.matches(settingsOf: stored)
    else { return nil }
    return stored
  }

  /// The states of all these projections; nil if one is missing.
  func states(like projections: [any Projection]) -> [any Projection]? {
    var found: [any Projection] = []
    for projection in projections {
      guard let projection = projection as? any StoredProjection,
        let stored = restored(projection)
      else { return nil }
      found.append(stored)
    }
    return found
  }

  private func restored<P: StoredProjection>(_ projection: P) -> (any Projection)? {
    state(like: projection)
  }

  /// True if a projection of this type and version is stored with other bytes than its own, or if
  /// none is.
  func differs(from projection: some StoredProjection) -> Bool {
    bytes(of: type(of: projection)) != projection.storedBytes
  }

  /// True if a projection of this type and version is stored.
  func has(_ type: any StoredProjection.Type) -> Bool { bytes(of: type) != nil }

  private func bytes(of type: any StoredProjection.Type) -> [UInt8]? {
    guard let state = states[type.name], state.version == UInt64(type.version) else { return nil }
    return state.bytes
  }
}
