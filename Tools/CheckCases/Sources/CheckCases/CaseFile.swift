import Foundation

/// A file of cases, of one of three shapes.
enum CaseFile {
  case identity([IdentityCase])
  case events([EventsCase], [SyncCase])
  case decorations([GranularityCase], BlockCases?)

  /// Why a file is not one of cases.
  struct ShapeError: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads a file; its members tell its shape.
  init(path: String) throws {
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw ShapeError(description: "cannot be read: \(error.localizedDescription)")
    }
    do {
      let members = try JSONDecoder().decode(Members.self, from: data)
      if members.isDecorations {
        let file = try JSONDecoder().decode(Decorations.self, from: data)
        self = .decorations(file.granularity_cases ?? [], file.block_level_cases)
      } else if members.isEvents {
        let file = try JSONDecoder().decode(Events.self, from: data)
        self = .events(file.cases ?? [], file.sync_cases ?? [])
      } else if members.isIdentity {
        self = .identity(try JSONDecoder().decode(Identity.self, from: data).cases)
      } else {
        throw ShapeError(
          description: """
            not a file of cases: there is no "granularity_cases", no "sync_cases", and no "cases" \
            with "recommended" or "recommended_events_of_the_edit"
            """)
      }
    } catch let error as DecodingError {
      throw ShapeError(description: error.shown)
    }
  }

  /// Checks all cases.
  func check(_ report: inout Report) {
    switch self {
    case .identity(let cases):
      for each in cases { report.add("identity: \(each.name)", each.differences) }
    case .events(let cases, let syncs):
      for each in cases { report.add("events: \(each.name)", each.differences) }
      for (index, each) in syncs.enumerated() {
        report.add("sync: \(each.name ?? "case \(index + 1)")", each.differences)
      }
    case .decorations(let cases, let blocks):
      for each in cases { report.add("decorations: \(each.name)", each.differences) }
      guard let blocks else { return }
      for each in blocks.cases {
        report.add("blocks: \(each.name)", each.differences(blocks.theme))
      }
    }
  }

  // MARK: Shapes

  /// Which members a file has.
  private struct Members: Decodable {
    var isDecorations = false
    var isEvents = false
    var isIdentity = false

    private struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(_ name: String) { stringValue = name }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let file = try decoder.container(keyedBy: Key.self)
      isDecorations =
        file.contains(Key("granularity_cases")) || file.contains(Key("block_level_cases"))
      isEvents = file.contains(Key("sync_cases"))
      guard file.contains(Key("cases")) else { return }
      var cases = try file.nestedUnkeyedContainer(forKey: Key("cases"))
      guard !cases.isAtEnd else {
        isIdentity = true
        return
      }
      let first = try cases.nestedContainer(keyedBy: Key.self)
      isIdentity = first.contains(Key("recommended"))
      isEvents = isEvents || first.contains(Key("recommended_events_of_the_edit"))
    }
  }

  private struct Identity: Decodable { var cases: [IdentityCase] }

  private struct Events: Decodable {
    var cases: [EventsCase]?
    var sync_cases: [SyncCase]?
  }

  private struct Decorations: Decodable {
    var granularity_cases: [GranularityCase]?
    var block_level_cases: BlockCases?
  }
}

extension DecodingError {
  /// What is wrong, and where.
  fileprivate var shown: String {
    func place(_ context: Context) -> String {
      let path = context.codingPath.map {
        $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)"
      }
      return path.isEmpty ? "the file" : String(path.joined().trimmingPrefix("."))
    }
    switch self {
    case .typeMismatch(let type, let context):
      return "\(place(context)) is not a value of type \(type)"
    case .valueNotFound(let type, let context): return "\(place(context)) is null, not \(type)"
    case .keyNotFound(let key, let context):
      return "\(place(context)) has no member \"\(key.stringValue)\""
    case .dataCorrupted(let context):
      return "\(place(context)) cannot be read: \(context.debugDescription)"
    @unknown default: return "\(self)"
    }
  }
}
