import EditJSON
import EditModel
import EditProtocol
import NIOCore

/// The bridge's side towards the editor: reads messages in order, answers requests, and passes on
/// the notifications that matter for the log.
struct LSPFrontend {
  /// The notifications that are passed on.
  static let forwarded: Set<String> = [
    "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave",
    "textDocument/didClose", "workspace/didRenameFiles",
  ]

  private let bridge: LSPBridge
  private let client: ForwardingClient
  private let requests: EditorRequests
  /// The documents that are open after all messages so far.
  private var open = OpenDocuments()
  private var annotations = ChangeAnnotations()
  private var typing = TypingAttributes()
  private var isInitialized = false
  private var isShutDown = false
  private var isExited = false
  private var canWrite = true

  init(_ bridge: LSPBridge, _ client: ForwardingClient, _ requests: EditorRequests) {
    (self.bridge, self.client, self.requests) = (bridge, client, requests)
  }

  /// How the editor ended.
  var end: LSPBridge.End { isExited && !isShutDown ? .exitWithoutShutdown : .ordinary }

  /// Reads to the end of the input, or to the first bytes that are not a frame; these are noted.
  /// Then closes the documents that the editor left open.
  mutating func readAll() async {
    var decoder = FrameDecoder(frameSizeMax: bridge.configuration.frameSizeMax)
    var buffer = ByteBuffer()
    do {
      while var bytes = try await bridge.input.read() {
        buffer.discardReadBytes()
        buffer.writeBuffer(&bytes)
        while let body = try decoder.decode(buffer: &buffer) { await take(body) }
      }
      _ = try decoder.decodeLast(buffer: &buffer, seenEOF: true)
    } catch {
      bridge.note("reading from the editor ended: \(Self.describe(error))")
    }
    bridge.input.stop()
    for document in open.sorted.map(\.document) {
      await forward("textDocument/didClose", TextDocumentParams(uri: document).json)
    }
  }

  /// The error, without the bytes that were read.
  private static func describe(_ error: any Error) -> String {
    switch error {
    case FrameError.malformedHeader: "a frame has no valid header"
    case FrameError.malformedLength: "a frame's length is not a number"
    default: "\(error)"
    }
  }

  private mutating func take(_ body: ByteBuffer) async {
    let json: JSON
    do throws(JSONError) {
      json = try Self.parse(body)
    } catch {
      return bridge.note(
        "the editor sent \(body.readableBytes) bytes that are not JSON; they are skipped")
    }
    do throws(ProtocolError) {
      switch try RPCMessage(json: json) {
      case .request(let id, let method, let params): await answer(id, method, params)
      case .notification(let method, let params): await take(method, params)
      case .response(let id, let result): requests.answer(id, .success(result))
      case .failure(let id?, let error): requests.answer(id, .failure(error))
      case .failure: break
      }
    } catch {
      bridge.note("the editor sent a message that is not JSON-RPC 2.0; it is skipped")
      if let id = RPCMessage.id(in: json) { await write(.failure(id: id, error)) }
    }
  }

  /// The limits leave room for what is put around a message when it is passed on: a message that
  /// the daemon cannot read would hold up all later ones.
  private static func parse(_ body: ByteBuffer) throws(JSONError) -> JSON {
    var limits = JSON.Limits.request
    limits.depthMax -= 1
    // The attributes of typed text have a value for every second byte at most. They are far less deep
    // than a message may be.
    limits.valueCountMax -= 16 + TypingAttributes.sizeMax / 2
    let result = body.withUnsafeReadableBytes { bytes in
      Result { () throws(JSONError) in try JSON.parse(bytes, limits: limits) }
    }
    return try result.get()
  }

