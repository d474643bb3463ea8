import EditDaemon
import EditModel
import EditProtocol
import Testing
import TextState

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
