/// The names in a store. Files are named by numbers, never by names that clients choose.
@usableFromInline
package enum StoreLayout {
  package static let format = "format"
  package static let lock = "lock"
  package static let confirmed = "confirmed"
  package static let catalog = "catalog"
  package static let attachments = "attachments"
  package static let journals = "journal"
  package static let documents = "documents"
  package static let quarantine = "quarantine"
  /// The file of a store that is a copy made by `editlog backup`.
  package static let backup = "backup"
  package static let name = "name"
  /// The file of a document with what its edits cost as they happened.
  package static let traces = "live.traces"
  /// The file of a document with the edits that editors were asked to make.
  package static let asked = "asked.edits"

  /// The kinds of numbered files.
  package enum Kind: String {
    case journal
    case segment
    case checkpoint
    /// States of projections, in the format of a checkpoint.
    case projections
    /// A file that is being written. It is then renamed or removed.
    case temporary = "tmp"
    /// The end of a journal that was being written when the machine stopped.
    case torn
    /// A copy of a segment from before it was mended.
    case mended
    /// A damaged attachment in quarantine, whose loss was accepted.
    case attachment
    /// The complete replacement of a file in quarantine, when a document is forgotten.
    case erased = "scrubbed"
  }

  /// `number` in 20 digits, so that names sort like the numbers.
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

  /// The path of a journal, relative to the store's folder.
  package static func path(ofJournal number: UInt64) -> String {
    "\(journals)/\(name(of: number, .journal))"
  }

  /// The maximum number of a journal, document, batch or entry. It is never reached, and far below
  /// the numbers at which arithmetic would overflow.
  @inlinable package static var numberMax: UInt64 { 1 << 60 }

  /// The number in a name of 20 digits; nil for any other name.
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
