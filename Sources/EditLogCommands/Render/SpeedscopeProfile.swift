import EditJSON
import EditProtocol

/// Traces as a file for speedscope, with one profile of what was measured here, one of the list
/// algorithm, and one of what was measured in the daemon as it happened, if anything was. Deletions follow one another without pauses.
///
/// The format is that of https://www.speedscope.app/file-format-schema.json: evented profiles, whose
/// events open and close frames at times that never go back.
struct SpeedscopeProfile {
  private let document: String
  private var frames: [JSON] = SpeedscopeProfile.phases.map { ["name": JSON($0)] }
  private var (events, linear, live): ([JSON], [JSON], [JSON]) = ([], [], [])
  private var (end, linearEnd, liveEnd): (Int64, Int64, Int64) = (0, 0, 0)

  private static let phases = [
    "locate", "text", "attributes", "paragraphs", "notify", "receive", "decode", "journal", "flush",
    "acknowledge", "waiting",
  ]

  init(document: String) { self.document = document }

  /// Adds traces, in order.
  mutating func add(_ traces: [ShownTrace]) {
    for trace in traces {
      let frame = frames.count
      frames.append([
        "name": JSON(
          """
          edit \(trace.sequence): \(Numbers.grouped(trace.units)) units, \
          \(Numbers.grouped(trace.paragraphs)) paragraphs
          """)
      ])
      open(frame, at: end, in: &events)
      let phases = trace.phases
      let durations = [
        phases.locate, phases.text, phases.attributes, phases.paragraphs, phases.notify,
      ]
      for (phase, duration) in durations.enumerated() where duration > 0 {
        open(phase, at: end, in: &events)
        end += duration
        close(phase, at: end, in: &events)
      }
      close(frame, at: end, in: &events)
      if let live = trace.live { add(live, frame) }
      guard let duration = trace.linear else { continue }
      open(frame, at: linearEnd, in: &linear)
      linearEnd += duration
      close(frame, at: linearEnd, in: &linear)
    }
  }

  private mutating func add(_ trace: ShownLiveTrace, _ frame: Int) {
    open(frame, at: liveEnd, in: &live)
    for (name, duration) in trace.durations {
      guard let duration, duration > 0, let phase = Self.phases.firstIndex(of: name) else {
        continue
      }
      open(phase, at: liveEnd, in: &live)
      liveEnd += duration
      close(phase, at: liveEnd, in: &live)
    }
    close(frame, at: liveEnd, in: &live)
  }

  /// The file.
  var text: String {
    let file: JSON = [
      "$schema": "https://www.speedscope.app/file-format-schema.json",
      "exporter": "editlog", "name": JSON(document),
      "activeProfileIndex": 0,
      "shared": ["frames": .array(frames)],
      "profiles": .array(profiles),
    ]
    return String(decoding: file.serialized(), as: UTF8.self)
  }

  private var profiles: [JSON] {
    let measured = [
      profile("here", events, end), profile("list algorithm", linear, linearEnd),
    ]
    return live.isEmpty ? measured : measured + [profile("live in the daemon", live, liveEnd)]
  }

  private func profile(_ name: String, _ events: [JSON], _ end: Int64) -> JSON {
    [
      "type": "evented", "name": JSON(name), "unit": "nanoseconds", "startValue": 0,
      "endValue": JSON(Int(end)), "events": .array(events),
    ]
  }

  private func open(_ frame: Int, at time: Int64, in events: inout [JSON]) {
    events.append(["type": "O", "frame": JSON(frame), "at": JSON(Int(time))])
  }

  private func close(_ frame: Int, at time: Int64, in events: inout [JSON]) {
    events.append(["type": "C", "frame": JSON(frame), "at": JSON(Int(time))])
  }
}
