import EditModel
import EditProtocol

// What comes back from requests.
extension ScrubState {
  mutating func handle(_ request: ScrubRequest, _ answer: ScrubAnswer) {
    switch (request, answer) {
    case (.edits(let after, _), .edits(let edits)): window.insert(edits, after: after)
    case (.text(let version), .text(let text)):
      (cursor, lineage) = (VersionCursor(version, text), lineage + 1)
      (top, place) = (min(top, text.count), min(place, text.count))
    case (.removed(let edit, _), .text(let text)): showRemoved(text, by: edit)
    case (.step(let from, let count, let unit), .version(let version, let made)):
      handleSteps(from, count, unit, version, made ?? 0)
    case (.point, .version(let version, _)): jump(to: version)
    case (.times, .times(let samples)):
      timeline.insert(samples)
      let next = timeline.nextSamples
      if !next.isEmpty { ask(.times(next)) }
    case (.places, .places(let marks, let saves, let sessions)):
      (self.marks, self.saves, self.sessions) = (marks, saves, sessions)
    case (.steps, .steps(let steps)): (self.steps, hasSteps) = (steps, true)
    case (.blame(let version, let lines), .blame(let pieces)): blame = (version, lines, pieces)
    case (.origin(let version, let line), .version(let origin, _)):
      guard version == goal, origin > 0 else { return }
      if origin == goal {
        message = "this version wrote line \(line) last"
      } else {
        jump(to: origin)
      }
    case (.search(let pattern, let fate), .matches(let matches, let count)):
      show(FoundList(pattern: pattern, fate: fate, matches: matches, count: count))
    case (.paragraph, .paragraph(let id, let versions)):
      paragraph = (id, versions)
      message = "h and l step through \(versions.count.grouped) versions of paragraph \(id); p: all"
    case (.preview(let restore), .preview(let lines, let base, let file, let fileProblem)):
      latest = max(latest, base)
      guard !lines.isEmpty else {
        mode = .browse
        message = "the text is the same already"
        return
      }
      mode = .confirm(
        RestoreQuestion(
          restore: restore, lines: lines, base: base, file: file, fileProblem: fileProblem),
        from: 0)
      // Keys typed before the question is drawn do not answer it.
      (typed, isQuestionDrawn) = ([], false)
    case (.restore(let restore, _, _), .restored(let version, let isChanged, let file)):
      handleRestored(restore, version, isChanged, file)
    case (.mark, .marked(let mark)):
      add(mark)
      message = "\(mark.label.shown) names version \(mark.sequence.grouped) now"
    case (_, .done(let line)): if let line { message = line }
    default: break
    }
  }

  mutating func handleFailure(of request: ScrubRequest, _ reason: String) {
    // Background requests are repeated when the daemon is back.
    if isDaemonLost, !request.isAwaited { return }
    switch request {
    // What is asked for in the background is asked for again when it is needed.
    case .times, .places: return
    case .steps: showsSteps = false
    case .blame: showsBlame = false
    case .text:
      // Without the text, the version cannot be shown.
      goal = cursor?.sequence ?? goal
      if cursor == nil { cursor = VersionCursor(goal, UTF16Text()) }
    case .edits:
      goal = cursor?.sequence ?? goal
      (pending, playing) = (nil, nil)
    default: break
    }
    message = reason
  }

  mutating func handleConnection(isLost: Bool) {
    isDaemonLost = isLost
    guard isLost else {
      failed = []
      message = "the daemon is back"
      return
    }
    let isUnknown = stopWaiting()
    pending = nil
    message = isUnknown ? "the daemon is gone; the change may or may not have been made" : nil
    switch mode {
    case .confirm, .restoreMenu: mode = .browse
    case .browse, .prompt, .matches, .help: break
    }
  }

  mutating func handleForgotten(_ request: ScrubRequest?) {
    let reason = Self.forgottenReason
    isForgotten = true
    (isFollowing, playing) = (false, nil)
    if let request {
      outstanding.remove(request)
      failed.insert(request)
      handleFailure(of: request, reason)
    }
    message = reason
  }

  /// Why a forgotten document is not asked.
  static let forgottenReason =
    "the document was forgotten: only what is in memory is left; q quits"

  private mutating func handleSteps(
    _ from: SequenceNumber, _ count: Int, _ unit: StepUnit, _ version: SequenceNumber, _ made: Int
  ) {
    guard from == goal else { return }
    if made == 0 || version == from {
      let direction = count < 0 ? "earlier" : "later"
      switch unit {
      case .save: message = "there is no \(direction) save"
      case .session: message = "there is no \(direction) session"
      default: message = "there is nothing \(direction)"
      }
      return
    }
    go(to: version)
  }

  private mutating func handleRestored(
    _ restore: ScrubRestore, _ version: SequenceNumber, _ isChanged: Bool,
    _ file: ScrubAnswer.RestoredFile?
  ) {
    grow(to: version)
    seen = max(seen, version)
    selectionStart = nil
    guard isChanged else {
      message = "the text is the same already"
      return
    }
    let what =
      switch restore {
      case .version(let old): "version \(old.grouped)"
      case .paragraph(let old, _): "the paragraph of version \(old.grouped)"
      case .lines(let old, _): "the selection of version \(old.grouped)"
      }
    jump(to: version)
    message =
      switch file {
      case nil: "\(what) is back, as edit \(version.grouped); an undo takes it away again"
      case .written(let path):
        "\(what) is back, as edit \(version.grouped), and \(path.shown) is written"
      case .unchanged(let path, let command):
        """
        \(what) is back in the history, as edit \(version.grouped). The file \(path.shown) was not changed. To write \
        the text to another file: \(command)
        """
      }
  }

  // MARK: - Following

  mutating func handleLogged(
    _ newest: SequenceNumber, _ time: Timestamp?, _ events: [HistoryEvent]
  ) {
    grow(to: newest)
    for event in events {
      switch event.kind {
      case .mark(let label, let sequence):
        add(ShownMark(label: label, sequence: sequence, time: event.time, author: event.author))
      case .saved: if saves.last.map({ $0 < event.after }) ?? true { saves.append(event.after) }
      default: break
      }
    }
    if isFollowing { go(to: latest) }
  }

  private mutating func add(_ mark: ShownMark) {
    marks.removeAll { $0.label.isExactly(mark.label) }
    marks.append(mark)
  }

  /// Notes that the history is longer than it was known to be.
  private mutating func grow(to newest: SequenceNumber) {
    guard newest > latest else { return }
    let isWhole = timeline.range == 0...latest
    let samples = timeline.samples
    latest = newest
    hasSteps = false
    if isFollowing { seen = newest }
    guard isWhole else { return }
    timeline = Timeline(0...newest)
    timeline.insert(samples)
    ask(.times([newest]))
  }
}
