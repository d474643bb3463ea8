public import EditModel

/// The document with a name that a test gives.
public func document(_ name: String) -> DocumentID {
  guard let document = DocumentID(name) else { preconditionFailure("a name for tests") }
  return document
}
