public import EditJSON
public import EditModel

extension HistoryEntry {
  /// The entry as `editlog/log` returns it and `editlog log --json` prints it. Members may be
  /// added; `v` is 1 as long as no member changes. O(size).
  public var json: JSON {
    switch self {
    case .edit(let edit): edit.json
    case .event(let event): event.json
    }
  }

  /// Reads an entry: an event if it has the member `event`, else an edit.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    _ = try object.integer("v", in: 1...1)
    self =
      object["event"] == nil
      ? .edit(try Edit(members: object)) : .event(try HistoryEvent(members: object))
  }
}

extension Edit {
  /// The edit as an entry of a history.
  public var json: JSON {
    var object: JSONObject = ["v": 1, "sequence": JSON(sequence)]
    object.reserveCapacity(16)
    object.add(action)
    object.add("origin", JSON(origin.wireName))
    object.add("transaction", JSON(transaction))
    object.addProvenance(author: author, session: session, counter: counter)
    object.addTime(time)
    object.add("clientTime", clientTime.map { JSON($0.rfc3339) })
    object.add("selection", selection?.json)
    return .object(object)
  }

  /// Reads the edit of an entry.
  init(members object: JSONObject) throws(ShapeError) {
    let sequence = try object.unsigned("sequence", atLeast: 1)
    self.init(
      sequence: sequence, action: try EditAction(members: object),
      origin: try object.originIfPresent("origin") ?? .typing,
      transaction: try object.unsignedIfPresent("transaction", atLeast: 1),
      author: try object.stringIfPresent("author"),
      session: try object.sessionIfPresent("session"),
      counter: try object.unsignedIfPresent("counter") ?? 0, time: try object.time("time"),
      clientTime: try object.readIfPresent("clientTime") { (json) throws(ShapeError) in
        try Timestamp(json: json)
      }, selection: try object.selectionIfPresent())
    guard (1...sequence).contains(transaction) else {
      throw ShapeError(
        "transaction", .mustBe("an integer from 1 to \(sequence)", found: "\(transaction)"))
    }
  }
}

extension HistoryEvent {
  /// The event as an entry of a history.
  public var json: JSON {
    var object: JSONObject = ["v": 1, "event": JSON(kind.name), "after": JSON(after)]
    switch kind {
    case .mark(let label, let at): (object["label"], object["at"]) = (JSON(label), JSON(at))
    case .baseline(let digest), .saved(let digest): object["digest"] = JSON(digest.hex)
    case .closed(let unsaved): object["unsaved"] = .bool(unsaved)
    case .divergence(let ours, let theirs):
      (object["ours"], object["theirs"]) = (JSON(ours.hex), JSON(theirs.hex))
    case .renamed(let from): object["from"] = JSON(from.name)
    case .session(let description): object.add(description)
    case .copied(let from, let at): (object["from"], object["at"]) = (JSON(from.name), JSON(at))
    case .undo(let change, let target):
      (object["undone"], object["redone"]) = (change.undone.json, change.redone.json)
      if let target { object["to"] = JSON(target) }
    }
    object.addProvenance(author: author, session: session, counter: counter)
    object.addTime(time)
    return .object(object)
  }

  /// Reads the event of an entry.
  init(members object: JSONObject) throws(ShapeError) {
    self.init(
      kind: try Kind(members: object), after: try object.unsigned("after"),
      time: try object.time("time"), author: try object.stringIfPresent("author"),
      session: try object.sessionIfPresent("session"),
      counter: try object.unsignedIfPresent("counter") ?? 0)
  }
}

extension HistoryEvent.Kind {
  /// The names of all kinds of events.
  static let names = [
    "mark", "baseline", "saved", "closed", "divergence", "renamed", "session", "copied",
    "undo",
  ]

  /// The event's name in an entry.
  public var name: String {
    switch self {
    case .mark: "mark"
    case .baseline: "baseline"
    case .saved: "saved"
    case .closed: "closed"
    case .divergence: "divergence"
    case .renamed: "renamed"
    case .session: "session"
    case .copied: "copied"
    case .undo: "undo"
    }
  }

  fileprivate init(members object: JSONObject) throws(ShapeError) {
    switch object["event"] {
    case "mark": self = .mark(label: try object.label("label"), at: try object.unsigned("at"))
    case "baseline": self = .baseline(try object.digest("digest"))
    case "saved": self = .saved(try object.digest("digest"))
    case "closed":
      self = .closed(
        unsaved: try object.read("unsaved") { (json) throws(ShapeError) in try json.asBool() })
    case "divergence":
      self = .divergence(ours: try object.digest("ours"), theirs: try object.digest("theirs"))
    case "renamed": self = .renamed(from: try object.formerDocument("from"))
    case "session": self = .session(try SessionDescription(members: object))
    case "copied":
      self = .copied(from: try object.formerDocument("from"), at: try object.unsigned("at"))
    case "undo":
      self = .undo(
        UndoneChange(
          undone: try object.sequences("undone"),
          redone: try object.sequences("redone")),
        to: try object.unsignedIfPresent("to"))
    case let other:
      throw ShapeError(
        "event", mustBe: "one of \(Self.names.joined(separator: ", "))", found: other)
    }
  }
}

