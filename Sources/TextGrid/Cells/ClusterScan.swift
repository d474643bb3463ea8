import CUnistring

/// Cuts text into grapheme clusters, with their cells and the places at which a row may end.
///
/// Clusters are those of Unicode UAX 29, places those of UAX 14, both from libunistring. A cluster
/// longer than `lengthMax` is cut, so that hostile text cannot make one of a million marks. A lone
/// surrogate counts as U+FFFD.
struct ClusterScan {
  /// UTF-16 units in a cluster, at most.
  static let lengthMax = 128

  private let units: [UInt16]
  private let casing: DisplayCase
  private let objects: [ObjectSize]
  private var nextObject = 0
  private var clusters: [Cluster] = []
  /// The direction of the last letter.
  private var isRightToLeft = false

  /// The clusters of `units`, which have no terminator. O(units).
  ///
  /// - Parameters:
  ///   - units: The text.
  ///   - casing: How letters are shown.
  ///   - objects: The attachments in it, in order. A U+FFFC that is none of them is a character.
  static func clusters(
    of units: [UInt16], casing: DisplayCase = .written, objects: [ObjectSize] = []
  ) -> [Cluster] {
    guard !units.isEmpty else { return [] }
    var scan = ClusterScan(units: units, casing: casing, objects: objects)
    scan.run()
    return scan.clusters
  }

  private init(units: [UInt16], casing: DisplayCase, objects: [ObjectSize]) {
    (self.units, self.casing, self.objects) = (units, casing, objects)
  }

  private mutating func run() {
    let count = units.count
    clusters.reserveCapacity(count)
    // Each printable ASCII character is a cluster.
    let isPlain = units.allSatisfy { 0x20..<0x7F ~= $0 }
    // Each has one byte per unit.
    let breaks = [CChar](unsafeUninitializedCapacity: 2 * count) { bytes, length in
      guard
        let (graphemes, units) = units.withUnsafeBufferPointer({ units in
          bytes.baseAddress.flatMap { bytes in units.baseAddress.map { (bytes, $0) } }
        })
      else { return }
      if isPlain {
        graphemes.initialize(repeating: 1, count: count)
      } else {
        u16_grapheme_breaks(units, count, graphemes)
      }
      editlog_line_breaks(units, count, graphemes + count)
      length = 2 * count
    }
    var mandatoryEnd = 0
    var start = 0
    while start < count {
      var end = start + 1
      while end < count, breaks[end] == 0, end - start < Self.lengthMax { end += 1 }
      while end < count, isJoined(at: end), end - start < Self.lengthMax {
        end += 1
        while end < count, breaks[end] == 0, end - start < Self.lengthMax { end += 1 }
      }
      if end < count, isInsidePair(end) { end -= 1 }
      var cluster = cluster(start..<end)
      let place = breaks[count + start]
      if start > 0, start == mandatoryEnd {
        cluster.breakBefore = .mandatory
      } else if start > 0, place == CChar(UC_BREAK_POSSIBLE) {
        cluster.breakBefore = .possible
      }
      if place == CChar(UC_BREAK_MANDATORY) { mandatoryEnd = end }
      clusters.append(cluster)
      start = end
    }
  }

  /// True if a mark that libunistring does not know begins at `offset`.
  private func isJoined(at offset: Int) -> Bool {
    guard units[offset] >= 0x300 else { return false }
    var reader = ScalarReader(units, offset..<min(units.count, offset + 2))
    guard let (scalar, _) = reader.next() else { return false }
    return NewerScalars.isMark(scalar) && !UTF16.isTrailSurrogate(units[offset])
      && ShownControl.picture(of: UInt32(units[offset - 1])) == nil
  }

  private func isInsidePair(_ offset: Int) -> Bool {
    UTF16.isLeadSurrogate(units[offset - 1]) && UTF16.isTrailSurrogate(units[offset])
  }

  private mutating func cluster(_ range: Range<Int>) -> Cluster {
    var cluster = Cluster(
      start: range.lowerBound, end: range.upperBound, cells: 1, kind: .text,
      breakBefore: .prohibited, beginsRightToLeft: false)
    let unit = units[range.lowerBound]
    if range.count == 1, 0x20..<0x7F ~= unit {
      if 0x41...0x5A ~= unit & 0xFFDF { isRightToLeft = false }
      return cluster
    }
    if unit == 0x09 {
      cluster.kind = .tab
      return cluster
    }
    if range.count == 1, ScannedWindow.endsRow(unit) {
      (cluster.kind, cluster.cells) = (.lineBreak, 0)
      return cluster
    }
    if let size = object(at: range.lowerBound) {
      (cluster.kind, cluster.cells, cluster.rows) = (.object, size.columns, size.rows)
      return cluster
    }
    var reader = ScalarReader(units, range)
    guard let (first, _) = reader.next() else { return cluster }
    if ShownControl.picture(of: first) != nil {
      cluster.kind = .control
      return cluster
    }
    cluster.cells = cells(of: range, first)
    if cluster.cells == 0 {
      let isHidden = first == 0xAD || first == 0xFEFF || Self.isHiddenAlone(first)
      (cluster.kind, cluster.cells) = isHidden ? (.hidden, 0) : (.orphan, 1)
    }
    if casing != .written, cluster.kind == .text {
      let shown = ClusterText(cluster, units, casing).mapped
      if let shown {
        cluster.cells = max(1, Self.clusters(of: shown).reduce(0) { $0 + $1.cells })
      }
    }
    readDirection(first, &cluster)
    return cluster
  }

  /// The attachment at `offset`. Asked for at ascending places.
  private mutating func object(at offset: Int) -> ObjectSize? {
    while nextObject < objects.count, objects[nextObject].offset < offset { nextObject += 1 }
    guard nextObject < objects.count, objects[nextObject].offset == offset else { return nil }
    return objects[nextObject]
  }

  private mutating func readDirection(_ scalar: UInt32, _ cluster: inout Cluster) {
    guard scalar >= 0x41, cluster.kind == .text else { return }
    switch uc_bidi_class(scalar) {
    case Int32(UC_BIDI_L): isRightToLeft = false
    case Int32(UC_BIDI_R), Int32(UC_BIDI_AL):
      cluster.beginsRightToLeft = !isRightToLeft
      isRightToLeft = true
    default: break
    }
  }

  private static func isHiddenAlone(_ scalar: UInt32) -> Bool {
    uc_is_property_default_ignorable_code_point(scalar) || 0xFFF9...0xFFFB ~= scalar
  }

  private func cells(of range: Range<Int>, _ first: UInt32) -> Int {
    var reader = ScalarReader(units, range)
    _ = reader.next()
    return ScalarWidth.cells(of: first) { reader.next()?.0 }
  }
}