  private mutating func answer(_ id: RPCID, _ method: String, _ params: JSON) async {
    switch method {
    case "initialize":
      guard !isInitialized else {
        let error = ProtocolError(.invalidRequest, "initialize comes a second time")
        return await write(.failure(id: id, error))
      }
      isInitialized = true
      await write(.response(id: id, result: initializeResult(params)))
      await client.start(described(params))
    case "shutdown":
      isShutDown = true
      _ = await client.flush(atMost: bridge.configuration.shutdownPatience)
      await write(.response(id: id, result: .null))
    case AnnotateRequest.method:
      do throws(ProtocolError) {
        try annotations.set(try AnnotateRequest(params: params))
        await write(.response(id: id, result: [:]))
      } catch { await write(.failure(id: id, error)) }
    case TypingAttributesRequest.method:
      do throws(ProtocolError) {
        let answer = try setTyping(params)
        await write(.response(id: id, result: TypingAttributesAnswer.codec.encode(answer)))
      } catch { await write(.failure(id: id, error)) }
    default: await write(.failure(id: id, .methodNotFound(method)))
    }
  }

  /// The editor's params, with what the bridge knows of the editor and its user.
  private func described(_ params: JSON) -> JSON {
    guard case .object(var members) = params else { return params }
    let configuration = bridge.configuration
    var (known, options): (JSONObject, JSONObject) = ([:], [:])
    if let editor = configuration.editor {
      known.add(editor)
      // A name without the version that belongs to it, or the other way round, would mislead.
      if members["clientInfo"]?["name"]?.anyString?.isEmpty == false {
        (known["client"], known["version"]) = (nil, nil)
      }
      if case .integer? = members["processId"] { known["process"] = nil }
    }
    known["author"] = configuration.author.map { JSON($0) }
    if case .object(let object)? = members["initializationOptions"] { options = object }
    options["editlog"] = .object(known)
    members["initializationOptions"] = .object(options)
    return .object(members)
  }

  private func initializeResult(_ params: JSON) -> JSON {
    InitializeResult(
      positionEncoding: InitializeParams(json: params).positionEncoding,
      version: EditLogVersion.current, frameSizeMax: bridge.configuration.frameSizeMax
    ).json
  }

  private mutating func take(_ method: String, _ params: JSON) async {
    switch method {
    // Kate sends it as a notification.
    case "shutdown": isShutDown = true
    case "exit":
      isExited = true
      bridge.input.stop()
    case AnnotateRequest.method:
      do throws(ProtocolError) { try annotations.set(try AnnotateRequest(params: params)) } catch {
        bridge.note("\(method) is skipped: \(error.message)")
      }
    case TypingAttributesRequest.method:
      do throws(ProtocolError) { _ = try setTyping(params) } catch {
        bridge.note("\(method) is skipped: \(error.message)")
      }
    case "textDocument/didChange": await forward(method, annotated(params))
    case _ where Self.forwarded.contains(method):
      await forward(method, params)
    default: break
    }
  }

  /// Sets the attributes of what the editor types next in a document.
  private mutating func setTyping(
    _ params: JSON
  ) throws(ProtocolError) -> TypingAttributesAnswer {
    let request = try TypingAttributesRequest(params: params)
    try typing.set(request, annotated: annotations[request.document]?.origin)
    return TypingAttributesAnswer(typing[request.document])
  }

  /// The params of `didChange`, with what the editor has told of the changes. In one message, both are
  /// logged, or sent again, together.
  private func annotated(_ params: JSON) -> JSON {
    guard case .object(var members) = params,
      let uri = params["textDocument"]?["uri"]?.anyString.flatMap({ DocumentID($0) }),
      let told = DidChangeParams.told(annotations[uri], typing: typing[uri])
    else { return params }
    members["editlog"] = told
    return .object(members)
  }

  private mutating func forward(_ method: String, _ params: JSON) async {
    let effect = open.effect(of: method, params)
    if let effect { open.apply(effect) }
    await client.send(effect, unless: { [input = bridge.input] in input.isEnding }) { ticket in
      ByteParts(ForwardRequest(ticket: ticket, method: method, params: params).json)
    }
  }

  private mutating func write(_ message: RPCMessage) async {
    guard canWrite else { return }
    // An editor that does not read any more may still send edits.
    do { try await bridge.output.write(message.frame) } catch { canWrite = false }
  }
}
