import Scrubbing
import Synchronization

/// The running requests of a screen. Each is a task that puts its answer into the inbox.
final class ScrubWork: Sendable {
  private struct Tasks {
    var number = 0
    var tasks: [Int: (request: ScrubRequest, task: Task<Void, Never>)] = [:]
  }

  private let inbox: ScrubInbox
  private let perform: @Sendable (ScrubRequest) async -> ScrubInput
  private let tasks = Mutex(Tasks())

  /// - Parameters:
  ///   - inbox: Receives the answers.
  ///   - perform: Performs one request.
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

  /// Cancels requests; they are not answered. Changes are not cancelled, because they may be partly done.
  func cancel(_ requests: Set<ScrubRequest>) {
    cancelTasks { requests.contains($0) }
  }

  /// Cancels all requests except changes. If `waitsForChanges`, returns after the changes are done.
  func close(waitsForChanges: Bool) async {
    cancelTasks { _ in true }
    guard waitsForChanges else { return }
    let changes = tasks.withLock { $0.tasks.values.filter(\.request.isChange).map(\.task) }
    for change in changes { await change.value }
  }

  private func cancelTasks(_ isCancelled: (ScrubRequest) -> Bool) {
    tasks.withLock { state in
      for (request, task) in state.tasks.values where !request.isChange && isCancelled(request) {
        task.cancel()
      }
    }
  }
}
