import EditDaemon
import EditModel
import EditProtocol
import Testing
import TextState

struct LSPSessionTests {
  // MARK: didOpen

  @Test func `the first text of an unknown document is one load, and the baseline`() {
    var desk = Desk()
    desk.open("one\ntwo\n")
    #expect(desk.recorded() == [#"load {0, 0} "one\ntwo\n""#, "baseline"])
    desk.open("", "file:///empty.md")
    #expect(desk.recorded() == ["baseline"])
    desk.open("text", "file:///empty.md")
    #expect(desk.recorded() == [#"external {0, 0} "text""#])
  }

  @Test func `a known text opens with nothing, another with the difference`() {
    var desk = Desk()
    desk.open("one\ntwo\nthree\n")
    desk.close()
    _ = desk.recorded()
    desk.open("one\ntwo\nthree\n")
    #expect(desk.recorded().isEmpty)
    desk.close()
    desk.open("One\ntwo\nthree!\n")
    #expect(
      desk.recorded() == ["closed", #"external {0, 1} "O""#, #"& external {13, 0} "!""#])
    #expect(desk.oddities.isEmpty)
  }

  @Test func `a document opened twice takes its new text, and version 0 again`() {
    var desk = Desk("Neovim")
    desk.open("one\n", version: 0)
    desk.change(("0:3-0:3", "!"), version: 7)
    _ = desk.recorded()
    desk.open("two\n", version: 0)
    #expect(desk.text() == "two\n")
    #expect(desk.recorded().allSatisfy { $0.contains("external") })
    #expect(desk.oddities == [.openedTwice])
    desk.change(("0:0-0:3", "six"), version: 3)
    #expect(desk.text() == "six\n")
  }

  // MARK: didChange

  @Test func `a message is one transaction, each change an edit in the text before it`() {
    var desk = Desk()
    desk.open("ab\n")
    _ = desk.recorded()
    desk.change(("0:2-0:2", "c"), ("0:3-0:3", "d"), ("0:0-0:1", ""), ("0:0-0:1", "xy"))
    #expect(
      desk.recorded() == [
        #"typing {2, 0} "c""#, #"& typing {3, 0} "d""#, #"& removal {0, 1} """#,
        #"& typing {0, 1} "xy""#,
      ])
    desk.change(("0:0-0:0", "a long\ninsertion\nis no paste\n"))
    #expect(desk.recorded() == [#"typing {0, 0} "a long\ninsertion\nis no paste\n""#])
  }

  @Test func `a version that comes twice with the same changes is dropped`() {
    var desk = Desk()
    desk.open("\n")
    desk.change(("0:0-0:0", "a"), version: 4)
    desk.change(version: 4)
    desk.change(("0:0-0:0", "a"), version: 4)
    desk.change(version: 4)
    #expect(desk.text() == "a\n")
    #expect(desk.oddities == [.duplicateChange(version: 4)])
    // The same version with other changes, the same changes with another: edits.
    desk.change(("0:0-0:0", "b"), version: 4)
    desk.change(("0:0-0:0", "b"), version: 1)
    desk.change(("0:0-0:0", "b"))
    desk.change(("0:0-0:0", "b"))
    #expect(desk.text() == "bbbba\n")
  }

  // MARK: didSave

  @Test func `a save is recorded where the file or the client has our text`() {
    var desk = Desk()
    desk.open("one\n")
    _ = desk.recorded()
    desk.save()
    desk.save("one\n")
    desk.disk[Desk.note] = Array("\u{FEFF}one\r\n".utf8)
    desk.save()
    desk.save("narrowed")
    desk.disk[Desk.note] = Array("one".utf8)
    desk.save(#"one\n"#)
    desk.disk[Desk.note] = [0xE9, 0x0A]
    desk.save("one\n")
    #expect(desk.recorded() == Array(repeating: "saved", count: 6))
    #expect(desk.oddities.isEmpty)
  }

  @Test func `a client's text that is in the file and not ours is a divergence`() {
    var desk = Desk("vim-lsp")
    desk.open("one\ntwo\n")
    _ = desk.recorded()
    // `:edit!` told nothing.
    desk.disk[Desk.note] = Array("one\nsix\n".utf8)
    desk.save("one\nsix\n")
    #expect(desk.recorded() == ["divergence", #"external {4, 3} "six""#, "saved"])
    desk.change(("1:0-2:0", "seven\n"))
    #expect(desk.text() == "one\nseven\n")
  }

  @Test func `a save that neither text explains waits for the next change`() {
    var desk = Desk()
    desk.open("one\n")
    _ = desk.recorded()
    desk.disk[Desk.note] = Array("one two\n".utf8)
    desk.save()
    #expect(desk.recorded().isEmpty)
    #expect(desk.oddities == [.unclearSave])
    desk.change(("0:3-0:3", " two"))
    #expect(desk.recorded() == [#"typing {3, 0} " two""#, "saved"])
    desk.change(("0:7-0:7", "!"))
    desk.save("other\n")
    desk.change(("0:8-0:8", "!"))
    #expect(desk.recorded() == [#"typing {7, 0} "!""#, #"typing {8, 0} "!""#])
  }

  @Test func `changes told after the save that held them are not made twice`() {
    var desk = Desk()
    desk.open("one\n")
    _ = desk.recorded()
    desk.disk[Desk.note] = Array("one two\n".utf8)
    desk.save("one two\n")
    desk.change(("0:3-0:3", " "), ("0:4-0:4", "two"))
    #expect(desk.text() == "one two\n")
    #expect(desk.recorded() == ["divergence", #"external {3, 0} " two""#, "saved"])
    #expect(desk.oddities == [.changesAfterTheirSave])
    desk.change(("0:3-0:3", " "), ("0:4-0:4", "two"))
    #expect(desk.text() == "one two two\n")
  }

  // MARK: didClose and the end

  @Test func `a document closes as unsaved where its text is not the last saved`() {
    var desk = Desk()
    desk.open("one\n")
    desk.change(("0:0-0:0", "x"))
    desk.save()
    desk.close()
    #expect(desk.recorded().last == "closed")
    desk.open("xone\n")
    desk.change(("0:0-0:0", "x"))
    desk.change(("0:0-0:1", ""))
    desk.close()
    #expect(desk.recorded().last == "closed")
    desk.open("xone\n")
    desk.change(("0:0-0:0", "x"))
    desk.close()
    #expect(desk.recorded().last == "closed, unsaved")
    desk.close()
    #expect(desk.oddities == [.notOpen])
    // A server that was restarted is told the unsaved text.
    desk.disk[Desk.note] = Array("xone\n".utf8)
    desk.open("xxone\n")
    desk.close()
    #expect(desk.recorded() == ["closed, unsaved"])
  }

  @Test func `at the end of input all documents are closed, in the order of their names`() {
    var desk = Desk()
    desk.open("b\n", "file:///b")
    desk.open("a\n", "file:///a")
    desk.change(("0:0-0:0", "x"), in: "file:///b")
    _ = desk.recorded()
    desk.end()
    #expect(desk.recorded() == ["closed", "closed, unsaved"])
    #expect(desk.session.documents.isEmpty)
    desk.end()
    #expect(desk.recorded().isEmpty)
  }
}
