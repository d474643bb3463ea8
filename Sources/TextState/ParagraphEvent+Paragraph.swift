import EditModel

extension ParagraphEvent {
  /// The paragraph that the event is about, as the event describes it.
  var descriptor: ParagraphDescriptor {
    switch self {
    case .removed(_, let descriptor, _), .inserted(_, let descriptor, _),
      .edited(_, let descriptor, _), .attributesChanged(_, let descriptor, _):
      descriptor
    }
  }

  /// Its index in the event.
  var index: Int {
    switch self {
    case .removed(let index, _, _), .inserted(let index, _, _), .edited(let index, _, _),
      .attributesChanged(let index, _, _):
      index
    }
  }
}
