import EditModel

/// What several edits said about where the text of paragraphs came from and went to.
struct ParagraphLineage: Sendable {
  private typealias Links = [ParagraphID: ParagraphID]
  private var splitFrom: Links = [:]
  private var mergedInto: Links = [:]

  /// Takes in what the next edit says.
  mutating func append(_ event: ParagraphEvent) {
    switch event {
    case .removed(_, let descriptor, let target?): mergedInto[descriptor.id] = target
    case .inserted(_, let descriptor, let source?): splitFrom[descriptor.id] = source
    default: break
    }
  }

  /// Takes in what the next edit says of many paragraphs.
  mutating func append(_ removed: RemovedParagraphs) {
    for link in removed.links { mergedInto[link.from] = link.to }
  }

  /// Paragraphs that left text to others.
  var merged: some Sequence<ParagraphID> { mergedInto.keys }

  /// The paragraph of `old`, the version before all edits, from which `id` was split, through
  /// others that came with the edits; nil where there is none. O(log n), amortised.
  mutating func source(of id: ParagraphID, in old: StateCore) -> ParagraphID? {
    Self.follow(&splitFrom, from: id, to: old)
  }

  /// The paragraph of `new`, the version after all edits, that took in what was left of `id`,
  /// through others that went with the edits; nil where there is none. O(log n), amortised.
  mutating func target(of id: ParagraphID, in new: StateCore) -> ParagraphID? {
    Self.follow(&mergedInto, from: id, to: new)
  }

  /// The first paragraph of `version` that the links lead to. All that lie on the way lead there
  /// at once from then on, so that no long chain is walked twice.
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