extension JSONObject {
  /// A member that is an array of ranges of sequence numbers.
  fileprivate func sequences(_ name: String) throws(ShapeError) -> SequenceSet {
    try read(name) { (json) throws(ShapeError) in try SequenceSet(json: json) }
  }
}

extension SequenceSet {
  /// The ranges, as arrays of first and last number.
  package var json: JSON {
    .array(ranges.map { .array([JSON($0.lowerBound), JSON($0.upperBound)]) })
  }

  /// Reads an array of ranges, in any order.
  package init(json: JSON) throws(ShapeError) {
    self.init(
      try json.asArray { (json) throws(ShapeError) in
        let bounds = try json.asArray { (json) throws(ShapeError) in try json.asUnsigned(atLeast: 1)
        }
        guard bounds.count == 2, bounds[0] <= bounds[1], bounds[1] < .max else {
          throw ShapeError(
            mustBe: "an array of the first and the last number of a range", found: json)
        }
        return bounds[0]...bounds[1]
      })
  }
}

extension SessionDescription {
  /// Reads the members of an object that describe a client.
  package init(members object: JSONObject) throws(ShapeError) {
    let client = try object.read("client") { (json) throws(ShapeError) in
      try Self.name(json)
    }
    let version = try object.nameIfPresent("version")
    let host = try object.nameIfPresent("host")
    let process = try object.processIfPresent("process")
    guard
      let description = SessionDescription(
        client: client, version: version, host: host, process: process)
    else {
      throw ShapeError("client", mustBe: "a description of a client", found: nil)
    }
    self = description
  }

  /// The name in a member.
  fileprivate static func name(_ json: JSON) throws(ShapeError) -> String {
    let name = try json.asString()
    guard (1...Self.nameSizeMax).contains(name.utf8.count) else {
      throw ShapeError(mustBe: "a name of 1 to \(Self.nameSizeMax) bytes of UTF-8", found: json)
    }
    return name
  }
}

extension ContentDigest {
  /// The 32 bytes as 64 hexadecimal digits in lower case.
  public var hex: String { String(hexadecimal: bytes) }

  /// Reads 64 hexadecimal digits; nil for any other text.
  public init?(hex: String) {
    let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard hex.utf8.count == 64, digits.count == 64 else { return nil }
    self.init(bytes: (0..<32).map { UInt8(digits[2 * $0] * 16 + digits[2 * $0 + 1]) })
  }
}

extension JSONObject {
  fileprivate mutating func addProvenance(author: String?, session: SessionID?, counter: UInt64) {
    add("author", author.map { JSON($0) })
    add("session", session.map { JSON($0.name) })
    if session != nil || counter != 0 { add("counter", JSON(counter)) }
  }

  /// Adds the members that describe a client.
  package mutating func add(_ description: SessionDescription) {
    self["client"] = JSON(description.client)
    add("version", description.version.map { JSON($0) })
    add("host", description.host.map { JSON($0) })
    add("process", description.process.map { JSON(UInt64($0)) })
  }

  /// The name in the member `name`; nil if it is absent or null.
  package func nameIfPresent(_ name: String) throws(ShapeError) -> String? {
    try readIfPresent(name) { (json) throws(ShapeError) in try SessionDescription.name(json) }
  }

  /// The process in the member `name`; nil if it is absent or null.
  package func processIfPresent(_ name: String) throws(ShapeError) -> UInt32? {
    try unsignedIfPresent(name, atLeast: 1).map { (number) throws(ShapeError) in
      guard let process = UInt32(exactly: number) else {
        throw ShapeError(name, .mustBe("an integer from 1 to 4294967295", found: "\(number)"))
      }
      return process
    }
  }

  /// Adds the exact time, and the time rounded down to microseconds, an integer that every language
  /// can represent.
  fileprivate mutating func addTime(_ time: Timestamp) {
    add("time", JSON(time.rfc3339))
    add("timeMicros", .integer(time.microseconds))
  }

  /// The time in the member `name`: RFC 3339, or nanoseconds since 1970 UTC.
  public func time(_ name: String) throws(ShapeError) -> Timestamp {
    try read(name) { (json) throws(ShapeError) in try Timestamp(json: json) }
  }

  /// The mark's label in the member `name`.
  public func label(_ name: String) throws(ShapeError) -> String {
    try read(name) { (json) throws(ShapeError) in
      let label = try json.asString()
      guard (1...HistoryEvent.labelSizeMax).contains(label.utf8.count) else {
        throw ShapeError(
          mustBe: "a label of 1 to \(HistoryEvent.labelSizeMax) bytes of UTF-8", found: json)
      }
      return label
    }
  }

  /// The digest in the member `name`, 64 hexadecimal digits.
  public func digest(_ name: String) throws(ShapeError) -> ContentDigest {
    try read(name) { (json) throws(ShapeError) in
      guard let digest = ContentDigest(hex: try json.asString()) else {
        throw ShapeError(mustBe: "64 hexadecimal digits", found: json)
      }
      return digest
    }
  }
}
