@testable import EditLog
@testable import EditLogFormat
import EditModel
import TestSupport
import Testing

/// What a writer has in memory agrees with itself; if it did not, that would be noticed.
@Suite struct WriterInvariantTests {
  private func writer() throws -> StoreWriter {
    let writer = try openWriter(SimulatedFileSystem())
    let action = EditAction(replacing: UTF16Range(0..<0), with: "text")
    for document in [name("a"), name("b")] {
      _ = try writer.append([(document, [.edit(Edit(sequence: 1, action: action))])])
    }
    return writer
  }

  @Test func aWriterIsSoundAfterEachStep() throws {
    let writer = try writer()
    #expect(writer.invariantViolation() == nil)
    try writer.roll(isKept: false)
    #expect(writer.invariantViolation() == nil)
    try writer.seal(name("a"))
    #expect(writer.invariantViolation() == nil)
    let receipt = try writer.forget(name("b"))
    #expect(receipt != nil && writer.invariantViolation() == nil)
    try writer.close()
  }

  @Test func whatWouldLoseEntriesIsNoticed() throws {
    let writer = try writer()
    try writer.roll(isKept: false)
    writer.oldJournals[0].pending.remove(2)
    #expect(
      writer.invariantViolation()
        == "document 2: journal 1 may be removed, and has its only copy of entries")
  }

  @Test func wrongPlacesAreNoticed() throws {
    let exchanged = try writer()
    exchanged.numbers[name("a")] = 2
    #expect(
      exchanged.invariantViolation() == "document 1: its name is that of another document")
    let taken = try writer()
    taken.nextNumber = 2
    #expect(
      taken.invariantViolation() == "document 2: its number is to be given to a new document")
    let short = try writer()
    short.states[1]?.lastSequence = 5
    #expect(
      short.invariantViolation()
        == "document 1: its last unsealed edit is 1, and its last one 5")
    let marked = try writer()
    marked.markedBatch = 9
    #expect(
      marked.invariantViolation()?.hasPrefix("the mark names batch 9, and the last one is ") == true
    )
  }
}
