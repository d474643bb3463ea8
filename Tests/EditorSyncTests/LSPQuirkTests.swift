import EditorSync
import EditModel
import EditProtocol
import TestSupport
import Testing
import TextState

/// Messages that six editors were seen to send, and that differ from LSP.
struct LSPQuirkTests {
  @Test func `eglot sends a burst of keys in one message, then its version again, empty`() {
    var harness = LSPHarness()
    harness.open("\n", version: 0)
    harness.change(("0:0-0:0", "a"), ("0:1-0:1", "🙂"), ("0:3-0:3", "b"), version: 3)
    harness.change(version: 3)
    #expect(harness.text() == "a🙂b\n")
    // A timer in the middle of a send sent it all twice.
    let burst = (0..<4_000).map { DidChangeParams.Change(range: nil, text: UTF16Text("\($0)")) }
    let params = DidChangeParams(uri: document(LSPHarness.note), version: 4_003, changes: burst)
    harness.change(params)
    harness.change(params)
    #expect(harness.text() == "3999")
    #expect(harness.anomalies == [.duplicateChange(version: 4_003)])
  }

  @Test func `eglot saves a narrowed buffer with the visible part only`() {
    var harness = LSPHarness()
    harness.open("one\ntwo\nthree\n")
    harness.change(("1:0-1:3", "TWO"))
    harness.disk[LSPHarness.note] = Array("one\nTWO\nthree\n".utf8)
    _ = harness.recorded()
    harness.save("TWO\n")
    #expect(harness.recorded() == ["saved"])
    #expect(harness.text() == "one\nTWO\nthree\n")
  }

  @Test func `eglot reloads by closing and opening, and quits without didClose`() {
    var harness = LSPHarness()
    harness.open("one\n", version: 5)
    harness.close()
    harness.open("two\n", version: 0)
    harness.change(("0:0-0:0", "x"), version: 1)
    _ = harness.recorded()
    harness.end()
    #expect(harness.recorded() == ["closed, unsaved"])
  }

  @Test func `emacs sends LF where the file has CR LF, and no byte order mark`() {
    var harness = LSPHarness("emacs")
    harness.disk[LSPHarness.note] = Array("\u{FEFF}one\r\ntwo\r\n".utf8)
    harness.open("one\ntwo\n")
    harness.close()
    #expect(harness.recorded().last == "closed")
  }

  @Test func `lsp-mode counts code points, one key a message, and whole texts at times`() {
    var harness = LSPHarness("emacs")
    harness.open("🙂🙂\n")
    harness.change(("0:2-0:2", "a"), version: 1)
    harness.change(("0:3-0:3", "b"), version: 2)
    harness.change(("0:1-0:2", ""), version: 3)
    // upcase-region
    harness.change(("all", "🙂AB\n"), version: 4)
    #expect(harness.text() == "🙂AB\n")
    #expect(harness.anomalies.isEmpty)
  }

  @Test func `ALE sends whole texts with a last newline, and doubles its backslashes at a save`() {
    var harness = LSPHarness()
    harness.disk[LSPHarness.note] = Array("one".utf8)
    harness.open("one\n", version: 17)
    harness.change(("all", "one two\n"), version: 18)
    harness.change(("all", "two\n"), version: 19)
    harness.disk[LSPHarness.note] = Array("two".utf8)
    harness.save(#"two\n"#)
    #expect(
      harness.recorded() == [
        #"load {0, 0} "one\n""#, "baseline", #"typing {3, 0} " two""#, #"removal {0, 4} """#,
        "saved",
      ])
    harness.end()
    #expect(harness.recorded() == ["closed"])
  }

