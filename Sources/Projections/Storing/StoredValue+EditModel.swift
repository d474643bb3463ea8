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

extension ParagraphDescriptor: StoredValue {
  /// Appends the identifier and the range.
  public func encode(to encoder: inout ValueEncoder) {
    id.encode(to: &encoder)
    range.encode(to: &encoder)
  }

  /// Reads a descriptor.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init(id: try ParagraphID(from: &decoder), range: try UTF16Range(from: &decoder))
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

extension AttributeSet: StoredValue {
  /// Appends the attributes as in the log.
  public func encode(to encoder: inout ValueEncoder) { encoder.encode(self) }

  /// Reads a set.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self = try decoder.decodeAttributes()
  }
}

extension AttributeRun: StoredValue {
  /// Appends the length and the attributes.
  public func encode(to encoder: inout ValueEncoder) {
    length.encode(to: &encoder)
    attributes.encode(to: &encoder)
  }

  /// Reads a run.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init(
      length: try decoder.decodeCount(), attributes: try AttributeSet(from: &decoder))
  }
}

extension AttributeChange: StoredValue {
  /// Appends the kind, and the runs or names.
  public func encode(to encoder: inout ValueEncoder) {
    switch self {
    case .inherit: encoder.encode(byte: 0)
    case .set(let runs):
      encoder.encode(byte: 1)
      runs.encode(to: &encoder)
    case .merge(let runs):
      encoder.encode(byte: 2)
      runs.encode(to: &encoder)
    case .remove(let names):
      encoder.encode(byte: 3)
      names.encode(to: &encoder)
    }
  }

  /// Reads a change.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    switch try decoder.decodeByte() {
    case 0: self = .inherit
    case 1: self = .set(try [AttributeRun](from: &decoder))
    case 2: self = .merge(try [AttributeRun](from: &decoder))
    case 3: self = .remove(try [String](from: &decoder))
    default: throw decoder.error("a change of attributes is unknown")
    }
  }
}
