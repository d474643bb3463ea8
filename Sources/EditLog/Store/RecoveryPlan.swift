import EditLogFormat

/// A change to a file that opening a store for writing makes by itself.
public struct RecoveryStep: Hashable, Sendable {
  /// The file's path, relative to the store.
  public var file: String
  /// What was found, and what is done about it.
  public var what: String
}

extension Store {
  /// The changes that opening this store for writing would make by itself. If a writer is at work,
  /// bytes that look torn may be those that it is writing.
  public func recoverySteps() -> [RecoveryStep] {
    func file(_ journal: UInt64) -> String {
      "\(StoreLayout.journals)/\(StoreLayout.name(of: journal, .journal))"
    }
    let damaged = Set(damages.map(\.journal))
    var steps: [RecoveryStep] = []
    if let what = catalog.loss {
      steps.append(
        RecoveryStep(
          file: StoreLayout.catalog, what: "\(what); it is rebuilt from the other files"))
    }
    if mark.isLost(beside: catalog) {
      steps.append(
        RecoveryStep(
          file: StoreLayout.confirmed, what: "it is missing or damaged; it is rebuilt"))
    }
    steps += damages.map { damage in
      RecoveryStep(file: file(damage.journal), what: damage.recovery)
    }
    for (journal, torn) in torn.sorted(by: { $0.key < $1.key }) where !damaged.contains(journal) {
      steps.append(
        RecoveryStep(
          file: file(journal),
          what: """
            \(torn.count) bytes from byte \(torn.lowerBound) on, of a write that was not \
            confirmed, are moved to \(StoreLayout.quarantine)
            """))
    }
    for number in unfinishedForgets.sorted() {
      steps.append(
        RecoveryStep(
          file: "\(StoreLayout.documents)/\(StoreLayout.name(of: number))",
          what: "the document is being forgotten; what is left of it is removed"))
    }
    return steps
  }
}

extension JournalDamage {
  /// What is wrong with the journal, and what opening the store for writing does about it.
  fileprivate var recovery: String {
    if isMissing { return "\(what); the entries that other files have are sealed" }
    if isHeaderAlone { return Self.headerRebuilt }
    return """
      byte \(offset): \(what); the readable entries are sealed, and the journal is moved to \
      \(StoreLayout.quarantine)
      """
  }

  /// The step for a journal of which only the header has changed.
  static let headerRebuilt = "the header has changed; every entry is intact and is sealed"
}
