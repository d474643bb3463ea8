package import EditModel
import EditProtocol
import TextGrid
import TextState

/// The screen of `editlog scrub`: a function from inputs to requests and frames, without terminal, clock
/// or store.
///
/// The version that is shown is that of `cursor`; keys move `goal`, and the cursor follows through the
/// edits in memory, or jumps to a text that was asked for. So keys are never blocked: while an answer is
/// awaited, the next key moves the goal further.
package struct ScrubState: Sendable {
  /// The name of the document, as it is shown.
  package let name: String
  /// What the terminal can show.
  package let options: ScrubOptions
  package let clock: ScrubClock
  /// The size of the terminal.
  package internal(set) var size: ScrubSize

  // The history.
  /// The newest version.
  package internal(set) var latest: SequenceNumber
  /// The version that the keys lead to.
  package internal(set) var goal: SequenceNumber
  /// The version that is shown; nil before the first text is there.
  package internal(set) var cursor: VersionCursor?
  var window = EditWindow()
  var timeline: Timeline
  var marks: [ShownMark] = []
  var saves: [SequenceNumber] = []
  var sessions: [SequenceNumber] = []
  var steps: [ShownUndoStep] = []
  var hasSteps = false

  // The view.
  /// The first row that is shown, and the place of the user in the text, in UTF-16 units of the version.
  var top = 0 { didSet { topInset = 0 } }
  var place = 0 { didSet { placeInset = 0 } }
  /// The units of deleted text at these places that are after the first row, or after the place of the user.
  var (topInset, placeInset) = (0, 0)
  /// Where to look when the goal is reached.
  var focus = Focus.change
  var shown: ShownText?
  var shownKey: ShownKey?
  /// The version that the last step started from, to compare with.
  var stepBase: StepBase?
  /// The removed texts that are not in the window, by edit.
  var removedTexts: [SequenceNumber: UTF16Text] = [:]
  var anchor: VersionCursor?
  /// Where the selection of lines began, in a version, with the inset as of the place of the user; nil if there is
  /// none.
  var selectionStart: (version: SequenceNumber, place: Int, inset: Int)?
  /// Counts jumps: texts of different lineages share nothing, so comparing them reads all of both.
  var lineage = 0
  var anchorLineage = 0
  var showsDeleted = false
  var showsBlame = false
  /// Nil: the pane of undo steps is there if there is room.
  var showsSteps: Bool?
  /// Nil: the authors are below the activity if there is room.
  var showsAuthors: Bool?
  var timeStyle = TimeStyle.both
  var blame: (at: SequenceNumber, lines: ClosedRange<Int>, pieces: [ShownBlamePiece])?
  var found: FoundList?
  var searchFate: GrepRequest.Fate?
  /// The versions of the paragraph that is followed; nil if none is.
  var paragraph: (id: ParagraphID, versions: [SequenceNumber])?
  var author: String?

  // The keys.
  var mode = ScrubMode.browse
  var digits = ""
  var message: String?
  var back: [(version: SequenceNumber, place: Int)] = []
  var pending: PendingSteps?
  /// The version at which the cursor last reached the goal, and the blocks to load at once if it goes on back.
  var (rest, blocksBack) = (SequenceNumber(0), SequenceNumber(1))
  var isFollowing = false
  /// True while the daemon does not answer.
  var isDaemonLost = false
  /// True if the document is not in the store any more.
  var isForgotten = false
  /// The newest version that was shown, or that was there when the screen began or when the user's own restore was
  /// made: later ones are new.
  var seen: SequenceNumber
  var playing: Playing?
  var speed = 1.0
  var idleCap: Double? = 2
  var isEnded = false

  /// Keys that wait for an answer.
  var typed: [ScrubKey] = []
  /// True if the question of `mode` has been drawn.
  var isQuestionDrawn = false

  // The requests.
  var outstanding: Set<ScrubRequest> = []
  /// The requests that failed since the last key. They are not made again before the next.
  var failed: Set<ScrubRequest> = []
  var outbox: [ScrubRequest] = []
  /// The time of the first tick at which each part waited, in nanoseconds, and the parts with a loading message.
  var (waitingSince, slowParts): ([LoadingPart: Int64], Set<LoadingPart>) = ([:], [])

  /// Where to look when the goal is reached.
  enum Focus: Hashable {
    /// At what the last edit changed.
    case change
    /// At this unit of the version.
    case offset(Int)
    /// Where the user was.
    case stay
  }

  /// A version to compare with.
  struct StepBase {
    var version: VersionCursor
    /// Where some of its text is not known; nil if all is.
    var gap: ShownText.Gap?
    /// The first edit of the step that was taken back.
    var start: SequenceNumber
    var lineage: Int
  }

  /// What the shown text depends on.
  struct ShownKey: Hashable {
    var version: SequenceNumber
    var lineage: Int
    var base: SequenceNumber?
    var showsDeleted: Bool
  }

  /// A screen at a version.
  ///
  /// - Parameters:
  ///   - name: The name of the document, as it is shown.
  ///   - version: The version to show first.
  ///   - latest: The newest version.
  ///   - size: The size of the terminal.
  ///   - options: What the terminal can show.
  ///   - clock: How times are shown.
  package init(
    name: String, at version: SequenceNumber, latest: SequenceNumber, size: ScrubSize,
    options: ScrubOptions, clock: ScrubClock
  ) {
    (self.name, self.options, self.clock, self.size) = (name, options, clock, size)
    (self.latest, goal, seen) = (latest, min(version, latest), latest)
    timeline = Timeline(0...latest)
  }

  /// True if the user is done.
  package var isDone: Bool { isEnded }

  /// True if something happens by itself: ticks are wanted.
  package var isMoving: Bool { playing != nil || isLoadingSoon }

  /// True if an answer is awaited that the shown version depends on.
  package var isBusy: Bool { cursor?.sequence != goal || pending != nil || isAsking }

  /// True if the user waits for an answer: what the next key means depends on it.
  var isAsking: Bool { outstanding.contains(where: \.isAwaited) }

  /// True if the next frame shows a question for the first time. The caller then discards typed keys, and calls
  /// `noteDrawn` after each frame.
  package var hasNewQuestion: Bool {
    if case .confirm = mode { !isQuestionDrawn } else { false }
  }

  /// Notes that a frame was drawn: keys typed from now on can answer its question.
  package mutating func noteDrawn() { isQuestionDrawn = true }

  /// The first requests.
  package mutating func start() -> [ScrubRequest] {
    settle()
    ask(.places)
    ask(.times(timeline.firstSamples))
    return take()
  }

  /// Takes an input. Returns what is to be asked, or done.
  package mutating func handle(_ input: ScrubInput) -> [ScrubRequest] {
    switch input {
    case .key(let key): type(key)
    case .mouse(let event):
      failed = []
      handle(event)
    case .resize(let size):
      self.size = size
      showPlace()
    case .tick(let time):
      noteLoading(at: time)
      play(at: time)
    case .answer(let request, let answer):
      // An answer that the user did not wait for comes too late.
      guard outstanding.remove(request) != nil || !request.isAwaited else { return [] }
      handle(request, answer)
    case .failure(let request, let reason):
      guard outstanding.remove(request) != nil || !request.isAwaited else { return [] }
      failed.insert(request)
      handleFailure(of: request, reason)
    case .logged(let latest, let time, let events): handleLogged(latest, time, events)
    case .notice(let line): message = line
    case .connection(let isLost): handleConnection(isLost: isLost)
    case .forgotten(let request): handleForgotten(request)
    }
    settle()
    while let key = typed.first, canTake(key) {
      typed.removeFirst()
      handle(key)
      settle()
    }
    updateLoading()
    return take()
  }

  // MARK: - Keys that come early

  /// Keys that wait for an answer, at most.
  private static let typedMax = 256

  /// Handles a key now, or queues it until the awaited answer is there. Escape and ^C cancel the wait. `q` quits at
  /// once, unless it is part of a line typed ahead.
  private mutating func type(_ key: ScrubKey) {
    failed = []
    if key == .escape || key == .control("c"), isAsking {
      message = stopWaiting() ? Self.unknownOutcome : "cancelled"
    } else if typed.isEmpty, canTake(key) {
      handle(key)
    } else if key == .control("c") || key == .character("q") && !isLineTypedAhead {
      typed = []
      handle(key)
    } else if isDaemonLost {
      message = nil
    } else if typed.count < Self.typedMax {
      typed.append(key)
    }
  }

  /// The message after cancelling the wait for a change.
  static let unknownOutcome = "cancelled; the change may still be made"

  /// Cancels awaited requests and discards queued keys. Returns true if one of the requests was a change.
  mutating func stopWaiting() -> Bool {
    let awaited = outstanding.filter(\.isAwaited)
    outstanding.subtract(awaited)
    typed = []
    if !awaited.isEmpty { tell(.cancel(awaited)) }
    return awaited.contains(where: \.isChange)
  }

  /// True if the queued keys end inside a line for a prompt.
  private var isLineTypedAhead: Bool {
    typed.reduce(false) { isLine, key in
      switch key {
      case .character(":"), .character("/"), .character("w"), .character("M"): true
      case .enter, .escape, .control("c"): false
      default: isLine
      }
    }
  }

  /// True if a key means the same as after the answers that are awaited.
  private func canTake(_ key: ScrubKey) -> Bool {
    if isAsking { return [.control("z"), .control("l")].contains(key) }
    let steps: [ScrubKey] = [.character("h"), .character("l"), .left, .right, .escape]
    return pending == nil || steps.contains(key)
  }

  // MARK: - Requests

  /// Sends a request unless it is outstanding. Without a daemon, requests that the user would wait for are refused.
  mutating func ask(_ request: ScrubRequest) {
    if isDaemonLost, request.isAwaited {
      message = "this needs the daemon, which is gone; q quits"
      return
    }
    guard !failed.contains(request), outstanding.insert(request).inserted else { return }
    outbox.append(request)
  }

  /// Asks for something that has no answer.
  mutating func tell(_ request: ScrubRequest) { outbox.append(request) }

  private mutating func take() -> [ScrubRequest] {
    defer { outbox = [] }
    return outbox
  }
}
