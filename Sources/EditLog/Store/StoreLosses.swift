import EditLogFormat
public import EditModel

extension Store {
  /// Losses, or possible losses, of acknowledged entries of unknown documents, accepted ones
  /// included. A history reports its own losses.
  public func losses() throws(LogError) -> [StoreLoss] {
    var losses = catalog.catalog?.losses ?? []
    let known = Set(losses.map(\.key))
    func note(
      _ key: String, _ file: String, _ what: String, _ kind: StoreLoss.Kind = .entries
    ) {
      guard !known.contains(key) else { return }
      losses.append(
        StoreLoss(
          kind: kind, key: key, file: file, what: what, time: Timestamp(nanoseconds: 0)))
    }
    if let what = catalog.loss {
      note(
        "catalog", StoreLayout.catalog, "\(what); it is unknown what else is missing", .record)
    }
    if let error = catalog.obstacle {
      note(
        "catalog", StoreLayout.catalog,
        "it cannot be read (\(error)); it is unknown what is missing", .record)
    }
    if let error = mark.obstacle {
      note(
        "mark", StoreLayout.confirmed,
        "it cannot be read (\(error)); losses of journals go unnoticed", .record)
    }
    if mark.isLost(beside: catalog) {
      note(
        "mark", StoreLayout.confirmed,
        "it is \(mark == .missing ? "missing" : "damaged"); losses of journals may go unnoticed",
        .record)
    }
    for damage in damages where damage.isLoss { note(damage.key, damage.file, damage.place) }
    if let backup = try BackupRecord(in: root), backup.isUnfinished {
      note("backup", StoreLayout.backup, BackupRecord.unfinished, .record)
    }
    if catalog.catalog == nil, catalog.obstacle == nil {
      for name in try Quarantine.journals(in: root) {
        let file = "\(StoreLayout.quarantine)/\(name)"
        note(file, file, Quarantine.what)
      }
    }
    return losses
  }
}
