import Glibc
import Synchronization

/// A result that a task gives and a thread waits for.
final class Answer<Value: Sendable>: Sendable {
  private let value = Mutex<Result<Value, any Error>?>(nil)

  func set(_ result: Result<Value, any Error>) { value.withLock { $0 = result } }

  func wait() -> Result<Value, any Error> {
    while true {
      if let result = value.withLock({ $0 }) { return result }
      usleep(200)
    }
  }
}
