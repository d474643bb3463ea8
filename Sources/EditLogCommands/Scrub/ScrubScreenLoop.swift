import EditModel
import Glibc
import Scrubbing

/// The loop of a full screen: waits for keys, answers and signals, and draws a frame after all of those
/// that came together, so that the newest key decides what is drawn.
struct ScrubScreenLoop {
  let screen: TerminalScreen
  let inbox: ScrubInbox
  /// Performs the requests; the answers arrive in the inbox.
  let work: ScrubWork

  /// Milliseconds between two frames while a history is played, and between two updates of ages.
  private static let (framePause, agePause) = (Int32(33), Int32(20_000))

  /// Runs a screen until the user leaves it. Returns its last state, and the signal that ended it, if one
  /// did.
  func run(_ first: ScrubState) -> (state: ScrubState, signal: Int32?) {
    var state = first
    perform(state.start())
    draw(&state)
    while !state.isDone {
      wait(state.isMoving ? Self.framePause : Self.agePause)
      for number in inbox.takeSignals() {
        switch number {
        case SIGWINCH: perform(state.handle(.resize(screen.readSize())))
        case SIGCONT: screen.redraw()
        case SIGTSTP: suspend(&state)
        default: return (state, number)
        }
      }
      if isHungUp { return (state, SIGHUP) }
      while let input = screen.nextInput(), !state.isDone {
        perform(state.handle(input), &state)
      }
      for input in inbox.take() { perform(state.handle(input), &state) }
      if state.isMoving { perform(state.handle(.tick(SystemTime.monotonicNanoseconds))) }
      if !state.isDone { draw(&state) }
    }
    return (state, nil)
  }

  private func draw(_ state: inout ScrubState) {
    screen.draw(state.frame())
    // Keys in the input buffer were typed before the question was visible.
    if state.hasNewQuestion { screen.dropKeys() }
    state.noteDrawn()
  }

  private func wait(_ milliseconds: Int32) {
    var requests = [
      pollfd(fd: screen.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: inbox.wakeEnd, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&requests, nfds_t(requests.count), milliseconds)
  }

  /// True if the terminal is gone.
  private var isHungUp: Bool {
    var request = pollfd(fd: screen.descriptor, events: 0, revents: 0)
    return poll(&request, 1, 0) > 0 && request.revents & Int16(POLLHUP | POLLNVAL) != 0
  }

  private func suspend(_ state: inout ScrubState) {
    screen.suspend()
    perform(state.handle(.resize(screen.readSize())))
  }

  private func perform(_ requests: [ScrubRequest], _ state: inout ScrubState) {
    for request in requests where request == .suspend { suspend(&state) }
    perform(requests)
  }

  private func perform(_ requests: [ScrubRequest]) {
    for request in requests {
      switch request {
      case .suspend, .quit: break
      case .redraw: screen.redraw()
      case .copy(let text): screen.copy(text)
      case .cancel(let requests): work.cancel(requests)
      default: work.start(request)
      }
    }
  }
}
