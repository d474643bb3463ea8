import EditorSync
import EditJSON
import EditModel
import EditProtocol
import Foundation
import Testing
import TextState

/// What a real Neovim 0.7.2 sent, message by message, when it was driven by keys. Each name ends
/// with the milliseconds it gathers changes: 0, or 150, its own.
struct LSPRecordingTests {
  private static let names = [
    "plain-0", "plain-150", "noeol-0", "noeol-150", "dos-0", "dos-150", "empty-0", "empty-150",
    "random-noeol-150", "random-dosnoeol-0",
  ]

  @Test(arguments: names)
  func `the text at each save is the text that Neovim saved`(name: String) throws {
    var harness = LSPHarness()
    var saves = 0
    for message in try messages(of: name) {
      guard let method = message["method"], let params = message["params"] else { continue }
      switch method {
      case "initialize": harness = LSPHarness(LSPClient(InitializeParams(json: params)))
      case "textDocument/didOpen": harness.open(try DidOpenParams(json: params))
      case "textDocument/didChange": harness.change(try DidChangeParams(json: params))
      case "textDocument/didSave":
        let save = try DidSaveParams(json: params)
        #expect(save.text.map { String($0) } == harness.text(save.uri.name))
        harness.save(save)
        #expect(harness.log.last == "saved")
        saves += 1
      default: continue
      }
    }
    #expect(harness.session.client.name == "Neovim")
    #expect(saves > 0)
    #expect(harness.anomalies.allSatisfy { $0 == .endOfFileForm || $0 == .keptLastNewline })
  }

  private func messages(of name: String) throws -> [JSON] {
    let file = Bundle.module.url(
      forResource: "neovim-\(name)", withExtension: "jsonl", subdirectory: "Fixtures")
    let text = try String(contentsOf: try #require(file), encoding: .utf8)
    return try text.split(separator: "\n").map { try JSON.parse(String($0)) }
  }
}
