public import EditModel
public import TextState

/// The histories of all paragraphs, removed ones included.
///
/// Invariant: the paragraphs without a death are exactly those of the state last applied.
/// The text of a removed paragraph that comes back soon in another paragraph is a move
/// (`ParagraphMoveRule`). Identifiers do not depend on moves.
///
/// An edit costs O(its paragraph events + the text of the paragraphs it removes). If paragraphs were
/// removed a short time before, it also costs the text of the paragraphs it inserts.
public struct ParagraphModels: Projection {
  /// 2: moves.
  public static let version: UInt32 = 2
  /// True, because the last texts of removed paragraphs are kept.
  public static let needsRemovedContent = true

  /// In order of creation. A paragraph's place never changes.
  var models: [ParagraphModel] = []
  var places: [ParagraphID: Int] = [:]
  /// The places of removed paragraphs in `models`, in order of removal.
  var graves: [Int] = []
  /// The authors of paragraphs that have many, by the places of these. Not stored: made when needed.
  private var knownAuthors: [Int: Set<ExactString>] = [:]
  /// The removed paragraphs whose text may come back.
  var recent: RecentRemovals
  /// The author of the last paragraph that had none, as the list that such paragraphs share.
  private var firstAuthors: [String] = []

  /// The models at the version `state`. Of its paragraphs, only the edit that created them is
  /// known. O(paragraphs of `state`).
  public init(from state: TextState = TextState(), moves: ParagraphMoveRule = ParagraphMoveRule()) {
    recent = RecentRemovals(rule: moves)
    for paragraph in state.paragraphs { _ = place(of: paragraph.id) }
  }

  /// The number of paragraphs, removed ones included.
  public var count: Int { models.count }

  /// The model of a paragraph, living or dead; nil if there was none of this identifier.
  public subscript(id: ParagraphID) -> ParagraphModel? { places[id].map { models[$0] } }

  /// The move into a paragraph that the edit `sequence`, the last one applied, made. O(1).
  package func move(into id: ParagraphID, by sequence: SequenceNumber) -> ParagraphMove? {
    guard let place = places[id], let move = models[place].moves.last,
      move.stamp.sequence == sequence
    else { return nil }
    return move
  }

  /// The paragraphs of `state` in document order. `state` must be the version last applied. O(n).
  public func living(in state: TextState) -> [ParagraphModel] {
    state.paragraphs.compactMap { self[$0.id] }
  }

  /// The removed paragraphs in order of removal, those of one edit in document order. O(their
  /// number).
  public var dead: [ParagraphModel] { graves.map { models[$0] } }

  /// The number of removed paragraphs.
  package var deadCount: Int { graves.count }

  /// The identifier of the removed paragraph at `index` of `dead`. O(1).
  package func dead(at index: Int) -> ParagraphID { models[graves[index]].id }

