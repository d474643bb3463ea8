import ArgumentParser
import EditModel
import EditProtocol

/// A verb that takes `DOCUMENT@POINT`, as `scrub` prints it, for a document and the option of a point.
protocol PointedVerb: Verb {
  var name: String { get set }
  /// The option that the point stands for; nil if it is not given.
  var at: String? { get set }
}

extension PointedVerb {
  /// The point of `at`, or the newest version.
  var atOrLatest: String { at ?? "latest" }

  /// True if a point is given, or `name` may contain one. Only the store can tell.
  var mayHavePoint: Bool { at != nil || name.contains(PointedName.separator) }

  /// The verb with `DOCUMENT@POINT` split into the document and the point.
  ///
  /// - Throws: `ValidationError` if the point does not go with the other options.
  func resolved(in session: Session) async throws -> Self {
    guard let found = try await session.pointedName(name) else { return self }
    guard at == nil else {
      throw ValidationError(
        "\(name.shown) has a point already, \(found.point); give it there or as an option")
    }
    var verb = self
    (verb.name, verb.at) = (found.name, found.point)
    try verb.validate()
    return verb
  }
}

/// An argument read as a document and a point of its history.
struct PointedName: Hashable, Sendable {
  static let separator: Character = "@"

  /// The argument for the document.
  let name: String
  let point: String

  /// The help of the argument.
  static let help: ArgumentHelp = "The document, or DOCUMENT@POINT."

  /// The readings of `argument` that have a point, longest name first: a name may hold the separator,
  /// and so may the label of a mark.
  static func readings(
    of argument: String, by parser: PointParser
  ) -> [PointedName] {
    let isPrinted = argument.hasPrefix("\"")
    return argument.indices.reversed().compactMap { index in
      guard argument[index] == separator, index > argument.startIndex else { return nil }
      let name = String(argument[..<index])
      // The quotes of a printed name end before the point.
      guard !isPrinted || name.count > 1 && name.hasSuffix("\"") else { return nil }
      let point = String(argument[argument.index(after: index)...])
      // Braces are read after the separator alone.
      let text = point.first == separator ? point : "\(separator)\(point)"
      return (try? parser.parse(text)) == nil ? nil : PointedName(name: name, point: text)
    }
  }
}

extension Session {
  /// The document and the point that `argument` means; nil if it is the name of a document, or has no
  /// point. Documents are found by their former names too.
  ///
  /// - Throws: `CommandError` (64) if no document has this name, but one has the part before the last separator, and the
  ///   part after it is not a point.
  func pointedName(_ argument: String) async throws -> PointedName? {
    guard let separator = argument.lastIndex(of: PointedName.separator) else { return nil }
    let readings = PointedName.readings(
      of: argument, by: PointParser(now: now, utcOffset: utcOffset))
    guard try await !hasDocument(argument) else { return nil }
    for reading in readings where try await hasDocument(reading.name) { return reading }
    guard try await renamedDocument(argument) == nil else { return nil }
    for reading in readings where try await renamedDocument(reading.name) != nil { return reading }
    if separator > argument.startIndex, try await hasDocument(String(argument[..<separator])) {
      _ = try parsePoint(String(argument[argument.index(after: separator)...]))
    }
    return nil
  }

  /// True if a document exists that `argument` may mean by its present name.
  private func hasDocument(_ argument: String) async throws -> Bool {
    try await first(argument) { try await exists($0) ? true : nil } != nil
  }
}
