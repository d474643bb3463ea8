package import EditJSON
package import EditModel

/// What an editor tells of changes, beside the changes.
package struct ChangeAnnotation: Hashable, Sendable {
  package var origin: Origin?
  package var author: String?

  package init(origin: Origin? = nil, author: String? = nil) {
    (self.origin, self.author) = (origin, author)
  }

  /// Reads the member `editlog` of the params of `didChange`. A member of another shape counts as
  /// missing: the changes must not be lost for it.
  init?(json: JSON?) {
    guard case .object(let object)? = json else { return nil }
    origin = (try? object.originIfPresent("origin")) ?? nil
    author = (try? object.authorIfPresent("author")) ?? nil
    if self == ChangeAnnotation() { return nil }
  }

  package var json: JSON {
    var object: JSONObject = [:]
    object.add("origin", origin.map { JSON($0.wireName) })
    object.add("author", author.map { JSON($0) })
    return .object(object)
  }
}

/// The annotations that a client has sent, by document.
package struct ChangeAnnotations: Sendable {
  /// The maximum number of documents with an annotation.
  private static let countMax = 1_024
  private var annotations: [DocumentID: ChangeAnnotation] = [:]

  package init() {}

  /// - Throws: `tooLarge` if too many documents have an annotation.
  package mutating func set(_ request: AnnotateRequest) throws(ProtocolError) {
    let annotation = request.annotation
    guard
      annotation == nil || annotations.count < Self.countMax
        || annotations[request.document] != nil
    else {
      throw ProtocolError(
        .tooLarge,
        """
        \(Self.countMax) documents have an annotation; end one with `editlog/annotate` without origin, \
        author and agent
        """)
    }
    annotations[request.document] = annotation
  }

  /// The annotation of the next changes of a document.
  package subscript(document: DocumentID) -> ChangeAnnotation? {
    annotations.isEmpty ? nil : annotations[document]
  }
}
