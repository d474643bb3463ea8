/// The names in a store. Files are named by numbers of ours, never by anything a client chose.
@usableFromInline
package enum StoreLayout {
  package static let format = "format"
  package static let lock = "lock"
  package static let confirmed = "confirmed"
  package static let catalog = "catalog"
  package static let journals = "journal"
  package static let documents = "documents"
  package static let quarantine = "quarantine"
  package static let name = "name"

  /// The kinds of numbered files.
  package enum Kind: String {
    case journal
    case segment
    case checkpoint
    /// A file being written; it becomes another by its rename, or nothing.
    case temporary = "tmp"
    /// The end of a journal that was being written when the machine stopped.
    case torn
    /// A segment as it was before it was mended.
    case mended
    /// What a file of the quarantine is replaced by when a document is forgotten: whole.
    case erased = "scrubbed"
  }

  /// `number` in 20 digits, so that names sort as the numbers do.
  package static func name(of number: UInt64) -> String {
    String(unsafeUninitializedCapacity: 20) { bytes in
      var rest = number
      for position in (0..<20).reversed() {
        bytes[position] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      return 20
    }
  }

  package static func name(of number: UInt64, _ kind: Kind) -> String {
    name(of: number) + "." + kind.rawValue
  }

  /// The path of a journal from the store's folder on.
  package static func path(ofJournal number: UInt64) -> String {
    "\(journals)/\(name(of: number, .journal))"
  }

  /// The largest number of anything in a store: journals, documents, batches, entries. Far out
  /// of reach, and far from where counting on would overflow.
  @inlinable package static var numberMax: UInt64 { 1 << 60 }

  /// The number of a name in 20 digits, nil if it is no such name.
  package static func number(of name: some StringProtocol) -> UInt64? {
    let digits = name.utf8
    guard digits.count == 20, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt64(name).flatMap { $0 <= numberMax ? $0 : nil }
  }

  /// True for the name of a file that is being written.
  package static func isTemporary(_ name: String) -> Bool {
    name.hasSuffix("." + Kind.temporary.rawValue)
  }

  /// The numbers of the files of one kind among `names`, ascending.
  package static func numbers(_ kind: Kind, in names: [String]) -> [UInt64] {
    let suffix = "." + kind.rawValue
    return names.compactMap { name in
      name.hasSuffix(suffix) ? number(of: name.dropLast(suffix.utf8.count)) : nil
    }.sorted()
  }
}
