import Scrubbing
import Synchronization

/// The requests of a screen that are carried out now. Each is a task, whose answer goes to the inbox.
final class ScrubWork: Sendable {
  private struct Tasks {
    var number = 0
    var tasks: [Int: (request: ScrubRequest, task: Task<Void, Never>)] = [:]
  }

  private let inbox: ScrubInbox
  private let perform: @Sendable (ScrubRequest) async -> ScrubInput
  private let tasks = Mutex(Tasks())

  /// No requests yet. `perform` carries one out.
  init(inbox: ScrubInbox, perform: @escaping @Sendable (ScrubRequest) async -> ScrubInput) {
    (self.inbox, self.perform) = (inbox, perform)
  }

  /// Starts a request.
  func start(_ request: ScrubRequest) {
    tasks.withLock { state in
      state.number += 1
      let number = state.number
      let task = Task {
        let input = await perform(request)
        if !Task.isCancelled { inbox.put(input) }
        tasks.withLock { $0.tasks[number] = nil }
      }
      state.tasks[number] = (request, task)
    }
  }

  /// Ends the work on requests without an answer. A change is carried out nevertheless: it may be half done.
  func cancel(_ requests: Set<ScrubRequest>) {
    endTasks { requests.contains($0) }
  }

  /// Ends the work on all requests but the changes. If `waitsForChanges`, returns when these are done.
  func close(waitsForChanges: Bool) async {
    endTasks { _ in true }
    guard waitsForChanges else { return }
    let changes = tasks.withLock { $0.tasks.values.filter(\.request.isChange).map(\.task) }
    for change in changes { await change.value }
  }

  private func endTasks(_ isEnded: (ScrubRequest) -> Bool) {
    tasks.withLock { state in
      for (request, task) in state.tasks.values where !request.isChange && isEnded(request) {
        task.cancel()
      }
    }
  }
}
