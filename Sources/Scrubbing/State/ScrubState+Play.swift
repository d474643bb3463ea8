import EditModel
import EditProtocol

// Playing the history as it was written.
extension ScrubState {
  /// Edits that are played at one tick, at most.
  private static let editsAtOnce = 4_000

  mutating func togglePlay() {
    guard playing == nil else {
      playing = nil
      return
    }
    isFollowing = false
    if goal == latest { go(to: 0) }
    playing = Playing()
  }

  /// Plays the time since the last tick.
  mutating func play(at time: Int64) {
    guard var playing else { return }
    let passed = playing.lastTick.map { max(0, time &- $0) } ?? 0
    playing.lastTick = time
    // After a pause of the program, playing goes on where it was.
    playing.credit += Double(min(passed, 250_000_000)) * speed
    self.playing = playing
    guard cursor?.sequence == goal else { return }
    var count = 0
    while goal < latest, count < Self.editsAtOnce {
      guard let next = window[goal + 1] else {
        askEdits(goal + 1)
        // Time does not pass while edits are loaded.
        self.playing?.credit = 0
        return
      }
      let gap = shownGap(before: next)
      guard playing.credit >= gap else { break }
      playing.credit -= gap
      goal += 1
      focus = .change
      count += 1
    }
    self.playing = playing
    guard goal == latest else { return }
    self.playing = nil
    message = "this is the newest version"
  }

  /// The time before an edit as it is played, in nanoseconds.
  private func shownGap(before edit: EditPreview) -> Double {
    guard goal > 0, let before = window[goal]?.time else { return 0 }
    let (gap, overflow) = edit.time.nanoseconds.subtractingReportingOverflow(before.nanoseconds)
    let seconds = overflow ? 1e11 : max(0, Double(gap)) / 1e9
    // The cap is of time as it is played.
    return min(seconds, idleCap.map { $0 * speed } ?? seconds) * 1e9
  }
}
