import EditModel

extension ParagraphModels: StoredProjection {
  /// `paragraphs`.
  public static let name = "paragraphs"

  /// True if both have the same rule for moves.
  public func matches(settingsOf stored: ParagraphModels) -> Bool {
    recent.rule == stored.recent.rule
  }

  /// Appends the models, those of removed paragraphs with their last texts. O(size).
  public func encode(to encoder: inout ValueEncoder) {
    recent.rule.encode(to: &encoder)
    models.encode(to: &encoder)
    graves.encode(to: &encoder)
    recent.entries.encode(to: &encoder)
  }

  /// Reads models.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    let rule = try ParagraphMoveRule(from: &decoder)
    (models, graves) = (try [ParagraphModel](from: &decoder), try [Int](from: &decoder))
    recent = RecentRemovals(rule: rule)
    places.reserveCapacity(models.count)
    for (place, model) in models.enumerated() {
      guard places.updateValue(place, forKey: model.id) == nil else {
        throw decoder.error("there are two paragraphs \(model.id)")
      }
    }
    for place in graves {
      guard models.indices.contains(place), models[place].death != nil else {
        throw decoder.error("a removed paragraph is missing")
      }
    }
    for entry in try [RecentRemovals.Entry](from: &decoder) {
      guard models.indices.contains(entry.place), let death = models[entry.place].death else {
        throw decoder.error("a removed paragraph is missing")
      }
      recent.restore(entry, death.lastText.content)
    }
  }
}

extension RecentRemovals.Entry: StoredValue {
  func encode(to encoder: inout ValueEncoder) {
    place.encode(to: &encoder)
    stamp.encode(to: &encoder)
    isTaken.encode(to: &encoder)
  }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    place = try decoder.decodeCount()
    stamp = try EditStamp(from: &decoder)
    isTaken = try Bool(from: &decoder)
  }
}

extension ParagraphMoveRule: StoredValue {
  /// Appends the parameters.
  public func encode(to encoder: inout ValueEncoder) {
    pauseNanosecondsMax.encode(to: &encoder)
    removedCountMax.encode(to: &encoder)
  }

  /// Reads the parameters.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    pauseNanosecondsMax = try Int64(from: &decoder)
    removedCountMax = try Int(from: &decoder)
  }
}

extension EditStamp: StoredValue {
  /// Appends the parts.
  public func encode(to encoder: inout ValueEncoder) {
    sequence.encode(to: &encoder)
    time.encode(to: &encoder)
    author.encode(to: &encoder)
    origin.encode(to: &encoder)
  }

  /// Reads a stamp.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    self.init(
      try SequenceNumber(from: &decoder), try Timestamp?(from: &decoder),
      try String?(from: &decoder), try Origin?(from: &decoder))
  }
}

extension ParagraphModel: StoredValue {
  /// Appends the parts. O(size).
  public func encode(to encoder: inout ValueEncoder) {
    id.encode(to: &encoder)
    born.encode(to: &encoder)
    splitFrom.encode(to: &encoder)
    lastEdited.encode(to: &encoder)
    editCount.encode(to: &encoder)
    authors.encode(to: &encoder)
    children.encode(to: &encoder)
    absorbed.encode(to: &encoder)
    moves.encode(to: &encoder)
    movedTo.encode(to: &encoder)
    death.encode(to: &encoder)
    textFrom.encode(to: &encoder)
  }

  /// Reads a model.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    let (id, born) = (try ParagraphID(from: &decoder), try EditStamp(from: &decoder))
    let splitFrom = try ParagraphID?(from: &decoder)
    let edited = try EditStamp(from: &decoder)
    self.init(
      id: id, born: born, splitFrom: splitFrom,
      // Most were edited by their birth only, and share its stamp.
      lastEdited: edited == born ? born : edited, editCount: try decoder.decodeCount())
    authors = try [String](from: &decoder)
    let (children, absorbed) = (
      try [ParagraphID](from: &decoder), try [ParagraphID](from: &decoder)
    )
    if !children.isEmpty { self.children = children }
    if !absorbed.isEmpty { self.absorbed = absorbed }
    let moves = try [ParagraphMove](from: &decoder)
    if !moves.isEmpty { self.moves = moves }
    if let movedTo = try ParagraphID?(from: &decoder) { self.movedTo = movedTo }
    if let death = try ParagraphDeath?(from: &decoder) { self.death = death }
    if let textFrom = try ParagraphID?(from: &decoder) { self.textFrom = textFrom }
  }
}

extension ParagraphMove: StoredValue {
  /// Appends the parts.
  public func encode(to encoder: inout ValueEncoder) {
    paragraph.encode(to: &encoder)
    stamp.encode(to: &encoder)
  }

  /// Reads a move.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    paragraph = try ParagraphID(from: &decoder)
    stamp = try EditStamp(from: &decoder)
  }
}

extension ParagraphDeath: StoredValue {
  /// Appends the parts. O(text).
  public func encode(to encoder: inout ValueEncoder) {
    stamp.encode(to: &encoder)
    lastText.encode(to: &encoder)
    index.encode(to: &encoder)
    mergedInto.encode(to: &encoder)
    leavesText.encode(to: &encoder)
  }

  /// Reads the end of a paragraph.
  public init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    stamp = try EditStamp(from: &decoder)
    lastText = try UTF16Text(from: &decoder)
    index = try decoder.decodeCount()
    mergedInto = try ParagraphID?(from: &decoder)
    leavesText = try Bool(from: &decoder)
  }
}
