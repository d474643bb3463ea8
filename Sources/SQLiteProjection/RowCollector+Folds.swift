import EditModel
import Projections

extension RowCollector {
  /// The times of the first and the last entry.
  struct Times: StoredValue {
    var first: Timestamp
    var last: Timestamp
  }

  /// All that the rows of later entries depend on. The batch must be empty: it was taken and written.
  struct Folds: StoredValue {
    /// Another one if a part gets another meaning.
    static let version =
      Int64(RowCollector.version) << 40 | Int64(ParagraphModels.version) << 20
      | Int64(UndoHistory.version)

    var models = ParagraphModels()
    var undo = UndoHistory()
    var boundaries = UndoBoundaries()
    var eventCount = 0
    var times: Times?
    var openVersions: [ParagraphID: Version] = [:]
    var lastVersions: [ParagraphID: Version] = [:]
    /// The paragraph of the empty document has no version before its first one, which is whole.
    var debts = [ParagraphID(sequence: 0, ordinal: 0): Int.max]
  }

  /// The folds at the version last applied.
  var folds: Folds {
    Folds(
      models: models, undo: undo, boundaries: boundaries, eventCount: eventCount, times: times,
      openVersions: openVersions, lastVersions: lastVersions, debts: debts)
  }
}

extension RowCollector.Times {
  func encode(to encoder: inout ValueEncoder) {
    first.encode(to: &encoder)
    last.encode(to: &encoder)
  }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    (first, last) = (try Timestamp(from: &decoder), try Timestamp(from: &decoder))
  }
}

extension RowCollector.Folds {
  func encode(to encoder: inout ValueEncoder) {
    models.encode(to: &encoder)
    undo.encode(to: &encoder)
    boundaries.encode(to: &encoder)
    eventCount.encode(to: &encoder)
    times.encode(to: &encoder)
    openVersions.encode(to: &encoder)
    lastVersions.encode(to: &encoder)
    debts.encode(to: &encoder)
  }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    models = try ParagraphModels(from: &decoder)
    undo = try UndoHistory(from: &decoder)
    boundaries = try UndoBoundaries(from: &decoder)
    eventCount = try decoder.decodeCount()
    times = try RowCollector.Times?(from: &decoder)
    openVersions = try [ParagraphID: RowCollector.Version](from: &decoder)
    lastVersions = try [ParagraphID: RowCollector.Version](from: &decoder)
    debts = try [ParagraphID: Int](from: &decoder)
  }
}

extension RowCollector.Version {
  func encode(to encoder: inout ValueEncoder) {
    paragraph.encode(to: &encoder)
    sequences.encode(to: &encoder)
    editCount.encode(to: &encoder)
    stamp.encode(to: &encoder)
    changes.encode(to: &encoder)
    kept.encode(to: &encoder)
    isWritten.encode(to: &encoder)
    debt.encode(to: &encoder)
    debtBefore.encode(to: &encoder)
  }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    paragraph = try ParagraphID(from: &decoder)
    sequences = try ClosedRange<SequenceNumber>(from: &decoder)
    editCount = try decoder.decodeCount()
    stamp = try EditStamp(from: &decoder)
    changes = try [String](from: &decoder)
    kept = try KeptUnits?(from: &decoder)
    isWritten = try Bool(from: &decoder)
    debt = try decoder.decodeCount()
    debtBefore = try Int?(from: &decoder)
  }
}
