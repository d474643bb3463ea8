import EditModel
import EditProtocol
import Foundation
import ModelStorage
import Projections
import Testing
import TextState

@testable import EditLogCommands

/// The life of a paragraph, by whole versions.
private struct Life: Equatable {
  var born: SequenceNumber
  var lastEdited: SequenceNumber
  var editCount: Int
  var died: SequenceNumber?
}

/// The text of a history as a plain array, and lives by comparison of each version with the one
/// before.
private struct SlowHistory {
  var units: [UInt16] = []
  var lives = [ParagraphID(sequence: 0, ordinal: 0): Life(born: 0, lastEdited: 0, editCount: 0)]
  private var texts: [ParagraphID: ArraySlice<UInt16>] = [ParagraphID(sequence: 0, ordinal: 0): []]
  /// Comparison costs O(text) for each edit.
  let hasLives: Bool

  init(hasLives: Bool) { self.hasLives = hasLives }

  /// `state` says which paragraphs the version after the edit has.
  mutating func apply(_ edit: Edit, _ state: TextState) {
    if let replacement = edit.action.replacement {
      units.replaceSubrange(edit.action.range.bounds, with: replacement.units)
    }
    guard hasLives else { return }
    let new = Dictionary(
      uniqueKeysWithValues: state.paragraphs.map { ($0.id, units[$0.range.bounds]) })
    for id in texts.keys where new[id] == nil { lives[id]?.died = edit.sequence }
    for (id, text) in new where texts[id] != text {
      if lives[id] == nil {
        lives[id] = Life(born: edit.sequence, lastEdited: edit.sequence, editCount: 1)
      } else {
        lives[id]?.lastEdited = edit.sequence
        lives[id]?.editCount += 1
      }
    }
    texts = new
  }

  /// The paragraphs of the text, by its terminators.
  var pieces: [[UInt16]] {
    var (pieces, start): ([[UInt16]], Int) = ([], 0)
    for (index, unit) in units.enumerated() where [0x0A, 0x0D, 0x2029].contains(unit) {
      if unit == 0x0D, index + 1 < units.count, units[index + 1] == 0x0A { continue }
      pieces.append(Array(units[start...index]))
      start = index + 1
    }
    return pieces + [Array(units[start...])]
  }
}

/// The projections of paragraphs at sampled versions of real editing histories: the recording in
/// Tools/demo, and all traces in the folder that EDITLOG_TRACES names.
@Suite struct TraceProjectionTests {
  private static let sampleCount = 20

  /// The traces: always the recording.
  static let traces: [String] = {
    let project = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let folder = ProcessInfo.processInfo.environment["EDITLOG_TRACES"]
    let others = folder.flatMap { folder in
      try? FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".json.gz") }.sorted().map { "\(folder)/\($0)" }
    }
    return ["/\(project)/Tools/demo/essay.json.gz"] + (others ?? [])
  }()

  /// The edits of a trace; each of its transactions is one.
  static func edits(of path: String) throws -> [Edit] {
    var reader = try TraceReader(InputFile.read(path), path: path)
    var converter = TraceConverter(path: path)
    var edits: [Edit] = []
    func append(_ transaction: [AppendEdit]) {
      let first = SequenceNumber(edits.count) + 1
      for edit in transaction {
        edits.append(
          Edit(
            sequence: SequenceNumber(edits.count) + 1, action: edit.action,
            origin: edit.origin ?? .typing, transaction: first))
      }
    }
    var next = try reader.next()
    if let start = try converter.start(from: reader.startContent, before: next) { append([start]) }
    while let transaction = next {
      append(try converter.edits(of: transaction))
      next = try reader.next()
    }
    return edits
  }

  @Test(arguments: traces) func `projections equal their oracles`(path: String) throws {
    let edits = try Self.edits(of: path)
    #expect(edits.count > 1_000)
    var runner = ProjectionRunner([ParagraphModels()])
    var slow = SlowHistory(hasLives: edits.count <= 30_000)
    // One group for each transaction, and a storage of one section.
    var text = try HostedText()
    var rows = text.paragraphs
    var paragraphs = ParagraphStorage(of: text)
    var copy = StorageReplica(of: paragraphs.storage)
    // One group for each sample, and a storage of the outline's sections.
    var coarse = try HostedText()
    var outline = ParagraphStorage(of: coarse, sections: .headings)
    var outlineCopy = StorageReplica(of: outline.storage)
    let step = max(1, edits.count / Self.sampleCount)
    var waiting = edits[...]
    while !waiting.isEmpty {
      var part = waiting.prefix(step)
      // A transaction is not cut.
      while part.endIndex < waiting.endIndex,
        waiting[part.endIndex].transaction == part.last?.transaction
      {
        part = waiting[part.startIndex...part.endIndex]
      }
      waiting = waiting[part.endIndex...]
      for edit in part {
        try runner.apply(edit)
        slow.apply(edit, runner.state)
      }
      for update in try text.apply(transactionsOf: part) {
        #expect(update.apply(to: &rows))
        if let change = try paragraphs.apply(update) { try copy.apply(change) }
      }
      coarse.beginGroup()
      try coarse.apply(transactionsOf: part)
      if let update = try coarse.endGroup(), let change = try outline.apply(update) {
        try outlineCopy.apply(change)
      }

      // The sampled version.
      let at = "\(path) at \(part.last?.sequence ?? 0)"
      #expect(runner.state.text.units == slow.units, "\(at)")
      #expect(rows.map(\.text.units) == slow.pieces, "\(at)")
      #expect(rows == runner.state.hostedParagraphs && rows == coarse.paragraphs, "\(at)")
      #expect(copy.sections.map(\.items) == [rows], "\(at)")
      let sections = Outline(of: runner.state).sections
      #expect(
        outlineCopy.sections.map(\.items) == sections.map { Array(rows[$0.paragraphs]) }, "\(at)")
      let models = try #require(runner[ParagraphModels.self])
      #expect(models.living(in: runner.state).map(\.id) == rows.map(\.id), "\(at)")
      guard slow.hasLives else { continue }
      #expect(models.count == slow.lives.count, "\(at)")
      for (id, life) in slow.lives {
        let model = try #require(models[id], "\(id), \(at)")
        let found = Life(
          born: model.born.sequence, lastEdited: model.lastEdited.sequence,
          editCount: model.editCount, died: model.death?.stamp.sequence)
        #expect(found == life, "\(id), \(at)")
      }
    }
  }
}
