import EditDaemon
import EditModel
import EditProtocol
import Testing
import TextState

/// What six editors were seen to send, message by message, where it is not what LSP would have.
struct LSPQuirkTests {
  @Test func `eglot sends a burst of keys in one message, then its version again, empty`() {
    var desk = Desk()
    desk.open("\n", version: 0)
    desk.change(("0:0-0:0", "a"), ("0:1-0:1", "🙂"), ("0:3-0:3", "b"), version: 3)
    desk.change(version: 3)
    #expect(desk.text() == "a🙂b\n")
    // A timer in the middle of a send sent it all twice.
    let burst = (0..<4_000).map { DidChangeParams.Change(range: nil, text: UTF16Text("\($0)")) }
    let params = DidChangeParams(uri: document(Desk.note), version: 4_003, changes: burst)
    desk.change(params)
    desk.change(params)
    #expect(desk.text() == "3999")
    #expect(desk.oddities == [.duplicateChange(version: 4_003)])
  }

  @Test func `eglot saves a narrowed buffer with the visible part only`() {
    var desk = Desk()
    desk.open("one\ntwo\nthree\n")
    desk.change(("1:0-1:3", "TWO"))
    desk.disk[Desk.note] = Array("one\nTWO\nthree\n".utf8)
    _ = desk.recorded()
    desk.save("TWO\n")
    #expect(desk.recorded() == ["saved"])
    #expect(desk.text() == "one\nTWO\nthree\n")
  }

  @Test func `eglot reloads by closing and opening, and quits without a word`() {
    var desk = Desk()
    desk.open("one\n", version: 5)
    desk.close()
    desk.open("two\n", version: 0)
    desk.change(("0:0-0:0", "x"), version: 1)
    _ = desk.recorded()
    desk.end()
    #expect(desk.recorded() == ["closed, unsaved"])
  }

  @Test func `emacs sends LF where the file has CR LF, and no byte order mark`() {
    var desk = Desk("emacs")
    desk.disk[Desk.note] = Array("\u{FEFF}one\r\ntwo\r\n".utf8)
    desk.open("one\ntwo\n")
    desk.close()
    #expect(desk.recorded().last == "closed")
  }

  @Test func `lsp-mode counts code points, one key a message, and whole texts at times`() {
    var desk = Desk("emacs")
    desk.open("🙂🙂\n")
    desk.change(("0:2-0:2", "a"), version: 1)
    desk.change(("0:3-0:3", "b"), version: 2)
    desk.change(("0:1-0:2", ""), version: 3)
    // upcase-region
    desk.change(("all", "🙂AB\n"), version: 4)
    #expect(desk.text() == "🙂AB\n")
    #expect(desk.oddities.isEmpty)
  }

  @Test func `ALE sends whole texts with a last newline, and doubles its backslashes at a save`() {
    var desk = Desk()
    desk.disk[Desk.note] = Array("one".utf8)
    desk.open("one\n", version: 17)
    desk.change(("all", "one two\n"), version: 18)
    desk.change(("all", "two\n"), version: 19)
    desk.disk[Desk.note] = Array("two".utf8)
    desk.save(#"two\n"#)
    #expect(
      desk.recorded() == [
        #"load {0, 0} "one\n""#, "baseline", #"typing {3, 0} " two""#, #"removal {0, 4} """#,
        "saved",
      ])
    desk.end()
    #expect(desk.recorded() == ["closed"])
  }

