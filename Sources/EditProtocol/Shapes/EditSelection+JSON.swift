public import EditJSON
public import EditModel

extension EditSelection {
  /// Reads the members `before` and `after`, arrays of ranges.
  ///
  /// - Parameter json: An object with one of the members or both.
  /// - Throws: `ShapeError` that names the member, with `.edit` if the ranges are not those of a
  ///   selection.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    let (before, after) = (try object.ranges("before"), try object.ranges("after"))
    do {
      try self.init(before: before, after: after)
    } catch { throw ShapeError("", .edit(error)) }
  }

  /// The selection, without a side that is not known.
  public var json: JSON {
    var object: JSONObject = [:]
    for (name, ranges) in [("before", before), ("after", after)] where !ranges.isEmpty {
      object[name] = .array(ranges.map { Codec<SelectedRange>.selected.encode($0) })
    }
    return .object(object)
  }
}

extension JSONObject {
  /// The ranges in the member `name`; none if it is absent or null.
  fileprivate func ranges(_ name: String) throws(ShapeError) -> [SelectedRange] {
    guard let json = self[name], json != .null else { return [] }
    guard case .array(let elements) = json,
      (1...EditSelection.rangeCountMax).contains(elements.count)
    else {
      throw ShapeError(
        name, mustBe: "an array of 1 to \(EditSelection.rangeCountMax) ranges", found: json)
    }
    return try array(name) { (json) throws(ShapeError) in
      try Codec<SelectedRange>.selected.decode(json)
    }
  }

  /// The selection in the member `selection`; nil if it is absent or null.
  func selectionIfPresent() throws(ShapeError) -> EditSelection? {
    try readIfPresent("selection") { (json) throws(ShapeError) in try EditSelection(json: json) }
  }
}

extension Codec<EditSelection> {
  /// The carets and selected ranges before and after an edit.
  public static let selection = Codec(
    schema: [
      "type": "object", "minProperties": 1,
      "properties": ["before": .object(ranges), "after": .object(ranges)],
    ],
    decode: { (json) throws(ShapeError) in try EditSelection(json: json) },
    encode: { $0.json })

  private static let ranges: JSONObject = [
    "type": "array", "minItems": 1, "maxItems": JSON(EditSelection.rangeCountMax),
    "items": .object(Codec<SelectedRange>.selected.schema),
  ]
}

extension Codec<SelectedRange> {
  /// A selected range: that of its text, and whether its head is its start.
  public static let selected = Codec(
    { (location, length, isReversed) in
      SelectedRange(location..<location + length, isReversed: isReversed)
    },
    .required("location", \.range.location, .length), .required("length", \.range.length, .length),
    .optional("reversed", \.isReversed, .bool, else: false))
}
