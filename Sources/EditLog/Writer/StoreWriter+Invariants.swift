import EditLogFormat

// What holds between two calls of the writer, whatever the files were and whatever was called. Debug builds assert
// it after the recovery, for each sealed document, and at the end; the torture asks after each round.
extension StoreWriter {
  /// What is wrong with the writer's memory of the store, if anything is.
  /// O(documents · journals + unsealed entries / 512).
  package func invariantViolation() -> String? {
    journalsViolation() ?? invariantViolation(of: states.keys.sorted())
  }

  /// What is wrong with the documents of these numbers, if anything is.
  func invariantViolation(of numbers: some Sequence<UInt64>) -> String? {
    for number in numbers {
      guard let state = states[number] else { continue }
      if let violation = violation(of: state) { return "document \(number): \(violation)" }
    }
    return nil
  }

  /// Journals are removed oldest first, and each only when nothing in it is pending. So what is not sealed is in a
  /// journal that is kept. A forgotten document is pending where the record is that it is forgotten.
  private func journalsViolation() -> String? {
    var last: UInt64 = 0
    for old in oldJournals {
      guard old.number > last else { return "journal \(old.number) is listed after \(last)" }
      guard old.pending.subtracting(forgetting).isSubset(of: old.documents) else {
        return "journal \(old.number) has unsealed entries of a document that is not in it"
      }
      last = old.number
    }
    guard journal.number > last else {
      return "journal \(journal.number) is written to, and \(last) is an old one"
    }
    guard pending.subtracting(forgetting).isSubset(of: journalDocuments) else {
      return "the journal has unsealed entries of a document that is not in it"
    }
    return markedBatch <= journal.place.number
      ? nil : "the mark names batch \(markedBatch), and the last one is \(journal.place.number)"
  }

  private func violation(of state: DocumentState) -> String? {
    guard numbers[state.id] == state.number else { return "its name is that of another document" }
    guard state.number < nextNumber else { return "its number is to be given to a new document" }
    if let violation = state.unsealed.invariantViolation() { return violation }
    for chunk in state.unsealed.chunks {
      let kept =
        chunk.journal == journal.number
        ? pending : oldJournals.first { $0.number == chunk.journal }?.pending ?? []
      guard kept.contains(state.number) else {
        return "journal \(chunk.journal) may be removed, and has its only copy of entries"
      }
    }
    guard state.isLoaded, state.failure == nil else { return nil }
    guard UInt64(state.unsealed.count) <= state.lastIndex else {
      return "it has \(state.unsealed.count) unsealed entries of \(state.lastIndex)"
    }
    if let last = state.unsealed.chunks.last?.last, last != state.lastSequence {
      return "its last unsealed edit is \(last), and its last one \(state.lastSequence)"
    }
    return nil
  }
}

extension EntryList {
  /// What is wrong with the list, if anything is. O(chunks).
  fileprivate func invariantViolation() -> String? {
    var (count, eventCount, size) = (0, 0, 0)
    for chunk in chunks {
      guard chunk.count > 0, chunk.last >= chunk.before else {
        return "a chunk of its unsealed entries has no place"
      }
      count += chunk.count
      eventCount += chunk.eventCount
      size += chunk.bytes.count
    }
    return count == self.count && count - eventCount == editCount && size == self.size
      ? nil : "its unsealed entries are not those of their chunks"
  }
}
