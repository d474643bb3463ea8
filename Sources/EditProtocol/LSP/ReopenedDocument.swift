package import EditJSON
package import EditModel

/// A document that an editor had open before its bridge connected again, or before the first message
/// of a spool.
package struct ReopenedDocument: Hashable, Sendable {
  /// The document's name.
  package var document: DocumentID
  /// The version that has the editor's text, according to the daemon's last answer about it. Nil if no
  /// answer named it.
  package var sequence: SequenceNumber?

  package init(_ document: DocumentID, at sequence: SequenceNumber? = nil) {
    (self.document, self.sequence) = (document, sequence)
  }
}

extension [ReopenedDocument] {
  /// Reads the members `open` (names) and `versions` (sequence numbers by name) of an object. Names and
  /// numbers of a wrong shape count as missing.
  package init(members: JSON) {
    self = []
    guard case .array(let names)? = members["open"] else { return }
    var versions: [DocumentID: SequenceNumber] = [:]
    if case .object(let object)? = members["versions"] {
      for member in object.members {
        guard case .integer(let number) = member.value, let document = DocumentID(member.name)
        else { continue }
        versions[document] = SequenceNumber(exactly: number)
      }
    }
    for name in names {
      guard case .string(let string) = name,
        let document = string.string.flatMap({ DocumentID($0) })
      else { continue }
      append(ReopenedDocument(document, at: versions[document]))
    }
  }

  /// Adds the members that `init(members:)` reads.
  package func add(to object: inout JSONObject) {
    object.add("open", .array(map { JSON($0.document.name) }))
    var versions: JSONObject = [:]
    for open in self { versions.add(open.document.name, open.sequence.map { JSON($0) }) }
    if contains(where: { $0.sequence != nil }) { object.add("versions", .object(versions)) }
  }
}
