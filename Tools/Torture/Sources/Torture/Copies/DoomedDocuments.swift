import EditLog
import EditModel
import Synchronization
import TestSupport

/// Documents beside those of a workload: each gets an attachment, and is forgotten some time later.
final class DoomedDocuments: Sendable {
  /// What must be in a copy of this moment, and what must not.
  struct Expected {
    var attachments: [(document: DocumentID, content: [UInt8])] = []
    var forgotten: [DocumentID] = []
  }

  private let state = Mutex(Expected())
  private let count = Mutex(0)

  var expected: Expected { state.withLock { $0 } }

  /// Creates a document with an attachment, or forgets the oldest one.
  func step(_ writer: StoreWriter, _ choice: UInt64) throws {
    guard choice % 2 == 0, let oldest = expected.attachments.first?.document else {
      return try create(writer)
    }
    // From here on a copy may lack it, and after the call no later copy has anything of it.
    state.withLock { $0.attachments.removeAll { $0.document == oldest } }
    _ = try writer.forget(oldest)
    state.withLock { $0.forgotten.append(oldest) }
  }

  private func create(_ writer: StoreWriter) throws {
    let number = count.withLock { count in
      count += 1
      return count
    }
    let document = name(Self.mark(number))
    let edit = Edit(
      sequence: 1,
      action: EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(Self.mark(number))))
    _ = try writer.append([(document, [.edit(edit)])])
    let content = Array(Self.mark(number).utf8)
    _ = try writer.attach(content, to: document)
    state.withLock { $0.attachments.append((document, content)) }
  }

  /// The document's name, which is also its text and its attachment.
  private static func mark(_ number: Int) -> String { "doomed-\(number)-document" }

  /// Compares a copy with what was expected when its run began.
  static func check(_ copy: Store, _ expected: Expected, now: Expected) throws {
    for (document, content) in expected.attachments
    where now.attachments.contains(where: { $0.document == document }) {
      let kept = try copy.attachments(of: document).first
      guard let kept, try copy.attachment(kept.digest, of: document) == content else {
        throw StateCheck.Failure(what: "a copy lacks an attachment", detail: "\(document)")
      }
    }
    for document in expected.forgotten where try copy.history(of: document) != nil {
      throw StateCheck.Failure(what: "a copy has a forgotten document", detail: "\(document)")
    }
  }

  /// Looks for the bytes of forgotten documents in the files of a copy.
  static func search(_ files: [String: [UInt8]], for forgotten: [DocumentID]) throws {
    for document in forgotten {
      let needle = Array(document.name.utf8)
      for (path, bytes) in files where bytes.contains(needle) {
        throw StateCheck.Failure(
          what: "a copy has bytes of a forgotten document", detail: "\(document) in \(path)")
      }
    }
  }
}
