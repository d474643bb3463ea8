public import EditModel
public import TextState

extension Sequence<ParagraphEvent> {
  /// The list of identifiers after the events; nil if they do not fit it.
  public func replayed(on ids: [ParagraphID]) -> [ParagraphID]? {
    var ids = ids
    for event in self {
      switch event {
      case .removed(let index, let descriptor, _):
        guard ids.indices.contains(index), ids.remove(at: index) == descriptor.id else {
          return nil
        }
      case .inserted(let index, let descriptor, _):
        guard index <= ids.count else { return nil }
        ids.insert(descriptor.id, at: index)
      case .edited(let index, let descriptor, _),
        .attributesChanged(let index, let descriptor, _):
        guard ids.indices.contains(index), ids[index] == descriptor.id else { return nil }
      }
    }
    return ids
  }
}
