import EditModel
import EditProtocol
import TestSupport
import Testing
import TextState

@testable import EditDaemon

struct LSPRenameTests {
  private let other = "file:///other.md"

  @Test func `a rename takes the history along`() {
    var desk = Desk()
    desk.open("one\n")
    _ = desk.recorded()
    desk.rename(Desk.note, to: other)
    #expect(desk.recorded() == ["renamed from file:///note.md"])
    #expect(desk.text(other) == "one\n" && desk.text() == "unknown")
    desk.change(("0:0-0:0", "x"), in: other)
    desk.close(other)
    #expect(desk.text(other) == "xone\n")
    // Closed documents are renamed as well; unknown ones are nothing to us.
    desk.rename(other, to: Desk.note)
    desk.rename("file:///unheard", to: "file:///of")
    #expect(desk.text() == "xone\n")
    #expect(desk.oddities.isEmpty)
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
    let surroundings = LSPSurroundings(
      state: { _ in nil }, isKnown: { known.contains($0) }, readDisk: { _ in nil },
      digest: digestForTests)
    let files = (0..<60).map { _ in DidRenameFilesParams.Rename(oldURI: name(), newURI: name()) }
    for file in files where expected[file.newURI] == nil {
      expected[file.newURI] = expected.removeValue(forKey: file.oldURI)
    }
    let renames = LSPSession(client: LSPClient(InitializeParams(clientName: nil)))
      .renames(by: DidRenameFilesParams(files: files), in: surroundings)
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
    var desk = Desk()
    for name in ["file:///a/1", "file:///a/b/2", "file:///ab/3"] { desk.open("x\n", name) }
    desk.rename("file:///a", to: "file:///new")
    let names = desk.session.documents.keys.map(\.name).sorted()
    #expect(names == ["file:///ab/3", "file:///new/1", "file:///new/b/2"])
    #expect(Set(desk.states.keys) == Set(desk.session.documents.keys))
  }

  @Test func `a rename onto a known name brings that history to the text`() {
    var desk = Desk()
    desk.open("old\n", other)
    desk.close(other)
    desk.open("new\n")
    _ = desk.recorded()
    desk.rename(Desk.note, to: other)
    #expect(desk.recorded() == ["closed", #"external {0, 3} "new""#])
    #expect(desk.oddities == [.renamedOntoKnown(document(Desk.note))])
    desk.change(("0:0-0:0", "x"), in: other)
    #expect(desk.text(other) == "xnew\n" && desk.text() == "new\n")
  }

  @Test func `a save under a name that is not open is the rename of the only such text`() {
    var desk = Desk("Neovim")
    desk.open("one\n")
    desk.open("two\n", "file:///two.md")
    _ = desk.recorded()
    // `:saveas other.md`, and on.
    desk.disk[other] = Array("one\n".utf8)
    desk.save("one\n", other)
    #expect(desk.recorded() == ["renamed from file:///note.md", "saved"])
    desk.change(("0:0-0:0", "x"), in: other)
    #expect(desk.text(other) == "xone\n")
    #expect(desk.oddities == [.renamedUntold(from: document(Desk.note))])
  }

  @Test func `a change under a name that is not open is the rename of the only document`() {
    var desk = Desk("Neovim")
    desk.open("one\n")
    _ = desk.recorded()
    desk.change(("0:0-0:0", "x"), in: other)
    #expect(desk.recorded() == ["renamed from file:///note.md", #"typing {0, 0} "x""#])
    #expect(desk.text(other) == "xone\n")
  }

  @Test func `a change under a name that is not open is that of the file's text`() {
    var desk = Desk("Neovim")
    desk.open("one\n")
    desk.open("two\n", "file:///two.md")
    desk.disk[other] = Array("two\n".utf8)
    desk.change(("0:0-0:0", "x"), in: other)
    #expect(desk.text(other) == "xtwo\n")
    #expect(desk.oddities == [.renamedUntold(from: document("file:///two.md"))])
  }

  @Test func `a name that is nobody's is opened with the text at hand`() {
    var desk = Desk()
    desk.open("one\n")
    desk.open("one\n", "file:///copy.md")
    _ = desk.recorded()
    // Two documents have the text: neither is taken.
    desk.save("one\n", other)
    #expect(desk.recorded() == [#"load {0, 0} "one\n""#, "baseline", "saved"])
    desk.change(("all", "whole\n"), in: "file:///whole.md")
    #expect(desk.text("file:///whole.md") == "whole\n")
    desk.change(("0:0-0:0", "x"), in: "file:///nothing.md")
    #expect(desk.text("file:///nothing.md") == "unknown")
    #expect(desk.oddities == [.openedByUse, .openedByUse, .notOpen])
  }
}
