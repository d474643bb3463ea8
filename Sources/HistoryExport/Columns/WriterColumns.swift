import EditJSON
import EditModel

/// Who made each edit: a list of writers, and runs of edits by one of them.
struct WriterColumns: Sendable {
  /// An author with an origin and a client.
  private struct Writer: Hashable {
    var author: ExactString?
    var origin: Origin
    var client: ExactString?
  }

  /// The maximum number of writers. The player has 16 bits for each edit; further ones have no name.
  private static let countMax = 60_000

  private var column = ColumnWriter()
  private var writers: [Writer] = []
  private var indices: [Writer: Int] = [:]
  private var clients: [SessionID: ExactString] = [:]
  private var last: (writer: EditWriter, origin: Origin, index: Int)?
  private var runCount = 0

  /// Notes what a client says about itself.
  mutating func note(_ session: SessionID?, _ description: SessionDescription) {
    guard let session, clients[session] != nil || clients.count < Self.countMax else { return }
    clients[session] = ExactString(description.client)
    flush()
  }

  /// Adds the writer of the next edit.
  mutating func append(_ edit: Edit) {
    if let last, last.origin == edit.origin, last.writer.wrote(edit) {
      runCount += 1
      return
    }
    let writer = Writer(
      author: edit.author.map(ExactString.init), origin: edit.origin,
      client: edit.session.flatMap { clients[$0] })
    let index = index(of: writer)
    flush()
    (last, runCount) = ((EditWriter(of: edit), edit.origin, index), 1)
  }

  private mutating func index(of writer: Writer) -> Int {
    if let index = indices[writer] { return index }
    guard writers.count < Self.countMax else {
      return writer.author == nil && writer.client == nil
        ? 0 : index(of: Writer(author: nil, origin: writer.origin, client: nil))
    }
    indices[writer] = writers.count
    writers.append(writer)
    return writers.count - 1
  }

  private mutating func flush() {
    if let last, runCount > 0 {
      column.append(runCount)
      column.append(last.index)
    }
    (last, runCount) = (nil, 0)
  }

  /// The column: counts of runs, each with the index of its writer.
  mutating func finish() -> [UInt8] {
    flush()
    return column.bytes
  }

  /// The writers, in the order of their indices.
  var json: JSON {
    .array(
      writers.map { writer in
        var object: JSONObject = ["origin": JSON(writer.origin.name)]
        object["author"] = writer.author.map { JSON($0.string) }
        object["client"] = writer.client.map { JSON($0.string) }
        return .object(object)
      })
  }
}
