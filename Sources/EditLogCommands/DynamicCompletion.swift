package import ArgumentParser
import Dispatch
import EditModel
import EditProtocol
import Synchronization

extension CompletionKind {
  /// The names of documents.
  package static var documents: CompletionKind {
    .custom { words, index, _ in
      let line = CompletionLine(words, at: index)
      return line.offer(DynamicCompletion.wait { await DynamicCompletion.documents(line) } ?? [])
    }
  }

  /// Points of the document that the command line names.
  package static var points: CompletionKind {
    .custom { words, index, _ in
      let line = CompletionLine(words, at: index)
      let marks = DynamicCompletion.wait { await DynamicCompletion.marks(line) } ?? []
      return line.offer(marks + DynamicCompletion.pointSamples)
    }
  }
}

/// Candidates that are asked from the daemon, or read from the files of the store.
enum DynamicCompletion {
  /// The time after which a shell gets no candidates.
  private static let patienceSeconds = 1.0
  /// The number of words that may be the document of a command line.
  private static let triedMax = 4

  /// The documents: as files relative to the working directory, if they are below it and the word
  /// does not begin with `/`, else as `documents` prints them.
  static func documents(_ line: CompletionLine) async -> [String] {
    let folder = DocumentArgument.workingDirectory
    let listed =
      await ask(line.location) {
        try await $0.ask(DocumentsRequest()).documents.map(\.document)
      } ?? []
    return listed.compactMap { document in
      guard !document.name.utf8.contains(0) else { return nil }
      guard !line.word.hasPrefix("/"), let path = FileURI.normalizedPath(document.name),
        path.startsExactly(with: folder + "/")
      else { return word(document.argument) }
      let relative = String(decoding: path.utf8.dropFirst(folder.utf8.count + 1), as: UTF8.self)
      return word(DocumentArgument.realPath(path) == nil ? "./" + relative : relative)
    }
  }

  /// An argument as it is typed: as it is, or in the printed form if it has characters that a
  /// terminal does not show, or would be taken for that form.
  private static func word(_ argument: String) -> String {
    let isPlain = !argument.hasPrefix("\"") && argument.unicodeScalars.allSatisfy(\.showsItself)
    return isPlain ? argument : argument.shown
  }

  /// Words and samples of the forms of points.
  static let pointSamples = [
    "latest", "now", "yesterday", "monday", "10m ago", "1h ago", "2 days ago", "save:-1",
    "session:-1", "undo:-1",
  ]

  /// The marks of the document, as points.
  static func marks(_ line: CompletionLine) async -> [String] {
    let names = Array(line.otherWords.prefix(triedMax))
    let marks: [String]? = await ask(line.location) { backend in
      for name in names {
        for document in (try? DocumentArgument(name).candidates) ?? [] {
          let answer = try? await backend.ask(MarksRequest(HistoryReference(document)))
          guard let answer else { continue }
          var seen: Set<ExactString> = []
          return answer.marks.reversed().map(\.label).filter { seen.insert($0) }
        }
      }
      return []
    }
    // A label with other characters cannot be typed as it is printed.
    return (marks ?? []).filter { $0 == $0.shown }.map { "mark:" + $0 }
  }

  /// The result of `body`; nil if it throws, or there is no store.
  private static func ask<Value: Sendable>(
    _ location: Location, _ body: @Sendable (any Backend) async throws -> Value
  ) async -> Value? {
    guard let backend = try? await location.open() else { return nil }
    let value = try? await body(backend)
    await backend.close()
    return value
  }

  /// The result of `body`; nil if it takes longer than `patienceSeconds`. This thread waits: the parser
  /// calls the completion of a shell without `await`.
  fileprivate static func wait<Value: Sendable>(
    _ body: @escaping @Sendable () async -> Value
  ) -> Value? {
    let result = Waited<Value>()
    Task.detached {
      let value = await body()
      result.value.withLock { $0 = value }
      result.semaphore.signal()
    }
    guard result.semaphore.wait(timeout: .now() + patienceSeconds) == .success else { return nil }
    return result.value.withLock { $0 }
  }

  private final class Waited<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
    let semaphore = DispatchSemaphore(value: 0)
  }
}
