import EditModel

/// The links of several edits between paragraphs: from which one text came, and into which one it
/// went.
struct ParagraphLineage: Sendable {
  private typealias Links = [ParagraphID: ParagraphID]
  private var splitFrom: Links = [:]
  private var mergedInto: Links = [:]

  /// Adds the link of an event of the next edit.
  mutating func append(_ event: ParagraphEvent) {
    switch event {
    case .removed(_, let descriptor, let target?): mergedInto[descriptor.id] = target
    case .inserted(_, let descriptor, let source?): splitFrom[descriptor.id] = source
    default: break
    }
  }

  /// Adds the links of many paragraphs that the next edit removed.
  mutating func append(_ removed: RemovedParagraphs) {
    for link in removed.links { mergedInto[link.from] = link.to }
  }

  /// Paragraphs that left text to others.
  var merged: some Sequence<ParagraphID> { mergedInto.keys }

  /// The paragraph of `old`, the version before all edits, from which `id` was split, directly or
  /// through paragraphs that the edits created. Nil if there is none. O(log n), amortised.
  mutating func source(of id: ParagraphID, in old: StateCore) -> ParagraphID? {
    Self.follow(&splitFrom, from: id, to: old)
  }

  /// The paragraph of `new`, the version after all edits, that the remaining text of `id` is part
  /// of, directly or through paragraphs that the edits removed. Nil if there is none. O(log n),
  /// amortised.
  mutating func target(of id: ParagraphID, in new: StateCore) -> ParagraphID? {
    Self.follow(&mergedInto, from: id, to: new)
  }

  /// The first paragraph of `version` on the chain of links. All links on the way are set to it, so
  /// that a long chain is walked only once.
  private static func follow(
    _ links: inout Links, from id: ParagraphID, to version: StateCore
  ) -> ParagraphID? {
    var way = [id]
    var next = links.removeValue(forKey: id)
    while let id = next, version.position(of: id) == nil {
      way.append(id)
      next = links.removeValue(forKey: id)
    }
    for id in way { links[id] = next }
    return next
  }
}
