import EditJSON
import EditModel
import EditProtocol
import NIOCore
import Styling

/// A line of the input of `append`.
enum AppendLine {
  /// Edits that are logged together.
  case edits([AppendEdit])
  /// An entry of a history, as `log --json` prints it.
  case entry(HistoryEntry)
  /// The first line of a file that `repro` wrote. Entries follow.
  case head

  /// Reads a line. Entries have the member `v`, edits do not.
  ///
  /// - Throws: `CommandError` (65) that names the error and the line.
  init(_ bytes: ByteBuffer, line: Int) throws(CommandError) {
    do {
      let json = try JSON.parse(frame: bytes, limits: JSON.Limits())
      if case .array = json {
        self = .edits(try Self.transaction(json))
      } else if try json.asObject()["repro"] != nil {
        self = .head
      } else if try json.asObject()["v"] != nil {
        do { self = .entry(try HistoryEntry(json: json)) } catch {
          throw CommandError.data("not a line of `log --json`, which \"v\" makes it: \(error)")
        }
      } else {
        self = .edits([try Self.edit(json)])
      }
    } catch {
      throw .data("line \(line): \((error as? CommandError)?.message ?? "\(error)")")
    }
  }

  private static func transaction(_ json: JSON) throws -> [AppendEdit] {
    guard case .array(let elements) = json else { return [] }
    let edits = try elements.map { json in
      var edit = try edit(json)
      edit.transaction = edit.transaction ?? 0
      return edit
    }
    guard !edits.isEmpty else { throw CommandError.data("the array is empty") }
    return edits
  }

  private static let members = [
    "actions", "location", "length", "changeInLength", "text", "attributes", "time", "origin",
    "author", "transaction", "composition", "selection",
  ]

  /// A misspelt member is refused, since it would be ignored, and a value that its attribute cannot have.
  private static func edit(_ json: JSON) throws -> AppendEdit {
    let object = try json.asObject()
    for member in object.members where !members.contains(member.name) {
      throw CommandError.data(
        """
        an edit has no member \(Excerpt.line(member.name.shown, width: 60)); its members are \
        \(members.joined(separator: ", ")), and lines of `log --json` have "v" too
        """)
    }
    let edit = try AppendEdit(json: json)
    switch edit.action.attributes {
    case .set(let runs), .merge(let runs):
      for run in runs {
        if let problem = Theme.problem(of: run.attributes) {
          throw CommandError.data("attributes: \(problem)")
        }
      }
    case .inherit, .remove: break
    }
    return edit
  }
}

extension AppendEdit {
  /// The edit of another history, to be made again: its number, session and counter belong to that
  /// history. Its time is the client's, if the other history could not keep that.
  init(_ edit: Edit) {
    self.init(
      action: edit.action, time: edit.clientTime ?? edit.time, origin: edit.origin,
      author: edit.author,
      transaction: Int64(clamping: edit.transaction), selection: edit.selection)
  }
}
