public import EditJSON
public import EditModel

// The params of the notifications about edits. Unknown members are ignored, and also `rangeLength`,
// because clients count it in different units.

/// `textDocument/didOpen`.
public struct DidOpenParams: Hashable, Sendable {
  /// The document.
  public var uri: DocumentID
  /// The language's name, if given.
  public var languageID: String?
  /// The client's version, if given. It is a hint for detecting duplicates, and not reliable.
  public var version: Int64?
  /// The whole text.
  public var text: UTF16Text

  /// Params.
  public init(uri: DocumentID, languageID: String? = nil, version: Int64? = nil, text: UTF16Text) {
    (self.uri, self.languageID, self.version, self.text) = (uri, languageID, version, text)
  }

  /// Reads the params.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject().object("textDocument")
    do {
      uri = try object.document("uri")
      languageID = object["languageId"]?.anyString
      version = object.versionHint
      text = try object.text("text")
    } catch { throw error.within("textDocument") }
  }

  /// The params.
  public var json: JSON {
    var object: JSONObject = ["uri": JSON(uri.name)]
    object["languageId"] = languageID.map { JSON($0) }
    object["version"] = version.map { .integer($0) }
    object["text"] = JSON(text)
    return ["textDocument": .object(object)]
  }
}

/// `textDocument/didChange`.
public struct DidChangeParams: Hashable, Sendable {
  /// One change, in the text after the change before it.
  public struct Change: Hashable, Sendable {
    /// The replaced range; nil if `text` is the whole new text.
    public var range: LSPRange?
    /// The new text of the range.
    public var text: UTF16Text

    /// A change.
    public init(range: LSPRange?, text: UTF16Text) { (self.range, self.text) = (range, text) }

    /// Reads a change.
    public init(json: JSON) throws(ShapeError) {
      let object = try json.asObject()
      range = try object.readIfPresent("range") { (json) throws(ShapeError) in
        try LSPRange(json: json)
      }
      text = try object.text("text")
    }

    /// The change.
    public var json: JSON {
      var object: JSONObject = [:]
      object["range"] = range?.json
      object["text"] = JSON(text)
      return .object(object)
    }
  }

  /// The document.
  public var uri: DocumentID
  /// The client's version, if given. It is a hint for detecting duplicates, and not reliable.
  public var version: Int64?
  /// The changes, in order; may be empty.
  public var changes: [Change]
  /// What the editor told of the changes with `editlog/annotate`; the bridge adds it.
  package var annotation: ChangeAnnotation?
  /// What becomes of the attributes of typed text, by `editlog/typingAttributes`; the bridge or the
  /// daemon adds it.
  package var typing: AttributeIntent?

  /// Params.
  public init(uri: DocumentID, version: Int64? = nil, changes: [Change]) {
    (self.uri, self.version, self.changes) = (uri, version, changes)
  }

  /// Reads the params.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    (uri, version) = try object.textDocument()
    annotation = ChangeAnnotation(json: object["editlog"])
    // In another shape it counts as missing: the changes must not be lost for it.
    typing = object["editlog"]?["typing"].flatMap { try? AttributeIntent(json: $0) }
    changes = try object.array("contentChanges") { (json) throws(ShapeError) in
      try Change(json: json)
    }
  }

  /// The member `editlog` of the params; nil if it would be empty.
  ///
  /// - Parameters:
  ///   - annotation: The origin and the author that the editor gave for the changes.
  ///   - typing: What becomes of the attributes of typed text.
  package static func told(_ annotation: ChangeAnnotation?, typing: AttributeIntent?) -> JSON? {
    var object = JSONObject()
    if case .object(let members)? = annotation?.json { object = members }
    object["typing"] = typing?.json
    return object.members.isEmpty ? nil : .object(object)
  }

  /// The params.
  public var json: JSON {
    var identifier: JSONObject = ["uri": JSON(uri.name)]
    identifier["version"] = version.map { .integer($0) }
    return [
      "textDocument": .object(identifier), "contentChanges": .array(changes.map(\.json)),
    ]
  }
}

/// `textDocument/didSave`.
public struct DidSaveParams: Hashable, Sendable {
  /// The document.
  public var uri: DocumentID
  /// The saved text, if the client sends it. It may differ from the file.
  public var text: UTF16Text?

  /// Params.
  public init(uri: DocumentID, text: UTF16Text? = nil) { (self.uri, self.text) = (uri, text) }

  /// Reads the params.
  public init(json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    uri = try object.textDocument().uri
    text = try object.textIfPresent("text")
  }

  /// The params.
  public var json: JSON {
    var object: JSONObject = ["textDocument": ["uri": JSON(uri.name)]]
    object["text"] = text.map { JSON($0) }
    return .object(object)
  }
}

/// `textDocument/willSave` and `textDocument/didClose`: only the document.
public struct TextDocumentParams: Hashable, Sendable {
  /// The document.
  public var uri: DocumentID

  /// Params.
  public init(uri: DocumentID) { self.uri = uri }

  /// Reads the params.
  public init(json: JSON) throws(ShapeError) { uri = try json.asObject().textDocument().uri }

  /// The params.
  public var json: JSON { ["textDocument": ["uri": JSON(uri.name)]] }
}

/// `workspace/didRenameFiles`.
public struct DidRenameFilesParams: Hashable, Sendable {
  /// One file's old and new name.
  public struct Rename: Hashable, Sendable {
    /// The name it had.
    public var oldURI: DocumentID
    /// The name it has now.
    public var newURI: DocumentID

    /// A rename.
    public init(oldURI: DocumentID, newURI: DocumentID) {
      (self.oldURI, self.newURI) = (oldURI, newURI)
    }

    /// Reads a rename.
    public init(json: JSON) throws(ShapeError) {
      let object = try json.asObject()
      (oldURI, newURI) = (try object.document("oldUri"), try object.document("newUri"))
    }

    /// The rename.
    public var json: JSON { ["oldUri": JSON(oldURI.name), "newUri": JSON(newURI.name)] }
  }

  /// The files.
  public var files: [Rename]

  /// Params.
  public init(files: [Rename]) { self.files = files }

  /// Reads the params.
  public init(json: JSON) throws(ShapeError) {
    files = try json.asObject().array("files") { (json) throws(ShapeError) in
      try Rename(json: json)
    }
  }

  /// The params.
  public var json: JSON { ["files": .array(files.map(\.json))] }
}

extension JSONObject {
  /// The version if it is an integer, else nil: a wrong version must not prevent an edit.
  fileprivate var versionHint: Int64? {
    guard case .integer(let version)? = self["version"] else { return nil }
    return version
  }

  fileprivate func textDocument() throws(ShapeError) -> (uri: DocumentID, version: Int64?) {
    let object = try object("textDocument")
    do { return (try object.document("uri"), object.versionHint) } catch {
      throw error.within("textDocument")
    }
  }
}
