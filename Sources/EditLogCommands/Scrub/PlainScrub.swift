import NIOCore
import Scrubbing

/// The screen as lines: the keys come from lines of standard input, and each line that was read gives one
/// that describes the version.
struct PlainScrub {
  let inbox: ScrubInbox
  /// Performs a request. It is awaited before the next key.
  let perform: (ScrubRequest) async -> ScrubInput
  let print: (String) throws -> Void

  /// Runs until the keys end or the user quits. Returns the last state.
  func run(_ first: ScrubState, lines: LineReader) async throws -> ScrubState {
    var (state, lines) = (first, lines)
    await settle(&state, state.start())
    try show(&state)
    while let line = try await lines.next() {
      for key in Self.keys(of: String(buffer: line)) {
        await settle(&state, state.handle(.key(key)))
        if state.isDone { return state }
      }
      for input in inbox.take() { await settle(&state, state.handle(input)) }
      try show(&state)
      state.leaveList()
    }
    return state
  }

  private func show(_ state: inout ScrubState) throws {
    try print(state.plainLine())
    for line in state.plainNotes() { try print(line) }
    state.noteDrawn()
  }

  /// Performs requests, and those that their answers lead to.
  private func settle(_ state: inout ScrubState, _ requests: [ScrubRequest]) async {
    var waiting = requests[...]
    while let request = waiting.popFirst() {
      // Nothing of the timeline is shown.
      if case .times = request { continue }
      waiting += state.handle(await perform(request))
    }
  }

  /// The keys of a line: its characters. A line that begins a prompt is all of it, and Enter ends it. An
  /// empty line is Enter.
  static func keys(of line: String) -> [ScrubKey] {
    guard let first = line.first else { return [.enter] }
    let keys = line.map { ScrubKey.character($0) }
    return ":/wM".contains(first) && line.count > 1 ? keys + [.enter] : keys
  }
}
