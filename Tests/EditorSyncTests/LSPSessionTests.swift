import EditorSync
import EditModel
import EditProtocol
import Testing
import TextState

struct LSPSessionTests {
  // MARK: didOpen

  @Test func `the first text of an unknown document is one load, and the baseline`() {
    var harness = LSPHarness()
    harness.open("one\ntwo\n")
    #expect(harness.recorded() == [#"load {0, 0} "one\ntwo\n""#, "baseline"])
    harness.open("", "file:///empty.md")
    #expect(harness.recorded() == ["baseline"])
    harness.open("text", "file:///empty.md")
    #expect(harness.recorded() == [#"external {0, 0} "text""#])
  }

  @Test func `a known text opens with nothing, another with the difference`() {
    var harness = LSPHarness()
    harness.open("one\ntwo\nthree\n")
    harness.close()
    _ = harness.recorded()
    harness.open("one\ntwo\nthree\n")
    #expect(harness.recorded().isEmpty)
    harness.close()
    harness.open("One\ntwo\nthree!\n")
    #expect(
      harness.recorded() == ["closed", #"external {0, 1} "O""#, #"& external {13, 0} "!""#])
    #expect(harness.anomalies.isEmpty)
  }

  @Test func `a document opened twice takes its new text, and version 0 again`() {
    var harness = LSPHarness("Neovim")
    harness.open("one\n", version: 0)
    harness.change(("0:3-0:3", "!"), version: 7)
    _ = harness.recorded()
    harness.open("two\n", version: 0)
    #expect(harness.text() == "two\n")
    #expect(harness.recorded().allSatisfy { $0.contains("external") })
    #expect(harness.anomalies == [.openedTwice])
    harness.change(("0:0-0:3", "six"), version: 3)
    #expect(harness.text() == "six\n")
  }

  @Test func `a document opened twice with the same text is no anomaly: eglot does so`() {
    var harness = LSPHarness()
    harness.open("one\n", version: 0)
    _ = harness.recorded()
    harness.open("one\n", version: 0)
    #expect(harness.recorded().isEmpty)
    #expect(harness.anomalies.isEmpty)
  }

  // MARK: didChange

  @Test func `a message is one transaction, each change an edit in the text before it`() {
    var harness = LSPHarness()
    harness.open("ab\n")
    _ = harness.recorded()
    harness.change(("0:2-0:2", "c"), ("0:3-0:3", "d"), ("0:0-0:1", ""), ("0:0-0:1", "xy"))
    #expect(
      harness.recorded() == [
        #"typing {2, 0} "c""#, #"& typing {3, 0} "d""#, #"& removal {0, 1} """#,
        #"& typing {0, 1} "xy""#,
      ])
    harness.change(("0:0-0:0", "a long\ninsertion\nis no paste\n"))
    #expect(harness.recorded() == [#"typing {0, 0} "a long\ninsertion\nis no paste\n""#])
  }

  @Test func `a version that comes twice with the same changes is dropped`() {
    var harness = LSPHarness()
    harness.open("\n")
    harness.change(("0:0-0:0", "a"), version: 4)
    harness.change(version: 4)
    harness.change(("0:0-0:0", "a"), version: 4)
    harness.change(version: 4)
    #expect(harness.text() == "a\n")
    #expect(harness.anomalies == [.duplicateChange(version: 4)])
    // The same version with other changes, the same changes with another: edits.
    harness.change(("0:0-0:0", "b"), version: 4)
    harness.change(("0:0-0:0", "b"), version: 1)
    harness.change(("0:0-0:0", "b"))
    harness.change(("0:0-0:0", "b"))
    #expect(harness.text() == "bbbba\n")
  }

  // MARK: didSave

