import Glibc
import TestSupport
import Testing

@testable import FileWatch

/// What decides what a path leads to, and that a watcher follows it.
@Suite(.timeLimit(.minutes(10))) struct PathPlacesTests {
  @Test func `the folders, the links and the end of a path are found`() throws {
    let tree = try WatcherHarness { tree in
      for name in ["v1", "v1/in", "deep"] { try tree.makeFolder(name) }
      try tree.write("1", "v1/in/a.md")
      symlink("v1", tree.path("data"))
      symlink("../data/in/a.md", tree.path("deep/a.md"))
      symlink("loop", tree.path("loop"))
    }
    let root = tree.root
    let places = PathPlaces("\(root)//deep/./a.md")
    #expect(
      places.folders.filter { $0 != root && !root.hasPrefix($0 + "/") }
        == ["deep", "v1", "v1/in"].map(tree.path))
    #expect(
      places.links == [
        .init(folder: tree.path("deep"), name: "a.md"), .init(folder: root, name: "data"),
      ])
    #expect(places.end == .init(folder: tree.path("v1/in"), name: "a.md"))
    let missing = PathPlaces(tree.path("data/none/a.md"))
    #expect(
      missing.links == [
        .init(folder: root, name: "data"), .init(folder: tree.path("v1"), name: "none"),
      ])
    #expect(missing.end == nil)
    #expect(PathPlaces(tree.path("v1/b.md")).end == .init(folder: tree.path("v1"), name: "b.md"))
    // A file on the way may become a folder.
    #expect(
      PathPlaces(tree.path("v1/in/a.md/x")).links
        == [.init(folder: tree.path("v1/in"), name: "a.md")])
    #expect(PathPlaces(tree.path("loop")).end == nil)
    #expect(PathPlaces("/").end == nil)
  }

  /// Replaces a link in one step, or removes it before.
  private func link(_ target: String, _ name: String, inOneStep: Bool, _ tree: WatcherHarness)
    throws
  {
    if inOneStep {
      symlink(target, tree.path("new"))
      try tree.rename("new", name)
    } else {
      unlink(tree.path(name))
      symlink(target, tree.path(name))
    }
  }

  private func content(_ name: String, _ tree: WatcherHarness) -> FileContent {
    tree.watcher.content(of: tree.path(name), sizeMax: 10, waits: false)
  }

  @Test(arguments: [true, false])
  func `a link that is replaced leads to another file`(inOneStep: Bool) throws {
    let tree = try WatcherHarness(["rc"]) { tree in
      for name in ["g1", "g2"] {
        try tree.makeFolder(name)
        try tree.write(name, "\(name)/rc")
      }
      symlink("g1/rc", tree.path("rc"))
    }
    #expect(tree.due() == ["rc"])
    for round in 1...3 {
      for name in ["g2", "g1"] {
        try link("\(name)/rc", "rc", inOneStep: inOneStep, tree)
        try tree.changed("rc")
        #expect(content("rc", tree) == .text(name))
      }
      // The file that it leads to is followed too, and the other one is not.
      try tree.write("\(round)", "g2/rc")
      try tree.write("\(round)", "g1/rc")
      #expect(try tree.changed("rc") == ["rc"])
      #expect(content("rc", tree) == .text("\(round)"))
      try tree.write("g1", "g1/rc")
      try tree.write("g2", "g2/rc")
      try tree.changed("rc")
    }
  }

  @Test func `a file is replaced by a link, and a missing one is made as a link`() throws {
    let tree = try WatcherHarness(["rc"]) { tree in
      try tree.write("file", "rc")
      try tree.write("1", "target")
    }
    _ = tree.due()
    for isMissing in [false, true] {
      try tree.remove("rc")
      // The watcher reads the event before the file is made again.
      if isMissing { tree.watcher.wait(until: .now) }
      symlink("target", tree.path("rc"))
      tree.watcher.wait(until: .now)
      _ = tree.due()
      try tree.write("2", "target")
      try tree.changed("rc")
      #expect(content("rc", tree) == .text("2"))
    }
  }

  /// As Kubernetes updates the files of a volume.
  @Test func `a folder link on the way is replaced`() throws {
    let tree = try WatcherHarness(["app.yaml"]) { tree in
      for name in ["..v1", "..v2"] {
        try tree.makeFolder(name)
        try tree.write(name, "\(name)/app.yaml")
      }
      symlink("..v1", tree.path("..data"))
      symlink("..data/app.yaml", tree.path("app.yaml"))
    }
    #expect(tree.due() == ["app.yaml"])
    for name in ["..v2", "..v1", "..v2"] {
      try link(name, "..data", inOneStep: true, tree)
      try tree.changed("app.yaml")
      #expect(content("app.yaml", tree) == .text(name))
    }
  }

  @Test func `a watched folder is a link, or is in a linked folder`() throws {
    for root in ["current", "current/notes"] {
      let tree = try WatcherHarness([root]) { tree in
        for name in ["v1", "v1/notes", "v2", "v2/notes"] { try tree.makeFolder(name) }
        for name in ["v1", "v2"] { try tree.write(name, "\(name)/notes/a.md") }
        symlink("v1", tree.path("current"))
      }
      let file = "current/notes/a.md"
      #expect(tree.due() == [file])
      try link("v2", "current", inOneStep: true, tree)
      try tree.changed(file)
      #expect(content(file, tree) == .text("v2"))
      try tree.write("old", "v1/notes/b.md")
      try tree.write("new", "v2/notes/b.md")
      try tree.changed("current/notes/b.md")
      #expect(content("current/notes/b.md", tree) == .text("new"))
    }
  }

  @Test func `a folder on the way is replaced, removed and made again`() throws {
    let tree = try WatcherHarness(["app/conf/a.md"]) { tree in
      for name in ["app", "app/conf", "app2", "app2/conf"] { try tree.makeFolder(name) }
      for name in ["app", "app2"] { try tree.write(name, "\(name)/conf/a.md") }
    }
    let file = "app/conf/a.md"
    #expect(tree.due() == [file])
    try tree.rename("app", "old")
    try tree.changed(file)
    #expect(content(file, tree) == .missing)
    try tree.rename("app2", "app")
    try tree.changed(file)
    #expect(content(file, tree) == .text("app2"))
    try tree.remove(file)
    // The watcher reads the events of each step before the next.
    for folder in ["app/conf", "app"] {
      rmdir(tree.path(folder))
      tree.watcher.wait(until: .now)
    }
    for folder in ["app", "app/conf"] {
      try tree.makeFolder(folder)
      tree.watcher.wait(until: .now)
    }
    _ = tree.due()
    try tree.write("again", file)
    try tree.changed(file)
    #expect(content(file, tree) == .text("again"))
    try tree.write("last", file)
    try tree.changed(file)
  }

  /// A folder and a link into it are given: both are followed.
  @Test func `a file of a watched folder is given by a link too`() throws {
    let tree = try WatcherHarness(["notes", "link.md"]) { tree in
      try tree.makeFolder("notes")
      try tree.write("1", "notes/a.md")
      symlink("notes/a.md", tree.path("link.md"))
    }
    #expect(tree.due() == ["link.md", "notes/a.md"])
    try tree.write("2", "notes/a.md")
    try tree.changed("link.md", "notes/a.md")
    try tree.remove("link.md")
    try tree.changed("link.md")
    try tree.write("3", "notes/a.md")
    #expect(try tree.changed("notes/a.md") == ["notes/a.md"])
  }
}
