import EditLog
import EditModel
import Glibc
import Projections
import Replay
import TextState

// tally STORE DOCUMENT: prints one line per author, with the units inserted and deleted, and the length
// of the text that is left. It reads the files of the store, with or without a daemon.

func end(_ message: String, _ status: Int32) -> Never {
  let line = Array("\(message)\n".utf8)
  _ = write(STDERR_FILENO, line, line.count)
  exit(status)
}

guard CommandLine.arguments.count == 3, let document = DocumentID(CommandLine.arguments[2]) else {
  end("usage: tally STORE DOCUMENT", 64)
}
do {
  let store = try Store.open(at: CommandLine.arguments[1])
  guard let history = try store.history(of: document) else {
    end("there is no document \(document)", 66)
  }
  let runner = try Replay(history).project([Tally()])
  for (author, row) in (runner[Tally.self]?.rows ?? [:]).sorted(by: { $0.key < $1.key }) {
    print("\(author)\t\(row.inserted)\t\(row.deleted)")
  }
  print("text\t\(runner.state.length)")
} catch {
  end("\(error)", 65)
}