  @Test func `vim-lsp sends whole lines: the edit is what differs in them`() {
    var harness = LSPHarness("vim-lsp")
    harness.open("one\ntwo 🙂\nthree\n")
    _ = harness.recorded()
    harness.change(("1:0-2:0", "two 🙂!\n"), version: 1)
    harness.change(("1:0-2:0", "two 🙃!\n"), version: 2)
    harness.change(("0:0-1:0", ""), version: 3)
    harness.change(("2:0-2:0", "four\n"), version: 4)
    harness.change(("0:0-3:0", ""), version: 5)
    #expect(
      harness.recorded() == [
        #"typing {10, 0} "!""#, #"typing {8, 2} "🙃""#, #"removal {0, 4} """#,
        #"typing {14, 0} "four\n""#, #"removal {0, 18} """#,
      ])
    #expect(harness.text() == "\n")
  }

  @Test func `Kate saves before it tells the edits it saved`() {
    var harness = LSPHarness()
    harness.disk[LSPHarness.note] = Array("one\n".utf8)
    harness.open("one\n")
    harness.disk[LSPHarness.note] = Array("one!\n".utf8)
    harness.save()
    harness.change(("0:3-0:3", "!"), version: 9)
    harness.close()
    #expect(harness.recorded().suffix(3) == [#"typing {3, 0} "!""#, "saved", "closed"])
  }

  @Test func `Kate deletes the last line with a newline it does not have`() {
    var harness = LSPHarness()
    harness.open("one\ntwo")
    harness.change(("1:0-2:0", ""))
    #expect(harness.text() == "one")
    harness.change(("0:0-1:0", ""))
    #expect(harness.text() == "")
  }

  @Test func `Neovim opens an empty file as a newline and never loses it`() {
    var harness = LSPHarness("Neovim")
    harness.open("\n")
    harness.change(("0:0-0:0", "a"), version: 4)
    harness.change(("0:0-1:0", ""), version: 5)
    harness.change(("0:0-0:0", "b"), version: 6)
    harness.change(("0:1-1:0", "\nc\n"), version: 60)
    #expect(harness.text() == "b\nc\n")
  }

  @Test func `Neovim, without a last newline, may hold an empty last line and lose it`() {
    var harness = LSPHarness("Neovim")
    harness.open("a")
    harness.change(("0:0-0:1", ""), ("0:0-1:0", "\n\n"))
    harness.save("\n")
    // The same change leaves the newline of a buffer that cannot lose it.
    harness.change(("0:0-1:0", ""))
    #expect(harness.text() == "")
    harness.open("\n")
    harness.change(("0:0-1:0", ""))
    #expect(harness.text() == "\n")
  }

  @Test func `Neovim sends CR LF for a file of such lines`() {
    var harness = LSPHarness("Neovim")
    harness.open("one\r\ntwo\r\n")
    harness.change(("0:3-1:0", "\r\nnew\r\n"), version: 4)
    harness.change(("0:0-1:0", ""), version: 5)
    harness.change(("1:3-1:3", "!"), version: 6)
    #expect(harness.text() == "new\r\ntwo!\r\n")
  }

  @Test func `Neovim replaces an undone text in two steps, and every line of an undone :s`() {
    var harness = LSPHarness("Neovim")
    harness.open("one two\nthree\n")
    harness.change(("0:3-0:4", ""), ("0:3-0:6", "\ntwo"), ("0:3-1:3", " two"), version: 9)
    harness.change(("0:0-0:1", "O"), ("1:0-1:1", "T"), version: 10)
    #expect(harness.text() == "One two\nThree\n")
  }

  @Test func `Neovim closes and opens a file that changed outside, as version 0`() {
    var harness = LSPHarness("Neovim")
    harness.open("one\n", version: 0)
    harness.close()
    harness.open("one\ntwo\n", version: 0)
    #expect(harness.recorded().suffix(2) == ["closed", #"external {4, 0} "two\n""#])
  }

  @Test func `Neovim, in Latin-1, sends a text that is not the file's bytes`() {
    var harness = LSPHarness("Neovim")
    harness.disk[LSPHarness.note] = [0xE9, 0x0A]
    harness.open("é\n")
    harness.change(("0:1-0:1", "!"))
    harness.disk[LSPHarness.note] = [0xE9, 0x21, 0x0A]
    harness.save("é!\n")
    harness.close()
    #expect(harness.recorded().suffix(2) == ["saved", "closed"])
  }
}
