import Dispatch
import EditLogCommands
import EditProtocol
import EditQueries
import Synchronization

extension QueryEngine {
  /// The answer to a question. The thread waits for it.
  func ask<Q: Question>(_ question: Q) throws -> Q.Answer {
    try waiting { try await self.answer(question) }
  }
}

/// What `body` returns. The thread waits for it.
func waiting<Answer: Sendable>(
  for body: @escaping @Sendable () async throws -> Answer
) throws -> Answer {
  let (done, box) = (DispatchSemaphore(value: 0), AnswerBox<Answer>())
  Task.detached {
    do { box.put(.success(try await body())) } catch { box.put(.failure(error)) }
    done.signal()
  }
  done.wait()
  return try box.take()
}

/// An answer on its way to the thread that waits for it.
private final class AnswerBox<Answer: Sendable>: Sendable {
  private let result = Mutex<Result<Answer, any Error>?>(nil)

  func put(_ answer: Result<Answer, any Error>) { result.withLock { $0 = answer } }

  func take() throws -> Answer {
    guard let result = result.withLock({ $0 }) else {
      throw CommandError.internalError("no answer came")
    }
    return try result.get()
  }
}
