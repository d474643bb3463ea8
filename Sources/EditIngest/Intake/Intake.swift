import EditLog
import EditModel
import EditProtocol
import NIOConcurrencyHelpers
import NIOCore
import Synchronization

/// The way in: the requests that wait, by source, and in which order and number they are taken.
///
/// It alone knows sources: which have their turn, which are held, and which have long work. It is a class,
/// because the threads of connections add to it while the loop takes; its state is behind one lock.
final class Intake: Sendable {
  /// What happens to requests that are added.
  enum Arrival {
    /// They are not added: the ingest is closed.
    case refused
    /// They are taken with those that wait.
    case waits
    /// Nothing takes requests: the caller must start it. `here` if its own thread may.
    case starts(here: Bool)
  }

  private struct State {
    var requests = FairQueue<IngestRequest>()
    /// When the oldest of them arrived, or later.
    var arrival: NIODeadline?
    var isDraining = false
    var isClosed = false
    /// True once the loop may be gone.
    var isGone = false
    var pace = BatchPace()
    /// When the last batch was begun, and the time that the writer took for it.
    var (start, writingTime) = (NIODeadline.now(), TimeAmount.zero)
    /// The documents whose next requests are delayed, and the timer for the first source that waits for that.
    var (pauses, pausing) = (Pauses(), Scheduled<Void>?.none)
    /// The sources of the long work on documents, and that whose work ended last.
    var (working, servedLast) = ([DocumentID: Int](), Int?.none)
  }

  /// The number of requests up to which the thread of their connection writes them.
  private static let countHere = 8
  /// The time up to which a batch counts as written fast.
  private static let fastTime = TimeAmount.milliseconds(1)

  private let clock: any WallClock
  private let state = NIOLockedValueBox(State())
  /// True if the last batch was written fast: the threads of connections may write the next.
  private let isFast = Atomic(true)

  init(_ clock: any WallClock) { self.clock = clock }

  // MARK: From any thread

  /// Adds requests after those of their source.
  func add(_ requests: [IngestRequest], from source: Int) -> Arrival {
    state.withLockedValue { state in
      if state.isClosed { return .refused }
      state.requests.add(requests, from: source)
      if state.arrival == nil { state.arrival = clock.ticks }
      if state.isDraining { return .waits }
      state.isDraining = true
      let isFew = requests.count <= Self.countHere
      return .starts(here: isFew && isFast.load(ordering: .relaxed))
    }
  }

  /// Takes no more requests from outside. Returns false if it was closed before.
  func close() -> Bool {
    state.withLockedValue { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
  }

  /// Notes that the loop may end.
  func end() { state.withLockedValue { $0.isGone = true } }

  /// Calls `body` if the loop is not gone, and keeps it until `body` returns.
  func whileThere(_ body: () -> Void) { state.withLockedValue { if !$0.isGone { body() } } }

  // MARK: From the loop

  /// True if requests can be taken.
  var hasRequests: Bool { state.withLockedValue { !$0.requests.isEmpty } }

  /// Takes the requests of the next batch, and the time when the oldest of them arrived. Returns nil if there
  /// are none.
  func take() -> (turns: [FairQueue<IngestRequest>.Turn], arrival: NIODeadline?)? {
    state.withLockedValue { state in
      if state.requests.isEmpty {
        state.isDraining = false
        return nil
      }
      let (turns, arrival) = (state.requests.take(state.pace.count), state.arrival)
      state.arrival = state.requests.isEmpty ? nil : clock.ticks
      (state.start, state.writingTime) = (clock.ticks, .zero)
      return (turns, arrival)
    }
  }

  /// Takes all requests, also of held sources.
  func takeAll() -> [IngestRequest] {
    state.withLockedValue { state in
      state.pausing?.cancel()
      state.requests.release()
      return state.requests.take(.max).flatMap(\.elements)
    }
  }

  /// Takes no requests of a source until `release`, and puts its taken requests back.
  func hold(_ source: Int, with requests: [IngestRequest]) {
    state.withLockedValue { $0.requests.hold(source, with: requests) }
  }

  /// Puts taken requests of a source back before those that wait. If `isNext`, the source takes its
  /// turn before the others.
  func putBack(_ requests: [IngestRequest], from source: Int, isNext: Bool = false) {
    state.withLockedValue { $0.requests.putBack(requests, from: source, isNext: isNext) }
  }

  /// Ends all holds of sources. The caller must take requests.
  func release() {
    state.withLockedValue { state in
      state.requests.release(served: state.servedLast)
      state.isDraining = true
    }
  }

  // MARK: Long work of sources

  /// True if long work of a source runs: its next requests wait.
  func isWorking(_ source: Int) -> Bool {
    state.withLockedValue { $0.working.values.contains(source) }
  }

  /// Notes the source of the long work on a document.
  func beginWork(of source: Int, on document: DocumentID) {
    state.withLockedValue { $0.working[document] = source }
  }

  /// Notes the end of the long work on a document. Its source takes its turn after the others that wait.
  func endWork(on document: DocumentID) {
    state.withLockedValue { $0.servedLast = $0.working.removeValue(forKey: document) }
  }

  // MARK: Pace

  /// Delays the next requests of a document.
  func pause(_ document: DocumentID, for time: TimeAmount) {
    state.withLockedValue { $0.pauses.add(time, of: document) }
  }

  /// Holds a source whose next request is delayed. Returns false if it is not.
  ///
  /// - Parameter timer: Makes the timer that calls `endPause`.
  func isPaused(
    _ turn: FairQueue<IngestRequest>.Turn, _ timer: (NIODeadline) -> Scheduled<Void>
  ) -> Bool {
    state.withLockedValue { state in
      guard !state.pauses.isEmpty, case .appended(let next)? = turn.elements.first,
        let end = state.pauses.end(of: next.request.document)
      else { return false }
      state.requests.hold(turn.source, with: turn.elements)
      if state.pausing == nil { state.pausing = timer(end) }
      return true
    }
  }

  /// Ends the holds, because a delay is over. The caller must take requests.
  func endPause() {
    state.withLockedValue { $0.pausing = nil }
    release()
  }

  /// Notes the time that the writer took for a batch.
  func noteWritten(in time: TimeAmount) {
    isFast.store(time < Self.fastTime, ordering: .relaxed)
    state.withLockedValue { $0.writingTime = $0.writingTime + time }
  }

  /// Notes the end of a batch of `count` requests.
  func noteBatch(of count: Int) {
    let now = clock.ticks
    state.withLockedValue { state in
      state.pace.note(
        count: count, nanoseconds: (now - state.start - state.writingTime).nanoseconds)
    }
  }

  // MARK: Invariants

  /// What is wrong with its state, if anything is: a mistake of the program, whatever the data.
  ///
  /// A source with requests has its turn or is held, not both: `FairQueue` is all that moves sources.
  func invariantViolation() -> String? {
    state.withLockedValue { $0.requests.invariantViolation() }
  }
}

extension WallClock {
  /// The time that never goes back.
  var ticks: NIODeadline { .uptimeNanoseconds(monotonic()) }
}
