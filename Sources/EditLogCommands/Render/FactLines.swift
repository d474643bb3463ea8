import EditJSON
import EditModel
import EditProtocol

/// Lines of a label and a value, cut to the terminal's width.
struct FactLines {
  private let session: Session
  private(set) var text = ""
  private static let labelWidth = 13

  init(_ session: Session) { self.session = session }

  mutating func title(_ title: String) {
    text += session.style.paint(title, .header) + "\n"
  }

  mutating func add(_ label: String, _ value: String) {
    add(label) { Excerpt.cut(value, to: $0) }
  }

  mutating func add(text label: String, _ value: UTF16Text) {
    add(label) { CutText(value.units, count: value.count).quoted(width: $0) }
  }

  mutating func add(_ label: String, _ attributes: [InspectedAttribute]) {
    if attributes.isEmpty { return add(label, "none") }
    for (index, attribute) in attributes.enumerated() {
      add(index == 0 ? label : "", Self.shown(attribute))
    }
  }

  mutating func add(_ run: InspectedRun) {
    add("", "\(Self.shown(run.attribute)), in paragraphs over \(run.expanded)")
  }

  private static func shown(_ attribute: InspectedAttribute) -> String {
    let value = Excerpt.line(attribute.value.json.description, width: nil)
    return "\(Excerpt.name(attribute.name, width: 24)) = \(value) over \(attribute.range)"
  }

  mutating func add(_ label: String, _ value: (Int?) -> String) {
    let room = session.width.map { max(1, $0 - Self.labelWidth - 2) }
    let head = "  " + label.padded(to: Self.labelWidth)
    text += session.style.paint(head, .faint) + value(room) + "\n"
  }
}
