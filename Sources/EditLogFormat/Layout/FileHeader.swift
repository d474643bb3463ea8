package import EditModel

/// The first 64 bytes of every file of a store. Their layout never changes, whatever the version.
///
/// Valid if and only if the magic is that of the file's kind and the checksum in bytes 60 to 63 is
/// that of bytes 0 to 59. A valid header may still be refused: see `check`.
package struct FileHeader: Hashable {
  package static let size = 64

  /// The kind of a file: the byte after `EL` in its magic.
  package enum Kind: UInt8 {
    case store = 0x52  // R
    case journal = 0x4A  // J
    case segment = 0x53  // S
    case checkpoint = 0x43  // C
    case projections = 0x46  // F, folded
    case name = 0x4E  // N
    case confirmed = 0x57  // W
    case catalog = 0x4C  // L
    case traces = 0x54  // T
    case attachment = 0x41  // A
    case asked = 0x51  // Q
    case backup = 0x42  // B
  }

  /// The version of most files that this code writes. The files of the store itself have 1.1.
  package static let (major, minor): (UInt16, UInt16) = (1, 0)
  /// Set in `format`, `confirmed` and `catalog` of a store that has a catalog, format 1.1. Flag 1
  /// is never assigned: a test store of 1.0 uses it to stand for a newer version.
  package static let catalogFlag: UInt32 = 2
  /// Set in a journal or a segment that may have edits with selections.
  package static let selectionsFlag: UInt32 = 4

  /// Set in `format` of a store that may have names of documents of more than `shortNameSizeMax` bytes.
  package static let longNamesFlag: UInt32 = 8
  /// The maximum size of a name, in bytes, in a store without `longNamesFlag`.
  package static let shortNameSizeMax = 1_024

  /// The incompatible flags that this code does not know in a file of this kind.
  package var unknownFlags: UInt32 {
    switch kind {
    case .store: incompatibleFlags & ~(Self.catalogFlag | Self.longNamesFlag)
    case .confirmed, .catalog: incompatibleFlags & ~Self.catalogFlag
    case .journal, .segment: incompatibleFlags & ~Self.selectionsFlag
    case .checkpoint, .projections, .name, .traces, .attachment, .asked, .backup:
      incompatibleFlags
    }
  }

  /// True if this code can read the file.
  package var isReadable: Bool { major == Self.major && unknownFlags == 0 }

  package var kind: Kind
  package var store: StoreID
  package var major = Self.major
  package var minor = Self.minor
  /// Flags that a reader must know to read the file.
  package var incompatibleFlags: UInt32 = 0
  /// Flags that a reader may ignore.
  package var compatibleFlags: UInt32 = 0
  /// The number of the journal or of the document.
  package var number: UInt64 = 0
  /// A second number: a segment's first sequence number, or the sequence number of a
  /// checkpoint or of stored projections.
  package var second: UInt64 = 0

  /// Eight bytes, as in PNG: a byte that is not ASCII, the name, and line ends that a transfer as
  /// text would change.
  package static func magic(_ kind: Kind) -> [UInt8] {
    [0x89, 0x45, 0x4C, kind.rawValue, 0x0D, 0x0A, 0x1A, 0x0A]
  }

  package var bytes: [UInt8] {
    var writer = ByteWriter(capacity: Self.size)
    writer.write(bytes: Self.magic(kind))
    writer.write(fixed: major)
    writer.write(fixed: minor)
    writer.write(fixed: incompatibleFlags)
    writer.write(fixed: compatibleFlags)
    writer.write(fixed: UInt32(0))
    writer.write(bytes: store.bytes)
    writer.write(fixed: number)
    writer.write(fixed: second)
    writer.write(fixed: UInt32(0))
    writer.write(fixed: writer.withUnsafeBytes { CRC32C.checksum($0) })
    return writer.bytes
  }

  /// The header at the start of `bytes`; nil if it is not valid for the kind.
  package init?(_ kind: Kind, _ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.size, bytes.prefix(8).elementsEqual(Self.magic(kind)) else {
      return nil
    }
    let summed = UnsafeRawBufferPointer(rebasing: bytes[..<60])
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[8..<Self.size]))
    do throws(CodecError) {
      self.kind = kind
      major = try reader.read()
      minor = try reader.read()
      incompatibleFlags = try reader.read()
      compatibleFlags = try reader.read()
      _ = try reader.read(UInt32.self)
      guard let store = StoreID(bytes: [UInt8](try reader.readBytes(16))) else { return nil }
      self.store = store
      number = try reader.read()
      second = try reader.read()
      _ = try reader.read(UInt32.self)
      guard try reader.read(UInt32.self) == CRC32C.checksum(summed) else { return nil }
    } catch { return nil }
  }

  package init(_ kind: Kind, store: StoreID, number: UInt64 = 0, second: UInt64 = 0) {
    (self.kind, self.store, self.number, self.second) = (kind, store, number, second)
  }

  /// The header of a file of format 1.1.
  package static func withCatalog(_ kind: Kind, store: StoreID, number: UInt64 = 0) -> FileHeader {
    var header = FileHeader(kind, store: store, number: number)
    header.addCatalog()
    return header
  }

  /// Changes it to format 1.1.
  package mutating func addCatalog() {
    (minor, incompatibleFlags) = (max(minor, 1), incompatibleFlags | Self.catalogFlag)
  }

  /// True if the store has a catalog, and a durable mark that names a place in it.
  package var hasCatalog: Bool { incompatibleFlags & Self.catalogFlag != 0 }

  /// True if the store may have long names of documents.
  package var hasLongNames: Bool {
    get { incompatibleFlags & Self.longNamesFlag != 0 }
    set {
      incompatibleFlags =
        newValue ? incompatibleFlags | Self.longNamesFlag : incompatibleFlags & ~Self.longNamesFlag
    }
  }

  /// True if a journal or a segment may have edits with selections.
  package var hasSelections: Bool {
    get { incompatibleFlags & Self.selectionsFlag != 0 }
    set {
      incompatibleFlags =
        newValue
        ? incompatibleFlags | Self.selectionsFlag : incompatibleFlags & ~Self.selectionsFlag
    }
  }
}
