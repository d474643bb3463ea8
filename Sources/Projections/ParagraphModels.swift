public import EditModel
public import TextState

/// The life of every paragraph there ever was.
///
/// Invariant: the paragraphs without a death are exactly those of the state last applied.
/// An edit costs O(its paragraph events + the text of the paragraphs it removes).
public struct ParagraphModels: Projection {
  /// 1: the first.
  public static let version: UInt32 = 1
  /// True: the last texts of the dead come from there.
  public static let needsRemovedContent = true

  private var models: [ParagraphID: ParagraphModel] = [:]
  private var graves: [ParagraphID] = []

  /// The models at the version `state`. Of paragraphs that are in it already nothing is known
  /// but the edit that created them. O(paragraphs of `state`).
  public init(from state: TextState = TextState()) {
    for paragraph in state.paragraphs { models[paragraph.id] = Self.stranger(paragraph.id) }
  }

  /// Paragraphs there ever were.
  public var count: Int { models.count }

  /// The model of a paragraph, living or dead; nil where there was none of this identifier.
  public subscript(id: ParagraphID) -> ParagraphModel? { models[id] }

  /// The living paragraphs in document order; `state` is the version last applied. O(n).
  public func living(in state: TextState) -> [ParagraphModel] {
    state.paragraphs.compactMap { models[$0.id] }
  }

  /// The dead in order of death, those of one edit in document order. O(their number).
  public var dead: [ParagraphModel] { graves.compactMap { models[$0] } }

  /// Takes in what one edit did to paragraphs.
  public mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    let stamp = EditStamp(edit)
    let firstGrave = graves.count
    for event in change.paragraphEvents {
      switch event {
      case .removed(let index, let descriptor, let heir):
        let death = ParagraphDeath(
          stamp: stamp, lastText: change.oldText(in: descriptor.range, after: state),
          index: index, mergedInto: heir)
        bury(descriptor.id, death)
      case .inserted(_, let descriptor, let parent):
        bear(descriptor.id, stamp, splitFrom: parent)
      case .edited(_, let descriptor, _), .attributesChanged(_, let descriptor, _):
        models[descriptor.id, default: Self.stranger(descriptor.id)].edit(stamp)
      }
    }
    // Events name the removed from the last to the first; a reader wants them as they stood.
    graves[firstGrave...].reverse()
    for id in graves[firstGrave...] {
      guard let heir = models[id]?.mergedInto else { continue }
      models[heir, default: Self.stranger(heir)].absorbed.append(id)
    }
  }

  private mutating func bear(_ id: ParagraphID, _ stamp: EditStamp, splitFrom: ParagraphID?) {
    var model = ParagraphModel(
      id: id, born: stamp, splitFrom: splitFrom, lastEdited: stamp, editCount: 0)
    model.edit(stamp)
    models[id] = model
    guard let parent = splitFrom else { return }
    models[parent, default: Self.stranger(parent)].children.append(id)
  }

  private mutating func bury(_ id: ParagraphID, _ death: ParagraphDeath) {
    models[id, default: Self.stranger(id)].death = death
    graves.append(id)
  }

  /// A paragraph whose birth was not seen: only its identifier tells of it.
  private static func stranger(_ id: ParagraphID) -> ParagraphModel {
    let born = EditStamp(unknown: id.sequence)
    return ParagraphModel(id: id, born: born, splitFrom: nil, lastEdited: born, editCount: 0)
  }
}

extension ParagraphModel {
  fileprivate mutating func edit(_ stamp: EditStamp) {
    lastEdited = stamp
    editCount += 1
    if let author = stamp.author, !authors.contains(author) { authors.append(author) }
  }
}