  /// Records the paragraph events of an edit.
  public mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    let stamp = EditStamp(edit)
    let firstGrave = graves.count
    if change.paragraphEvents.count > Self.manyEvents {
      // Growing by doubling would take up to three times the memory.
      models.reserveCapacity(models.count + change.paragraphEvents.count)
      places.reserveCapacity(models.count + change.paragraphEvents.count)
    }
    for event in change.paragraphEvents {
      switch event {
      case .removed(let index, let descriptor, let heir):
        bury(descriptor, index, heir, stamp, change, state)
      case .inserted(_, let descriptor, let parent):
        bear(descriptor.id, stamp, splitFrom: parent)
      case .edited(_, let descriptor, _), .attributesChanged(_, let descriptor, _):
        noteEdit(of: place(of: descriptor.id), stamp)
      }
    }
    // Events list removed paragraphs from the last to the first; `dead` has document order.
    graves[firstGrave...].reverse()
    recordMoves(stamp, change, state, removed: graves[firstGrave...])
  }

  /// The number of events of an edit from which memory is allocated for exactly their paragraphs.
  private static var manyEvents: Int { 1 << 14 }

  /// Records the removal of a paragraph.
  private mutating func bury(
    _ descriptor: ParagraphDescriptor, _ index: Int, _ heir: ParagraphID?, _ stamp: EditStamp,
    _ change: Change, _ state: TextState
  ) {
    let place = place(of: descriptor.id)
    let text = change.oldText(in: descriptor.range, after: state)
    let content = descriptor.range.location..<descriptor.range.upperBound - text.terminatorLength
    models[place].death = ParagraphDeath(
      stamp: stamp, lastText: text, index: index, mergedInto: heir,
      leavesText: !change.range.bounds.holds(content))
    graves.append(place)
    if let heir { models[self.place(of: heir)].absorbed.append(descriptor.id) }
  }

  /// Finds the paragraphs that the edit filled with the text of paragraphs removed before.
  private mutating func recordMoves(
    _ stamp: EditStamp, _ change: Change, _ state: TextState, removed: ArraySlice<Int>
  ) {
    guard change.actions.contains(.characters) else { return }
    recent.expire(before: stamp)
    for place in removed {
      guard let death = models[place].death, !death.leavesText else { continue }
      recent.append(place, death.lastText.content, stamp)
    }
    for event in change.paragraphEvents {
      let (descriptor, parent): (ParagraphDescriptor, ParagraphID?)
      switch event {
      case .inserted(_, let inserted, let source): (descriptor, parent) = (inserted, source)
      case .edited(_, let edited, let oldRange) where oldRange.length <= 2:
        // Only a blank paragraph that is filled continues another one.
        guard change.oldText(in: oldRange, after: state).content.isEmpty else { continue }
        (descriptor, parent) = (edited, nil)
      case .edited, .removed, .attributesChanged: continue
      }
      if parent == nil, recent.isEmpty { continue }
      let bounds = descriptor.range.bounds
      let tail = state.text(
        in: UTF16Range(max(bounds.lowerBound, bounds.upperBound - 2)..<bounds.upperBound))
      let content = bounds.lowerBound..<bounds.upperBound - tail.terminatorLength
      let place = place(of: descriptor.id)
      guard change.editedRange.bounds.holds(content) else {
        models[place].textFrom = parent
        continue
      }
      guard !recent.isEmpty, let source = recent.take(state.text(in: UTF16Range(content))) else {
        continue
      }
      models[place].moves.append(ParagraphMove(paragraph: models[source].id, stamp: stamp))
      models[source].movedTo = descriptor.id
    }
  }

  private mutating func bear(_ id: ParagraphID, _ stamp: EditStamp, splitFrom: ParagraphID?) {
    let place = add(
      ParagraphModel(id: id, born: stamp, splitFrom: splitFrom, lastEdited: stamp, editCount: 0))
    noteEdit(of: place, stamp)
    guard let parent = splitFrom else { return }
    models[self.place(of: parent)].children.append(id)
  }

  /// The number of authors from which on they are looked up in a set.
  private static let manyAuthors = 16

  /// Notes an edit of the paragraph at a place.
  private mutating func noteEdit(of place: Int, _ stamp: EditStamp) {
    models[place].lastEdited = stamp
    models[place].editCount += 1
    guard let author = stamp.author else { return }
    if models[place].authors.count < Self.manyAuthors {
      if models[place].authors.contains(where: author.isExactly) { return }
    } else {
      if knownAuthors[place] == nil {
        knownAuthors[place] = Set(models[place].authors.map { ExactString($0) })
      }
      guard knownAuthors[place]?.insert(ExactString(author)).inserted == true else { return }
    }
    guard models[place].authors.isEmpty else { return models[place].authors.append(author) }
    if firstAuthors.first.map(author.isExactly) != true { firstAuthors = [author] }
    models[place].authors = firstAuthors
  }

  /// The place of a paragraph's model. If its creation was not seen, a model is made from its
  /// identifier.
  private mutating func place(of id: ParagraphID) -> Int {
    if let place = places[id] { return place }
    let born = EditStamp(unknown: id.sequence)
    return add(ParagraphModel(id: id, born: born, splitFrom: nil, lastEdited: born, editCount: 0))
  }

  @discardableResult
  private mutating func add(_ model: ParagraphModel) -> Int {
    places[model.id] = models.count
    models.append(model)
    return models.count - 1
  }
}

extension Range<Int> {
  /// True if no unit of `other` is outside.
  fileprivate func holds(_ other: Range<Int>) -> Bool {
    other.isEmpty || lowerBound <= other.lowerBound && other.upperBound <= upperBound
  }
}
