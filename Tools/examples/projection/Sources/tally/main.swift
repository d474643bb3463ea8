import EditLog
import EditModel
import Glibc
import Projections
import Replay

// tally STORE DOCUMENT: prints one line per author, with the units inserted and deleted, and the length
// of the text that is left. It reads the files of the store, with or without a daemon.
guard CommandLine.arguments.count == 3, let document = DocumentID(CommandLine.arguments[2]) else {
  fputs("usage: tally STORE DOCUMENT\n", stderr)
  exit(64)
}
do {
  let store = try Store.open(at: CommandLine.arguments[1])
  guard let history = try store.history(of: document) else {
    fputs("there is no document \(document)\n", stderr)
    exit(66)
  }
  let runner = try Replay(history).project([Tally()])
  for (author, row) in (runner[Tally.self]?.rows ?? [:]).sorted(by: { $0.key < $1.key }) {
    print("\(author)\t\(row.inserted)\t\(row.deleted)")
  }
  print("text\t\(runner.state.length)")
} catch {
  fputs("\(error)\n", stderr)
  exit(65)
}
