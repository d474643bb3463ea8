package import EditModel

/// Writes traces in the JSON array form of the Chrome trace event format, which Perfetto reads.
///
/// Each deletion is a complete event (`"ph":"X"`). Each of its phases is an event nested in it by
/// time. The linear algorithm has its own track, as has what was measured live. Times are microseconds since the start of the
/// first trace.
public enum ChromeTrace {
  /// The traces as JSON, in UTF-8. `process` is the name of the process, such as a document's name.
  public static func json(_ traces: [DeletionTrace], process: String) -> String {
    json(traces, live: [:], process: process)
  }

  /// As `json(_:process:)`, with a track of what the edits cost as they happened. A live trace begins
  /// with the replayed one, or after the one before it.
  package static func json(
    _ traces: [DeletionTrace], live: [SequenceNumber: LiveTrace], process: String
  ) -> String {
    var events = [
      name("process_name", track: .edit, process),
      name("thread_name", track: .edit, "deletions, replayed"),
      name("thread_name", track: .linear, "linear algorithm"),
    ]
    if !live.isEmpty { events.append(name("thread_name", track: .live, "live in the daemon")) }
    var liveEnd: UInt64 = 0
    let origin = traces.compactMap(\.spans.first?.start).min() ?? 0
    for trace in traces {
      let title = "deletion \(trace.sequence)"
      append(trace.spans.map { ($0.phase.rawValue, $0.start, $0.duration) })
      if let linear = trace.linear {
        append(linear.spans.map { ($0.phase.rawValue, $0.start, $0.duration) }, linear: linear)
      }
      if let live = live[trace.sequence] {
        let start = max(liveEnd, (trace.spans.first?.start ?? origin) &- origin)
        liveEnd = start &+ live.duration
        events.append(
          complete(title, .live, start, live.duration, arguments: arguments(trace)))
        for span in live.spans {
          events.append(complete("\(span.phase)", .live, start &+ span.start, span.duration))
        }
      }

      func append(
        _ spans: [(name: String, start: UInt64, duration: UInt64)], linear: LinearTrace? = nil
      ) {
        guard let first = spans.first else { return }
        let track: Track = linear == nil ? .edit : .linear
        let arguments = linear.map(arguments) ?? arguments(trace)
        let whole = linear?.duration ?? trace.duration
        events.append(
          complete(title, track, first.start &- origin, whole, arguments: arguments))
        for span in spans {
          events.append(complete(span.name, track, span.start &- origin, span.duration))
        }
      }
    }
    return "[\n" + events.joined(separator: ",\n") + "\n]\n"
  }

  private enum Track: Int {
    case edit = 1
    case linear = 2
    case live = 3
  }

  private static func name(_ kind: String, track: Track, _ value: String) -> String {
    """
    {"name":"\(kind)","ph":"M","pid":1,"tid":\(track.rawValue),\
    "args":{"name":\(quoted(value))}}
    """
  }

  private static func complete(
    _ name: String, _ track: Track, _ start: UInt64, _ duration: UInt64,
    arguments: String = "{}"
  ) -> String {
    """
    {"name":\(quoted(name)),"cat":"editlog","ph":"X","ts":\(micros(start)),\
    "dur":\(micros(duration)),"pid":1,"tid":\(track.rawValue),"args":\(arguments)}
    """
  }

  private static func arguments(_ trace: DeletionTrace) -> String {
    let author = trace.author.map { ",\"author\":\(quoted($0))" } ?? ""
    return """
      {"sequence":\(trace.sequence),"origin":"\(trace.origin.name)"\(author),\
      "unitsDeleted":\(trace.unitsDeleted),"unitsInserted":\(trace.unitsInserted),\
      "unitsBefore":\(trace.unitsBefore),"paragraphsDeleted":\(trace.paragraphsDeleted),\
      "paragraphsBefore":\(trace.paragraphsBefore),\
      "notifications":\(trace.notificationCount)}
      """
  }

  private static func arguments(_ linear: LinearTrace) -> String {
    "{\"bytesMoved\":\(linear.bytesMoved),\"notifications\":\(linear.notificationCount)}"
  }

  /// Nanoseconds as microseconds with three decimals.
  private static func micros(_ nanoseconds: UInt64) -> String {
    let fraction = String(nanoseconds % 1_000)
    return "\(nanoseconds / 1_000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\u{0}"..<"\u{20}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