  @Test func `a save is recorded where the file or the client has our text`() {
    var harness = LSPHarness()
    harness.open("one\n")
    _ = harness.recorded()
    harness.save()
    harness.save("one\n")
    harness.disk[LSPHarness.note] = Array("\u{FEFF}one\r\n".utf8)
    harness.save()
    harness.save("narrowed")
    harness.disk[LSPHarness.note] = Array("one".utf8)
    harness.save(#"one\n"#)
    harness.disk[LSPHarness.note] = [0xE9, 0x0A]
    harness.save("one\n")
    #expect(harness.recorded() == Array(repeating: "saved", count: 6))
    #expect(harness.anomalies.isEmpty)
  }

  @Test func `a client's text that is in the file and not ours is a divergence`() {
    var harness = LSPHarness("vim-lsp")
    harness.open("one\ntwo\n")
    _ = harness.recorded()
    // `:edit!` sends nothing.
    harness.disk[LSPHarness.note] = Array("one\nsix\n".utf8)
    harness.save("one\nsix\n")
    #expect(harness.recorded() == ["divergence", #"external {4, 3} "six""#, "saved"])
    harness.change(("1:0-2:0", "seven\n"))
    #expect(harness.text() == "one\nseven\n")
  }

  @Test func `a save that neither text explains waits for the next change`() {
    var harness = LSPHarness()
    harness.open("one\n")
    _ = harness.recorded()
    harness.disk[LSPHarness.note] = Array("one two\n".utf8)
    harness.save()
    #expect(harness.recorded().isEmpty)
    #expect(harness.anomalies == [.unclearSave])
    harness.change(("0:3-0:3", " two"))
    #expect(harness.recorded() == [#"typing {3, 0} " two""#, "saved"])
    harness.change(("0:7-0:7", "!"))
    harness.save("other\n")
    harness.change(("0:8-0:8", "!"))
    #expect(harness.recorded() == [#"typing {7, 0} "!""#, #"typing {8, 0} "!""#])
  }

  @Test func `changes told after the save that held them are not made twice`() {
    var harness = LSPHarness()
    harness.open("one\n")
    _ = harness.recorded()
    harness.disk[LSPHarness.note] = Array("one two\n".utf8)
    harness.save("one two\n")
    harness.change(("0:3-0:3", " "), ("0:4-0:4", "two"))
    #expect(harness.text() == "one two\n")
    #expect(harness.recorded() == ["divergence", #"external {3, 0} " two""#, "saved"])
    #expect(harness.anomalies == [.changesAfterTheirSave])
    harness.change(("0:3-0:3", " "), ("0:4-0:4", "two"))
    #expect(harness.text() == "one two two\n")
  }

  @Test func `changes told after several saves are not made twice, and later ones are made`() {
    var harness = LSPHarness()
    harness.open("one\n")
    for saved in ["one two\n", "one two three\n", "one two three\n"] {
      harness.disk[LSPHarness.note] = Array(saved.utf8)
      harness.save(UTF16Text(saved))
    }
    _ = harness.recorded()
    harness.change(("0:3-0:3", " two"), ("0:7-0:7", " three"), ("0:13-0:13", " four"))
    #expect(harness.text() == "one two three four\n")
    #expect(harness.recorded() == [#"typing {13, 0} " four""#])
    #expect(harness.anomalies == [.changesAfterTheirSave])
  }

  @Test func `changes told after their save are found among others of the same length`() {
    var harness = LSPHarness()
    harness.open("aaaaaaaaaaaaaaaaaaaa\n")
    harness.disk[LSPHarness.note] = Array("bbbbbbbbbbbbbbbbbbbb\n".utf8)
    harness.save("bbbbbbbbbbbbbbbbbbbb\n")
    _ = harness.recorded()
    harness.change(all: (0..<20).map { ("0:\($0)-0:\($0 + 1)", "b") })
    #expect(harness.text() == "bbbbbbbbbbbbbbbbbbbb\n")
    #expect(harness.recorded().isEmpty)
  }

  // MARK: didClose and the end

  @Test func `a document closes as unsaved where its text is not the last saved`() {
    var harness = LSPHarness()
    harness.open("one\n")
    harness.change(("0:0-0:0", "x"))
    harness.save()
    harness.close()
    #expect(harness.recorded().last == "closed")
    harness.open("xone\n")
    harness.change(("0:0-0:0", "x"))
    harness.change(("0:0-0:1", ""))
    harness.close()
    #expect(harness.recorded().last == "closed")
    harness.open("xone\n")
    harness.change(("0:0-0:0", "x"))
    harness.close()
    #expect(harness.recorded().last == "closed, unsaved")
    harness.close()
    #expect(harness.anomalies == [.notOpen])
    // The editor sends the unsaved text to a restarted server.
    harness.disk[LSPHarness.note] = Array("xone\n".utf8)
    harness.open("xxone\n")
    harness.close()
    #expect(harness.recorded() == ["closed, unsaved"])
  }

  @Test func `at the end of input all documents are closed, in the order of their names`() {
    var harness = LSPHarness()
    harness.open("b\n", "file:///b")
    harness.open("a\n", "file:///a")
    harness.change(("0:0-0:0", "x"), in: "file:///b")
    _ = harness.recorded()
    harness.end()
    #expect(harness.recorded() == ["closed", "closed, unsaved"])
    #expect(harness.session.documents.isEmpty)
    harness.end()
    #expect(harness.recorded().isEmpty)
  }
}
