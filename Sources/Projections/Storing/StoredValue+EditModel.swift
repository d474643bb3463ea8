public import EditModel

extension UTF16Text: StoredValue {
  /// Appends the number of units, then the text in WTF-8. O(n).
  public func encode(to encoder: inout ValueEncoder) { encoder.encode(self) }

  /// Reads a text.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self = try decoder.decodeText()
  }
}

extension UTF16Range: StoredValue {
  /// Appends location and length.
  public func encode(to encoder: inout ValueEncoder) {
    location.encode(to: &encoder)
    length.encode(to: &encoder)
  }

  /// Reads a range.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    let (location, length) = (try Int(from: &decoder), try Int(from: &decoder))
    guard let range = UTF16Range(location: location, length: length) else {
      throw decoder.error("a range is out of range")
    }
    self = range
  }
}

extension Timestamp: StoredValue {
  /// Appends the nanoseconds.
  public func encode(to encoder: inout ValueEncoder) { nanoseconds.encode(to: &encoder) }

  /// Reads a time.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init(nanoseconds: try Int64(from: &decoder))
  }
}

extension Origin: StoredValue {
  /// Appends one byte.
  public func encode(to encoder: inout ValueEncoder) { encoder.encode(byte: rawValue) }

  /// Reads one byte.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    guard let origin = Origin(rawValue: try decoder.decodeByte()) else {
      throw decoder.error("an origin is unknown")
    }
    self = origin
  }
}

extension ParagraphID: StoredValue {
  /// Appends the sequence number and the ordinal.
  public func encode(to encoder: inout ValueEncoder) {
    sequence.encode(to: &encoder)
    ordinal.encode(to: &encoder)
  }

  /// Reads an identifier.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init(
      sequence: try SequenceNumber(from: &decoder), ordinal: try UInt32(from: &decoder))
  }
}

extension SessionID: StoredValue {
  /// Appends the identifier.
  public func encode(to encoder: inout ValueEncoder) { name.encode(to: &encoder) }

  /// Reads an identifier.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    guard let session = SessionID(try String(from: &decoder)) else {
      throw decoder.error("the identifier of a session is empty or too long")
    }
    self = session
  }
}
