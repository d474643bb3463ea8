public import EditModel
public import TextState

/// The histories of all paragraphs, removed ones included.
///
/// Invariant: the paragraphs without a death are exactly those of the state last applied.
/// An edit costs O(its paragraph events + the text of the paragraphs it removes).
public struct ParagraphModels: Projection {
  /// 1: the first.
  public static let version: UInt32 = 1
  /// True, because the last texts of removed paragraphs are kept.
  public static let needsRemovedContent = true

  /// In order of creation. A paragraph's place never changes.
  private var models: [ParagraphModel] = []
  private var places: [ParagraphID: Int] = [:]
  /// The places of removed paragraphs in `models`, in order of removal.
  private var graves: [Int] = []

  /// The models at the version `state`. Of its paragraphs, only the edit that created them is
  /// known. O(paragraphs of `state`).
  public init(from state: TextState = TextState()) {
    for paragraph in state.paragraphs { _ = place(of: paragraph.id) }
  }

  /// The number of paragraphs, removed ones included.
  public var count: Int { models.count }

  /// The model of a paragraph, living or dead; nil if there was none of this identifier.
  public subscript(id: ParagraphID) -> ParagraphModel? { places[id].map { models[$0] } }

  /// The paragraphs of `state` in document order. `state` must be the version last applied. O(n).
  public func living(in state: TextState) -> [ParagraphModel] {
    state.paragraphs.compactMap { self[$0.id] }
  }

  /// The removed paragraphs in order of removal, those of one edit in document order. O(their
  /// number).
  public var dead: [ParagraphModel] { graves.map { models[$0] } }

  /// Records the paragraph events of an edit.
  public mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    let stamp = EditStamp(edit)
    let firstGrave = graves.count
    for event in change.paragraphEvents {
      switch event {
      case .removed(let index, let descriptor, let heir):
        let place = place(of: descriptor.id)
        models[place].death = ParagraphDeath(
          stamp: stamp, lastText: change.oldText(in: descriptor.range, after: state),
          index: index, mergedInto: heir)
        graves.append(place)
        if let heir { models[self.place(of: heir)].absorbed.append(descriptor.id) }
      case .inserted(_, let descriptor, let parent):
        bear(descriptor.id, stamp, splitFrom: parent)
      case .edited(_, let descriptor, _), .attributesChanged(_, let descriptor, _):
        models[place(of: descriptor.id)].edit(stamp)
      }
    }
    // Events list removed paragraphs from the last to the first; `dead` has document order.
    graves[firstGrave...].reverse()
  }

  private mutating func bear(_ id: ParagraphID, _ stamp: EditStamp, splitFrom: ParagraphID?) {
    var model = ParagraphModel(
      id: id, born: stamp, splitFrom: splitFrom, lastEdited: stamp, editCount: 0)
    model.edit(stamp)
    add(model)
    guard let parent = splitFrom else { return }
    models[place(of: parent)].children.append(id)
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

extension ParagraphModel {
  fileprivate mutating func edit(_ stamp: EditStamp) {
    lastEdited = stamp
    editCount += 1
    guard let author = stamp.author, !authors.contains(where: author.isExactly) else { return }
    authors.append(author)
  }
}
