import EditModel
import EditProtocol
import TestSupport
import Testing
import TextState

@testable import EditorSync

struct LSPRenameTests {
  private let other = "file:///other.md"

  @Test func `a rename takes the history along`() {
    var harness = LSPHarness()
    harness.open("one\n")
    _ = harness.recorded()
    harness.rename(LSPHarness.note, to: other)
    #expect(harness.recorded() == ["renamed from file:///note.md"])
    #expect(harness.text(other) == "one\n" && harness.text() == "unknown")
    harness.change(("0:0-0:0", "x"), in: other)
    harness.close(other)
    #expect(harness.text(other) == "xone\n")
    // Closed documents are renamed as well; unknown ones are nothing to us.
    harness.rename(other, to: LSPHarness.note)
    harness.rename("file:///unheard", to: "file:///of")
    #expect(harness.text() == "xone\n")
    #expect(harness.anomalies.isEmpty)
  }

  /// The parts of a message's renames, carried out in order, give every document the name that
  /// the renames one by one give it, and no name is taken while another document has it.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func partsRenameAsOneByOne(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let names = (0..<2 + Int(random.next() % 40)).map { document("file:///\($0)") }
    func name() -> DocumentID { names[Int(random.next() % UInt64(names.count))] }
    // The first name of each document, by its current name.
    var expected: [DocumentID: DocumentID] = [:]
    for _ in 0..<names.count / 2 {
      let name = name()
      expected[name] = name
    }
    var current = expected
    let known = Set(expected.keys)
    let environment = LSPEnvironment(
      state: { _ in nil }, isKnown: { known.contains($0) }, readDisk: { _ in nil },
      hasFile: { _ in false },
      digest: digestForTests, digestOfState: { digestForTests($0.text) })
    let files = (0..<60).map { _ in DidRenameFilesParams.Rename(oldURI: name(), newURI: name()) }
    for file in files where expected[file.newURI] == nil {
      expected[file.newURI] = expected.removeValue(forKey: file.oldURI)
    }
    let renames = LSPSession(client: LSPClient(InitializeParams(clientName: nil)))
      .renames(by: DidRenameFilesParams(files: files), in: environment)
    for part in renames.parts {
      let moved = part.map { current.removeValue(forKey: $0.oldURI) }
      for (move, document) in zip(part, moved) {
        #expect(document != nil && current[move.newURI] == nil, "seed \(seed)")
        current[move.newURI] = document
      }
    }
    #expect(current == expected, "seed \(seed)")
  }

  @Test func `a folder's rename takes the open documents in it along`() {
    var harness = LSPHarness()
    for name in ["file:///a/1", "file:///a/b/2", "file:///ab/3"] { harness.open("x\n", name) }
    harness.rename("file:///a", to: "file:///new")
    let names = harness.session.documents.keys.map(\.name).sorted()
    #expect(names == ["file:///ab/3", "file:///new/1", "file:///new/b/2"])
    #expect(Set(harness.states.keys) == Set(harness.session.documents.keys))
  }

  @Test func `a folder's rename takes documents along that are not open`() {
    var harness = LSPHarness()
    for name in ["file:///a/1", "file:///a/b/2", "file:///a!/3", "file:///a"] {
      harness.open("x\n", name)
      harness.close(name)
    }
    harness.states[document("file:///a")] = nil
    harness.open("x\n", "file:///a/b/c/4")
    harness.rename("file:///a", to: "file:///new/%61")
    let names = harness.states.keys.map(\.name).sorted()
    #expect(
      names == ["file:///a!/3", "file:///new/a/1", "file:///new/a/b/2", "file:///new/a/b/c/4"])
    #expect(harness.session.documents.keys.map(\.name) == ["file:///new/a/b/c/4"])
  }

  /// As a comparison with each folder does.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `the documents in folders`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func name() -> DocumentID {
      document(
        "file:///"
          + (0...Int(random.next() % 3)).map { _ in
            ["a", "a!", "b", "\u{301}"][Int(random.next() % 4)]
          }
          .joined(separator: "/"))
    }
    let folders = (0..<5).map { _ in name() }
    let names = FolderNames(folders)
    for _ in 0..<50 {
      let document = name()
      let isIn = folders.contains { document.name.utf8.starts(with: ($0.name + "/").utf8) }
      #expect(names.contains(document) == isIn, "\(document) seed \(seed)")
    }
  }

  @Test func `a rename onto a known name brings that history to the text`() {
    var harness = LSPHarness()
    harness.open("old\n", other)
    harness.close(other)
    harness.open("new\n")
    _ = harness.recorded()
    harness.rename(LSPHarness.note, to: other)
    #expect(harness.recorded() == ["closed", #"external {0, 3} "new""#])
    #expect(harness.anomalies == [.renamedOntoKnown(document(LSPHarness.note))])
    harness.change(("0:0-0:0", "x"), in: other)
    #expect(harness.text(other) == "xnew\n" && harness.text() == "new\n")
  }

  @Test func `a save under a name that is not open is the rename of the only such text`() {
    var harness = LSPHarness("Neovim")
    harness.open("one\n")
    harness.open("two\n", "file:///two.md")
    _ = harness.recorded()
    // `:saveas other.md`, and on.
    harness.disk[other] = Array("one\n".utf8)
    harness.save("one\n", other)
    #expect(harness.recorded() == ["renamed from file:///note.md", "saved"])
    harness.change(("0:0-0:0", "x"), in: other)
    #expect(harness.text(other) == "xone\n")
    #expect(harness.anomalies == [.renamedWithoutNotice(from: document(LSPHarness.note))])
  }

  @Test func `a change under a name that is not open is the rename of the only document`() {
    var harness = LSPHarness("Neovim")
    harness.open("one\n")
    _ = harness.recorded()
    harness.change(("0:0-0:0", "x"), in: other)
    #expect(harness.recorded() == ["renamed from file:///note.md", #"typing {0, 0} "x""#])
    #expect(harness.text(other) == "xone\n")
  }

  @Test func `a change under a name that is not open is that of the file's text`() {
    var harness = LSPHarness("Neovim")
    harness.open("one\n")
    harness.open("two\n", "file:///two.md")
    harness.disk[other] = Array("two\n".utf8)
    harness.change(("0:0-0:0", "x"), in: other)
    #expect(harness.text(other) == "xtwo\n")
    #expect(harness.anomalies == [.renamedWithoutNotice(from: document("file:///two.md"))])
  }

  @Test func `an unknown name is opened with the text that the client sends`() {
    var harness = LSPHarness()
    harness.open("one\n")
    harness.open("one\n", "file:///copy.md")
    _ = harness.recorded()
    // Two documents have the text: neither is taken.
    harness.save("one\n", other)
    #expect(harness.recorded() == [#"load {0, 0} "one\n""#, "baseline", "saved"])
    harness.change(("all", "whole\n"), in: "file:///whole.md")
    #expect(harness.text("file:///whole.md") == "whole\n")
    harness.change(("0:0-0:0", "x"), in: "file:///nothing.md")
    #expect(harness.text("file:///nothing.md") == "unknown")
    #expect(harness.anomalies == [.openedByUse, .openedByUse, .notOpen])
  }

  // MARK: "Save as": the old file is still there

  private func savedHarness(_ client: String? = nil) -> LSPHarness {
    var harness = LSPHarness(client)
    harness.disk[LSPHarness.note] = Array("one\n".utf8)
    harness.open("one\n")
    harness.change(("0:0-0:0", "x"))
    _ = harness.recorded()
    return harness
  }

  @Test func `a save under a name that is not open is a copy if the old file is there`() {
    var harness = savedHarness("Neovim")
    harness.disk[other] = Array("xone\n".utf8)
    harness.save("xone\n", other)
    #expect(
      harness.recorded() == [
        "closed, unsaved", "copied from file:///note.md at 2", #"load {0, 0} "xone\n""#, "baseline",
        "saved",
      ])
    harness.change(("0:0-0:0", "y"), in: other)
    #expect(harness.text(other) == "yxone\n" && harness.text() == "xone\n")
    #expect(harness.session.documents.keys.map(\.name) == [other])
    #expect(harness.anomalies == [.savedUnderAnotherName(document(LSPHarness.note))])
  }

  @Test func `a change under a name that is not open is of a copy if the old file is there`() {
    var harness = savedHarness("Neovim")
    harness.change(("0:0-0:0", "y"), in: other)
    #expect(
      harness.recorded() == [
        "closed, unsaved", "copied from file:///note.md at 2", #"load {0, 0} "xone\n""#, "baseline",
        #"typing {0, 0} "y""#,
      ])
  }

  /// As ALE does: the change is sent before the file is written.
  @Test func `a whole text under a name that is not open is of the only such text`() {
    var harness = savedHarness()
    harness.open("two\n", "file:///two.md")
    _ = harness.recorded()
    harness.change(("all", "xone\n"), in: other)
    #expect(
      harness.recorded() == [
        "closed, unsaved", "copied from file:///note.md at 2", #"load {0, 0} "xone\n""#, "baseline",
      ])
  }

  @Test func `a copy onto a known name names the other document too`() {
    var harness = savedHarness("Neovim")
    harness.open("old\n", other)
    harness.close(other)
    _ = harness.recorded()
    harness.disk[other] = Array("xone\n".utf8)
    harness.save("xone\n", other)
    let entries = harness.recorded()
    #expect(entries.first == "closed, unsaved" && entries.last == "saved")
    #expect(entries[1] == "copied from file:///note.md at 2")
    #expect(harness.text(other) == "xone\n" && harness.text() == "xone\n")
    // The next save is an ordinary one.
    harness.save("xone\n", other)
    #expect(harness.recorded() == ["saved"])
  }

  @Test(arguments: [true, false])
  func `the open of a new document beside the close of one with its text is a copy`(
    isClosedFirst: Bool
  ) {
    var harness = savedHarness("emacs")
    harness.disk[other] = Array("xone\n".utf8)
    if isClosedFirst {
      harness.close()
      harness.open("xone\n", other)
    } else {
      harness.session.lastTurn = nil
      harness.open("xone\n", other)
      harness.close()
    }
    let begun = [#"load {0, 0} "xone\n""#, "baseline"]
    let moved = ["closed, unsaved", "copied from file:///note.md at 2"]
    #expect(
      harness.recorded()
        == (isClosedFirst ? moved + begun : Array(begun + moved)))
    #expect(harness.anomalies.isEmpty)
  }

  /// As ALE does, which closes the old document when Vim ends.
  @Test func `the open of a new document with the text of one just changed is a copy`() {
    var harness = savedHarness()
    harness.open("xone\n", other)
    #expect(
      harness.recorded() == [
        "copied from file:///note.md at 2", #"load {0, 0} "xone\n""#, "baseline",
      ])
    harness.close()
    #expect(harness.recorded() == ["closed, unsaved"])
  }

  @Test func `a document with another text, history or moment is no copy`() {
    var harness = savedHarness("emacs")
    harness.close()
    harness.open("two\n", other)
    harness.close(other)
    harness.open("xone\n")
    harness.close()
    // `other` has a history.
    harness.open("xone\n", other)
    harness.close(other)
    // Something else was done between the two.
    harness.open("xone\n", "file:///third.md")
    harness.change(("0:0-0:0", "z"), in: "file:///third.md")
    harness.close("file:///third.md")
    harness.open("", "file:///empty.md")
    harness.close("file:///empty.md")
    harness.open("", "file:///empty-too.md")
    #expect(!harness.recorded().contains { $0.hasPrefix("copied") })
  }

  @Test func `a document whose file is gone is no source of a copy`() {
    var harness = savedHarness("emacs")
    harness.close()
    harness.disk[LSPHarness.note] = nil
    harness.open("xone\n", other)
    #expect(harness.recorded() == ["closed, unsaved", #"load {0, 0} "xone\n""#, "baseline"])
  }
}
