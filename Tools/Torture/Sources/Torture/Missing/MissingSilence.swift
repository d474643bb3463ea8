import EditModel
import TestSupport

/// The losses that no file of a store can show. There are five; all others have to be reported.
///
/// 1. **The whole store is an older copy of itself.** Nothing in it contradicts itself. Only a head
///    that was kept elsewhere tells.
/// 2. **The durable mark is an older copy, and a journal is damaged.** What the journals have at
///    their end is vouched for by the mark alone; what it vouches for, as it is, must be there.
/// 3. **The mark is an older copy, and so is the catalog, or it was cut.** The catalog may be longer
///    than the mark knows, so one that is shorter again agrees with an older mark. What was
///    known to be lost, and what was accepted, is forgotten with it. No text is: a segment may
///    hold more than the catalog says.
/// 4. **What the mark never vouched for**: batches after the last mark, which are at most 16 or
///    2 s old. At the end of a journal they may be taken for a write that was cut short.
///
/// 5. **`format` is the copy from before the upgrade to 1.1, and the mark is gone or such a copy.**
///    The store is then one of 1.0, which has no list of what is lost. What was known to be lost is
///    forgotten, as in 3.
struct MissingSilence {
  private var hasJournalDamage = false
  private var hasCatalogDamage = false
  private var hasMarkDamage = false
  /// The only other content that `format` ever had is that of 1.0.
  private var hasOldFormat = false
  /// What an older mark vouches for.
  private var marked: KnownStore?

  init() {}

  mutating func note(_ damage: MissingDamage, _ moments: [MissingStore.Moment]) {
    switch (damage.path, damage.kind) {
    case ("/store/confirmed", .older(let moment)):
      marked = moments[moment].known
      hasMarkDamage = true
    case ("/store/confirmed", _): hasMarkDamage = true
    case ("/store/format", .older): hasOldFormat = true
    case ("/store/catalog", _): hasCatalogDamage = true
    default: break
    }
    if damage.path.hasPrefix("/store/journal") { hasJournalDamage = true }
  }

  /// True if what is known to be lost may be forgotten.
  var hidesLosses: Bool {
    marked != nil && (hasCatalogDamage || hasJournalDamage) || hasOldFormat && hasMarkDamage
  }

  /// True if a document may read like this without a report.
  func allows(_ list: [HistoryEntry], of document: KnownDocument) -> Bool {
    guard hasJournalDamage, document.entries.starts(with: list) else { return false }
    if document.isShort, !hidesLosses { return false }
    guard let marked else { return list.count >= document.markedCount }
    let old = marked.documents.first { $0.number == document.number }
    return list.count >= min(old?.markedCount ?? 0, document.markedCount)
  }
}