  @Test func `vim-lsp sends whole lines: the edit is what differs in them`() {
    var desk = Desk("vim-lsp")
    desk.open("one\ntwo 🙂\nthree\n")
    _ = desk.recorded()
    desk.change(("1:0-2:0", "two 🙂!\n"), version: 1)
    desk.change(("1:0-2:0", "two 🙃!\n"), version: 2)
    desk.change(("0:0-1:0", ""), version: 3)
    desk.change(("2:0-2:0", "four\n"), version: 4)
    desk.change(("0:0-3:0", ""), version: 5)
    #expect(
      desk.recorded() == [
        #"typing {10, 0} "!""#, #"typing {8, 2} "🙃""#, #"removal {0, 4} """#,
        #"typing {14, 0} "four\n""#, #"removal {0, 18} """#,
      ])
    #expect(desk.text() == "\n")
  }

  @Test func `Kate saves before it tells the edits it saved`() {
    var desk = Desk()
    desk.disk[Desk.note] = Array("one\n".utf8)
    desk.open("one\n")
    desk.disk[Desk.note] = Array("one!\n".utf8)
    desk.save()
    desk.change(("0:3-0:3", "!"), version: 9)
    desk.close()
    #expect(desk.recorded().suffix(3) == [#"typing {3, 0} "!""#, "saved", "closed"])
  }

  @Test func `Kate deletes the last line with a newline it does not have`() {
    var desk = Desk()
    desk.open("one\ntwo")
    desk.change(("1:0-2:0", ""))
    #expect(desk.text() == "one")
    desk.change(("0:0-1:0", ""))
    #expect(desk.text() == "")
  }

  @Test func `Neovim opens an empty file as a newline and never loses it`() {
    var desk = Desk("Neovim")
    desk.open("\n")
    desk.change(("0:0-0:0", "a"), version: 4)
    desk.change(("0:0-1:0", ""), version: 5)
    desk.change(("0:0-0:0", "b"), version: 6)
    desk.change(("0:1-1:0", "\nc\n"), version: 60)
    #expect(desk.text() == "b\nc\n")
  }

  @Test func `Neovim, without a last newline, may hold an empty last line and lose it`() {
    var desk = Desk("Neovim")
    desk.open("a")
    desk.change(("0:0-0:1", ""), ("0:0-1:0", "\n\n"))
    desk.save("\n")
    // The same change leaves the newline of a buffer that cannot lose it.
    desk.change(("0:0-1:0", ""))
    #expect(desk.text() == "")
    desk.open("\n")
    desk.change(("0:0-1:0", ""))
    #expect(desk.text() == "\n")
  }

  @Test func `Neovim sends CR LF for a file of such lines`() {
    var desk = Desk("Neovim")
    desk.open("one\r\ntwo\r\n")
    desk.change(("0:3-1:0", "\r\nnew\r\n"), version: 4)
    desk.change(("0:0-1:0", ""), version: 5)
    desk.change(("1:3-1:3", "!"), version: 6)
    #expect(desk.text() == "new\r\ntwo!\r\n")
  }

  @Test func `Neovim replaces an undone text in two steps, and every line of an undone :s`() {
    var desk = Desk("Neovim")
    desk.open("one two\nthree\n")
    desk.change(("0:3-0:4", ""), ("0:3-0:6", "\ntwo"), ("0:3-1:3", " two"), version: 9)
    desk.change(("0:0-0:1", "O"), ("1:0-1:1", "T"), version: 10)
    #expect(desk.text() == "One two\nThree\n")
  }

  @Test func `Neovim closes and opens a file that changed outside, as version 0`() {
    var desk = Desk("Neovim")
    desk.open("one\n", version: 0)
    desk.close()
    desk.open("one\ntwo\n", version: 0)
    #expect(desk.recorded().suffix(2) == ["closed", #"external {4, 0} "two\n""#])
  }

  @Test func `Neovim, in Latin-1, sends a text that is not the file's bytes`() {
    var desk = Desk("Neovim")
    desk.disk[Desk.note] = [0xE9, 0x0A]
    desk.open("é\n")
    desk.change(("0:1-0:1", "!"))
    desk.disk[Desk.note] = [0xE9, 0x21, 0x0A]
    desk.save("é!\n")
    desk.close()
    #expect(desk.recorded().suffix(2) == ["saved", "closed"])
  }
}
