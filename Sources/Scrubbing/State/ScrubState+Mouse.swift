import EditModel
import EditProtocol

// What the mouse does.
extension ScrubState {
  mutating func handle(_ event: ScrubMouse) {
    let areas = areas
    switch (event.kind, mode) {
    case (.wheelUp, .browse): scroll(-3)
    case (.wheelDown, .browse): scroll(3)
    case (.wheelUp, _): handle(ScrubKey.up)
    case (.wheelDown, _): handle(ScrubKey.down)
    case (.press, .browse), (.drag, .browse):
      message = nil
      if let timeline = areas.timeline, timeline.contains(event) {
        let version = self.timeline.sequence(
          at: event.column - timeline.column, count: timeline.width)
        moveTime { event.kind == .press ? $0.jump(to: version) : $0.go(to: version) }
      } else if event.kind == .press, areas.text.contains(event) {
        select(row: event.row - areas.text.row)
      } else if event.kind == .press, let steps = areas.steps, steps.contains(event) {
        if let step = stepRows(steps.height).dropFirst(event.row - steps.row).first {
          moveTime { $0.jump(to: step.last) }
        }
      }
    case (.press, .matches):
      if let matches = areas.matches, matches.contains(event), var list = found {
        let index = firstMatch(list, matches.height) + event.row - matches.row - 1
        guard list.matches.indices.contains(index) else { return }
        list.selected = index
        found = list
        goToMatch()
      }
    default: break
    }
  }
}

extension ScrubArea {
  /// True if an event is on a cell of the area.
  func contains(_ event: ScrubMouse) -> Bool {
    event.column >= column && event.column < column + width && event.row >= row
      && event.row < row + height
  }
}
