import EditModel
public import TextState

extension OracleState {
  /// What became of the paragraphs of `older`, the slow way and without lineage: every paragraph of
  /// one state is looked for in the other, and compared as a whole. The paragraphs that both states
  /// have must be in the same order.
  public func paragraphEvents(from older: OracleState) -> [ParagraphEvent] {
    let (oldDescriptors, newDescriptors) = (older.descriptors, descriptors)
    var events: [ParagraphEvent] = []
    for index in older.paragraphs.indices.reversed()
    where !paragraphs.contains(where: { $0.id == older.paragraphs[index].id }) {
      events.append(
        .removed(index: index, descriptor: oldDescriptors[index], mergedInto: nil))
    }
    for (index, paragraph) in paragraphs.enumerated() {
      let descriptor = newDescriptors[index]
      guard let old = older.paragraphs.firstIndex(where: { $0.id == paragraph.id }) else {
        events.append(.inserted(index: index, descriptor: descriptor, splitFrom: nil))
        continue
      }
      if older.paragraphs[old].units != paragraph.units {
        events.append(
          .edited(index: index, descriptor: descriptor, oldRange: oldDescriptors[old].range))
      } else if let event = restyled(
        index, from: older.paragraphs[old].attributes, to: paragraph.attributes)
      {
        events.append(event)
      }
    }
    return events
  }
}

extension ParagraphEvent {
  /// The event without lineage.
  public var withoutLineage: ParagraphEvent {
    switch self {
    case .removed(let index, let descriptor, _):
      .removed(index: index, descriptor: descriptor, mergedInto: nil)
    case .inserted(let index, let descriptor, _):
      .inserted(index: index, descriptor: descriptor, splitFrom: nil)
    case .edited, .attributesChanged: self
    }
  }
}
