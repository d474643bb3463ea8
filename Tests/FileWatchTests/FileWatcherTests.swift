import EditModel
import Glibc
import TestSupport
import Testing

@testable import FileWatch

/// Changes of real files. Each test waits for the files that must be found.
@Suite(.timeLimit(.minutes(5))) struct FileWatcherTests {
  @Test func `all files are found at the start`() throws {
    let tree = try WatcherHarness { tree in
      try tree.write("a", "a.md")
      try tree.makeFolder("x")
      try tree.makeFolder("x/y")
      try tree.write("b", "x/y/b.md")
      try tree.write("c", ".hidden")
      try tree.makeFolder(".git")
      try tree.write("no", ".git/config")
      symlink("a.md", tree.path("link.md"))
      symlink("x", tree.path("links"))
      mkfifo(tree.path("pipe"), 0o600)
    }
    #expect(tree.due() == [".hidden", "a.md", "x/y/b.md"])
    #expect(tree.due() == [])
  }

  /// A folder is replaced by a link just when a file in it is due: the file outside is not read.
  @Test func `no link in the path of a file is followed`() throws {
    let tree = try WatcherHarness { tree in
      try tree.makeFolder("a")
      try tree.makeFolder("a/b")
      try tree.write("inside", "a/b/f.md")
      try tree.write("inside", "a/g.md")
    }
    let outside = tree.folder.path("outside")
    mkdir(outside, 0o700)
    mkdir(outside + "/b", 0o700)
    for path in ["/b/f.md", "/g.md", "/.gitignore"] {
      let file = try #require(fopen(outside + path, "w"))
      fputs("secret", file)
      fclose(file)
    }
    let files = tree.watcher.takeDue(at: .now + .seconds(3_600)).files
    #expect(files.map(\.path) == [tree.path("a/b/f.md"), tree.path("a/g.md")])
    #expect(
      files.allSatisfy {
        tree.watcher.content(of: $0.path, sizeMax: 10, waits: false) == .text("inside")
      })
    let names = files.map { tree.watcher.realPath(of: $0.path) }
    try tree.rename("a", "old")
    try #require(symlink(outside, tree.path("a")) == 0)
    for file in files {
      #expect(tree.watcher.content(of: file.path, sizeMax: 10, waits: false) == .missing)
    }
    #expect(files.map { tree.watcher.realPath(of: $0.path) } == names)
    // Neither is the folder listed or watched, nor are its rules read.
    let link = tree.path("a")
    #expect(throws: SystemError.self) { _ = try FolderListing(link, in: tree.root) }
    #expect(throws: SystemError.self) {
      _ = try FileContent.bytes(path: link + "/.gitignore", in: tree.root, sizeMax: 10)
    }
    let inotify = try Inotify()
    for path in [link, link + "/b"] {
      #expect(throws: SystemError.self) { try inotify.add(path, in: tree.root).get() }
    }
    #expect(throws: Never.self) { try inotify.add(tree.path("old/b"), in: tree.root).get() }
  }

  /// The way of kernels before 5.6 opens the same files.
  @Test func `with and without openat2, the same paths are opened`() throws {
    let tree = try WatcherHarness { tree in
      try tree.makeFolder("a")
      try tree.makeFolder("a/b")
      try tree.write("x", "a/b/f")
      symlink("a", tree.path("link"))
      symlink("b/f", tree.path("a/file"))
      symlink("/", tree.path("a/root"))
    }
    let root = tree.folder.path("root")
    try #require(symlink(tree.root, root) == 0)
    for (name, isOpened) in [
      ("a/b/f", true), ("a/b", true), ("a", true), ("", true), ("none", false), ("a/none/f", false),
      ("link/b/f", false), ("link", false), ("a/file", false), ("a/root/etc/passwd", false),
      ("a/b/f/x", false),
    ] {
      for root in [tree.root, root] {
        let results = [true, false].map { usesOpenat2 -> ino_t? in
          let descriptor = try? TreeFile.open(
            name.isEmpty ? root : "\(root)/\(name)", in: root, O_RDONLY, usesOpenat2: usesOpenat2)
          guard let descriptor else { return nil }
          defer { close(descriptor) }
          var info = stat()
          fstat(descriptor, &info)
          return info.st_ino
        }
        #expect(results[0] == results[1], "\(name)")
        #expect((results[0] != nil) == isOpened, "\(name)")
      }
    }
    #expect(throws: SystemError(code: EXDEV)) { try TreeFile.open("/etc", in: tree.root, O_RDONLY) }
  }

  @Test func `a save is found, also one that replaces the file`() throws {
    let tree = try WatcherHarness { try $0.write("a", "a.md") }
    _ = tree.due()
    try tree.write("b", "a.md")
    #expect(try tree.changed("a.md") == ["a.md"])
    try tree.write("c", "a.md.new")
    try tree.rename("a.md.new", "a.md")
    #expect(try tree.changed("a.md").contains("a.md"))
    #expect(FileContent(path: tree.path("a.md.new"), sizeMax: 10) == .missing)
  }

  @Test func `a file is due when it has settled`() throws {
    let tree = try WatcherHarness()
    try tree.write("a", "a.md")
    tree.watcher.wait(until: nil)
    let now = ContinuousClock.now
    let early = tree.watcher.takeDue(at: now - .seconds(1))
    #expect(early.files == [])
    let next = try #require(early.next)
    #expect(next <= now + FileWatcher.settleTime)
    #expect(tree.watcher.takeDue(at: next).files.map(\.path) == [tree.path("a.md")])
    // One that changes all the time is due after two seconds.
    var changes = TreeChanges()
    for step in 0...30 { changes.add("/a", at: now + .milliseconds(90 * step)) }
    #expect(changes.takeDue(now + .milliseconds(1_990)).files.isEmpty)
    #expect(changes.takeDue(now + .seconds(2)).files == [.init(path: "/a", isBusy: true)])
    // So it is if it was to be compared again much later.
    changes.putBack("/a", nil, due: now + .seconds(3_600))
    for step in 0...30 { changes.add("/a", at: now + .milliseconds(90 * step)) }
    #expect(changes.takeDue(now + .milliseconds(1_990)).files.isEmpty)
    #expect(changes.takeDue(now + .seconds(2)).files == [.init(path: "/a", isBusy: true)])
  }

  @Test func `new folders are followed, with files that are made at once`() throws {
    let tree = try WatcherHarness()
    var expected: Set<String> = []
    for index in 0..<30 {
      try tree.makeFolder("n\(index)")
      try tree.makeFolder("n\(index)/deep")
      try tree.write("x", "n\(index)/deep/f.md")
      expected.insert("n\(index)/deep/f.md")
    }
    #expect(try tree.changed(expected) == expected)
    try tree.write("y", "n7/deep/f.md")
    #expect(try tree.changed("n7/deep/f.md") == ["n7/deep/f.md"])
  }

  @Test func `a moved folder is followed under its new name`() throws {
    let tree = try WatcherHarness { tree in
      try tree.makeFolder("a")
      try tree.makeFolder("a/x")
      try tree.write("1", "a/x/f.md")
    }
    _ = tree.due()
    try tree.rename("a", "b")
    #expect(try tree.changed("b/x/f.md") == ["b/x/f.md"])
    #expect(tree.watcher.takeNotes() == [.folderMoved(from: tree.path("a"), to: tree.path("b"))])
    try tree.write("2", "b/x/f.md")
    #expect(try tree.changed("b/x/f.md") == ["b/x/f.md"])
    // Out of the tree: its changes are not ours any more.
    try #require(Glibc.rename(tree.path("b"), tree.folder.path("out")) == 0)
    let gone = TreeNote.gone(tree.path("b"))
    #expect(try tree.notes { $0 == gone } == [gone])
    let file = open(tree.folder.path("out/x/f.md"), O_WRONLY | O_TRUNC)
    close(file)
    try tree.write("3", "c.md")
    #expect(try tree.changed("c.md") == ["c.md"])
  }

  /// As atomic saves, and those of `sed -i`: the file that gets the name was just written.
  @Test func `a file that is written, and then renamed, is due at once`() throws {
    let now = ContinuousClock.now
    var changes = TreeChanges()
    changes.add("/a.new", at: now)
    changes.move(from: "/a.new", 1, at: now)
    changes.move(to: "/a", 1, at: now)
    // From a folder that is not watched.
    changes.move(to: "/b", 2, at: now)
    // A file that was there before may be a copy that an editor keeps: its old name may come again.
    changes.move(from: "/c", 3, at: now)
    changes.move(to: "/d", 3, at: now)
    // It is written in place after the rename.
    changes.move(to: "/e", 4, at: now)
    changes.add("/e", at: now)
    #expect(
      changes.takeDue(now).files == [
        .init(path: "/a", oldPath: "/a.new", isWhole: true), .init(path: "/b", isWhole: true),
      ])
    #expect(
      changes.takeDue(now + FileWatcher.settleTime).files == [
        .init(path: "/d", oldPath: "/c"), .init(path: "/e"),
      ])
  }

  @Test func `a removed file and its rename are found`() throws {
    let tree = try WatcherHarness { tree in
      try tree.write("a", "a.md")
      try tree.write("b", "b.md")
    }
    _ = tree.due()
    try tree.remove("b.md")
    #expect(try tree.changed("b.md") == ["b.md"])
    try tree.rename("a.md", "c.md")
    var files: [FileWatcher.File] = []
    try tree.wait {
      files += tree.watcher.takeDue(at: .now + .seconds(1)).files
      return !files.isEmpty
    }
    // The old path is no change of its own.
    #expect(files == [.init(path: tree.path("c.md"), oldPath: tree.path("a.md"))])
  }

  @Test func `a file that is renamed several times has its first path`() throws {
    let tree = try WatcherHarness { tree in
      try tree.write("a", "a.md")
      try tree.write("b", "b.md")
      try tree.makeFolder("d")
      try tree.write("e", "d/e.md")
    }
    _ = tree.due()
    try tree.rename("a.md", "1.md")
    try tree.rename("1.md", "2.md")
    try tree.rename("b.md", "x.md")
    try tree.rename("x.md", "b.md")
    try tree.rename("d", "d2")
    try tree.write("z", "z.md")
    var files: [String: String?] = [:]
    try tree.wait {
      for file in tree.watcher.takeDue(at: .now + .seconds(1)).files {
        files[file.path] = file.oldPath
      }
      return files.keys.contains(tree.path("z.md"))
    }
    let expected = [
      "2.md": "a.md", "b.md": nil, "d2/e.md": "d/e.md", "z.md": nil,
    ]
    #expect(files.count == expected.count, "\(files)")
    for (path, old) in expected {
      #expect(files[tree.path(path)] == .some(old.map { tree.path($0) }), "\(path)")
    }
  }

  @Test func `ignored files are not found, and rules may change`() throws {
    let tree = try WatcherHarness(
      [""], WatchFilter(included: ["*.md", ".gitignore"], excluded: ["private/"])
    ) { tree in
      try tree.write("/out/\n*.tmp.md\n", ".gitignore")
      for folder in ["out", "private", "sub"] {
        try tree.makeFolder(folder)
        try tree.write("x", "\(folder)/a.md")
        try tree.write("x", "\(folder)/b.tmp.md")
        try tree.write("x", "\(folder)/c.txt")
      }
      try tree.write("x", "a.md~")
    }
    #expect(tree.due() == [".gitignore", "sub/a.md"])
    try tree.write("y", "out/a.md")
    try tree.write("*.tmp.md\n", ".gitignore")
    let found: Set = [".gitignore", "out/a.md", "sub/a.md"]
    #expect(try tree.changed(found) == found)
    try tree.write("z", "out/a.md")
    #expect(try tree.changed("out/a.md") == ["out/a.md"])
    try tree.write("!b.tmp.md\n", "sub/.gitignore")
    #expect(try tree.changed("sub/b.tmp.md").contains("sub/b.tmp.md"))
  }

  @Test func `rules of the repository above are followed`() throws {
    let folder = TemporaryFolder()
    for name in [".git", ".git/info", "docs", "docs/deep"] { mkdir(folder.path(name), 0o700) }
    func write(_ text: String, _ name: String) {
      let file = open(folder.path(name), O_WRONLY | O_CREAT, 0o600)
      _ = Array(text.utf8).withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      close(file)
    }
    write("*.excluded\n", ".git/info/exclude")
    write("docs/deep/*.top\n", ".gitignore")
    write("*.mid\n!kept.mid\n", "docs/.gitignore")
    for name in ["a.top", "a.mid", "kept.mid", "a.excluded", "a.md"] {
      write("x", "docs/deep/\(name)")
    }
    let watcher = try FileWatcher(roots: [folder.path("docs/deep")])
    try watcher.scan(watching: false)
    #expect(
      watcher.takeDue().files.map(\.path)
        == ["a.md", "kept.mid"].map { folder.path("docs/deep/\($0)") })
  }

  /// The rules of a repository come before those, and outside of repositories they do not count.
  @Test func `the user's rules hold in all working trees, as git reads them`() async throws {
    let tree = try WatcherHarness()
    for name in ["plain", "main", "main/deep", "main/part"] { try tree.makeFolder(name) }
    for name in ["main", "main/part"] { try await tree.git("-C", name, "init", "-q") }
    let excludes = tree.folder.path("excludes")
    let patterns = "*.user\n!kept.user\n/deep/*.top\n*.back\n*~\n!b~\n"
    try tree.write(patterns, "../excludes")
    try tree.write("!*.back\nb~\n", "main/.gitignore")
    let names = ["a.md", "a.user", "kept.user", "a.top", "a.back", "a~", "b~"]
    for folder in ["plain", "main", "main/deep", "main/part"] {
      for name in names { try tree.write("x", "\(folder)/\(name)") }
    }
    let watcher = try FileWatcher(roots: [tree.root], excludesFile: excludes)
    try watcher.scan(watching: false)
    let found = Set(watcher.takeDue(at: .now + .seconds(3_600)).files.map(\.path))
    for folder in ["main", "main/deep", "main/part"] {
      for name in names {
        let isIgnored = try await tree.isIgnored(name, in: folder, excludesFile: excludes)
        #expect(
          found.contains(tree.path("\(folder)/\(name)")) != isIgnored, "\(folder)/\(name)")
      }
    }
    let plain = names.filter { found.contains(tree.path("plain/\($0)")) }
    #expect(plain == ["a.md", "a.user", "kept.user", "a.top", "a.back"])
    // A folder within a working tree has the rules too, and the file is read again at each scan.
    let inner = try FileWatcher(roots: [tree.path("main/deep")], excludesFile: excludes)
    try inner.scan(watching: false)
    let first = inner.takeDue(at: .now + .seconds(3_600)).files.map(\.path)
    #expect(first == ["a.back", "a.md", "kept.user"].map { tree.path("main/deep/\($0)") })
    try tree.write("*.md\n", "../excludes")
    try inner.scan(watching: false)
    let second = inner.takeDue(at: .now + .seconds(3_600)).files.map(\.path)
    #expect(
      second == ["a.back", "a.top", "a.user", "kept.user"].map { tree.path("main/deep/\($0)") })
  }

  /// In these working trees, `.git` is a file.
  @Test func `worktrees and submodules have the rules of info exclude`() async throws {
    let tree = try WatcherHarness()
    for name in ["main", "part"] {
      try tree.makeFolder(name)
      try await tree.git("-C", name, "init", "-q")
      try await tree.git("-C", name, "commit", "-q", "--allow-empty", "-m", "1")
    }
    try await tree.git("-C", "main", "worktree", "add", "-q", "../linked")
    try await tree.git(
      "-c", "protocol.file.allow=always", "-C", "main", "submodule", "--quiet", "add",
      tree.path("part"), "sub")
    for folder in ["main/.git", "main/.git/modules/sub"] {
      mkdir(tree.path(folder) + "/info", 0o700)
    }
    try tree.write("*.key\n", "main/.git/info/exclude")
    try tree.write("*.secret\n", "main/.git/modules/sub/info/exclude")
    for folder in ["linked", "main", "main/sub"] {
      try tree.write("x", "\(folder)/a.key")
      try tree.write("x", "\(folder)/a.secret")
    }
    let expected = [
      "linked": ["a.secret"], "main": [".gitmodules", "a.secret"], "main/sub": ["a.key"],
    ]
    for (folder, names) in expected.sorted(by: { $0.key < $1.key }) {
      // `main/sub` is in `main` too, whose patterns hold in it.
      let files = try files(in: tree.path(folder), outside: tree.path("main/sub"))
      #expect(files == names, "\(folder)")
      for name in ["a.key", "a.secret"] {
        let isIgnored = try await tree.isIgnored(name, in: folder)
        #expect(files.contains(name) != isIgnored, "\(folder)/\(name)")
      }
    }
    let all = try files(in: tree.root, outside: tree.path("part"))
    #expect(all == ["linked/a.secret", "main/.gitmodules", "main/a.secret"])
  }

  /// The files that a watcher of a folder finds, relative to it, but those in another folder.
  private func files(in folder: String, outside other: String) throws -> [String] {
    let watcher = try FileWatcher(roots: [folder])
    try watcher.scan(watching: false)
    return watcher.takeDue().files.map(\.path).filter {
      folder == other || !$0.hasPrefix(other + "/")
    }.map { String($0.dropFirst(folder.utf8.count + 1)) }
  }

  @Test func `a file of a working tree that leads nowhere gives no rules`() throws {
    for text in ["", "gitdir", "gitdir: ", "gitdir: \n", "gitdir: /nowhere\n", "gitdir: .git\n"] {
      let tree = try WatcherHarness { tree in
        try tree.write(text, ".git")
        try tree.write("x", "a.key")
      }
      #expect(tree.due() == ["a.key"], "\(text.debugDescription)")
    }
  }

  @Test func `a file that is named is followed, even if it is ignored`() throws {
    let tree = try WatcherHarness(["a.log", "x/b.md"]) { tree in
      try tree.write("*.log\n", ".gitignore")
      try tree.write("1", "a.log")
      try tree.makeFolder("x")
      try tree.write("1", "x/b.md")
      try tree.write("1", "x/c.md")
    }
    #expect(tree.due() == ["a.log", "x/b.md"])
    try tree.write("2", "x/c.md")
    try tree.write("2", "x/new")
    try tree.rename("x/new", "x/b.md")
    #expect(try tree.changed("x/b.md") == ["x/b.md"])
    try tree.remove("a.log")
    try tree.write("2", "a.log")
    #expect(try tree.changed("a.log") == ["a.log"])
  }

  @Test func `a folder that is named comes back`() throws {
    let tree = try WatcherHarness(["x"]) { tree in
      try tree.makeFolder("x")
      try tree.write("1", "x/a.md")
    }
    #expect(tree.due() == ["x/a.md"])
    try tree.remove("x/a.md")
    try #require(rmdir(tree.path("x")) == 0)
    let gone = TreeNote.gone(tree.path("x"))
    #expect(try tree.notes { $0 == gone }.contains(gone))
    _ = tree.due()
    try tree.makeFolder("x")
    try tree.write("2", "x/b.md")
    #expect(try tree.changed("x/b.md") == ["x/b.md"])
  }

  @Test func `a checkout of git is found`() async throws {
    let tree = try WatcherHarness()
    try await tree.git("init", "-q")
    let names = (0..<200).map { "f\($0).md" }
    for name in names { try tree.write("one \(name)\n", name) }
    try await tree.git("add", ".")
    try await tree.git("commit", "-qm", "1")
    for name in names { try tree.write("two two \(name)\n", name) }
    try await tree.git("commit", "-qam", "2")
    try tree.changed(Set(names))
    try await tree.git("checkout", "-q", "HEAD~1")
    let found = try tree.changed(Set(names))
    // Git's own files are never among them.
    #expect(found == Set(names))
  }

  @Test func `a thousand files are found once each`() throws {
    let tree = try WatcherHarness()
    let names = (0..<1_000).map { "f\($0)" }
    for name in names { try tree.write(name, name) }
    var found: [String] = []
    try tree.wait {
      found += tree.due()
      return Set(found).count == names.count
    }
    #expect(Set(found) == Set(names))
  }

  /// The queue of inotify has room for 16,384 events by default; more are lost.
  @Test func `lost events are noticed, and a scan finds all`() throws {
    let folder = TemporaryFolder()
    var tree = FolderTree(roots: [folder.path], WatchFilter())
    tree.start(try Inotify())
    for _ in 0..<40_000 {
      for name in ["a", "b"] { close(open(folder.path(name), O_WRONLY | O_CREAT, 0o600)) }
    }
    tree.readEvents()
    try #require(tree.hasLostEvents, "fs.inotify.max_queued_events is very large")
    _ = tree.changes.takeDue(.now + .seconds(1))
    tree.start(try Inotify())
    #expect(!tree.hasLostEvents)
    #expect(
      tree.changes.takeDue(.now).files.map(\.path) == ["a", "b"].map { folder.path($0) })
  }

  @Test func `a limit of watches is noted, and files are still found`() throws {
    let folder = TemporaryFolder()
    for index in 0..<10 {
      mkdir(folder.path("d\(index)"), 0o700)
      close(open(folder.path("d\(index)/f"), O_WRONLY | O_CREAT, 0o600))
    }
    var tree = FolderTree(roots: [folder.path], WatchFilter()) { inotify, path, root in
      path.hasSuffix("/d3") || path.hasSuffix("/d4")
        ? .failure(SystemError(code: ENOSPC)) : inotify.add(path, in: root)
    }
    tree.start(try Inotify())
    #expect(tree.changes.takeNotes() == [.watchLimit(count: 2, example: folder.path("d3"))])
    #expect(tree.changes.takeDue(.now).files.count == 10)
  }

  @Test func `a folder that cannot be watched is noted`() throws {
    let folder = TemporaryFolder()
    mkdir(folder.path("d"), 0o700)
    var tree = FolderTree(roots: [folder.path], WatchFilter()) { inotify, path, root in
      path.hasSuffix("/d")
        ? .failure(SystemError(code: EACCES)) : inotify.add(path, in: root)
    }
    tree.start(try Inotify())
    #expect(
      tree.changes.takeNotes() == [.folderUnreadable(folder.path("d"), SystemError(code: EACCES))])
  }

  @Test func `links that are not followed are counted`() throws {
    let tree = try WatcherHarness(["", "given.md"]) { tree in
      try tree.write("x", "a.md")
      try tree.write("*.tmp\n", ".gitignore")
      for name in ["b.md", "c.md", "d.tmp", "given.md"] { symlink("a.md", tree.path(name)) }
    }
    #expect(tree.watcher.takeNotes() == [.linksSkipped(count: 2, example: tree.path("b.md"))])
    #expect(tree.watcher.takeNotes() == [])
    #expect(tree.watcher.skippedCounts.links == 2)
    #expect(tree.due() == [".gitignore", "a.md", "given.md"])
  }

  @Test func `names that are not UTF-8 are noted`() throws {
    let folder = TemporaryFolder()
    let name = Array(folder.path("x").utf8CString.dropLast()) + [-1, 0]
    close(open(name, O_WRONLY | O_CREAT, 0o600))
    var tree = FolderTree(roots: [folder.path], WatchFilter())
    tree.start(try Inotify())
    #expect(tree.changes.takeNotes() == [.namesSkipped(folder: folder.path, count: 1)])
    #expect(tree.changes.takeDue(.now).files.isEmpty)
    #expect(tree.skippedCounts.names == 1)
    unlink(name)
    tree.readEvents()
    #expect(tree.skippedCounts.names == 0)
  }

  @Test func `a folder to avoid is not scanned`() throws {
    let folder = TemporaryFolder()
    for name in ["store", "other"] {
      mkdir(folder.path(name), 0o700)
      close(open(folder.path("\(name)/f"), O_WRONLY | O_CREAT, 0o600))
    }
    let watcher = try FileWatcher(roots: [folder.path])
    try watcher.scan(avoiding: Set(exact: [folder.path("store")]))
    #expect(watcher.takeDue().files.map(\.path) == [folder.path("other/f")])
  }
}

@Suite struct FileContentTests {
  private let folder = TemporaryFolder()

  private func write(_ bytes: [UInt8]) -> String {
    let path = folder.path("f")
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = Glibc.write(file, bytes, bytes.count)
    close(file)
    return path
  }

  private func content(_ bytes: [UInt8], sizeMax: Int = 1 << 20) -> FileContent {
    FileContent(path: write(bytes), sizeMax: sizeMax, waits: false)
  }

  @Test func `text is read, and what is not text is named`() {
    #expect(content(Array("\u{FEFF}aé\r\n".utf8)) == .text("\u{FEFF}aé\r\n"))
    #expect(content([]) == .text(""))
    #expect(content([0x61, 0x62, 0x63, 0, 0, 0x61]) == .binary)
    #expect(content([0x61, 0xFF]) == .notUTF8)
    let late = [UInt8](repeating: 0x61, count: 8_000) + [0]
    #expect(content(late) == .text(String(decoding: late, as: UTF8.self)))
    #expect(content([1, 2, 3], sizeMax: 2) == .tooLarge(3))
    #expect(FileContent(path: folder.path("none"), sizeMax: 1) == .missing)
    #expect(FileContent(path: folder.path, sizeMax: 1 << 20) == .missing)
    symlink("f", folder.path("link"))
    #expect(FileContent(path: folder.path("link"), sizeMax: 10, waits: false) == .missing)
  }

  @Test func `a file that has just changed is not settled`() {
    let path = write([0x61])
    func set(_ seconds: Int) {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      var times = [now, timespec(tv_sec: now.tv_sec + seconds, tv_nsec: now.tv_nsec)]
      utimensat(AT_FDCWD, path, &times, 0)
    }
    // A machine may pause for the time of settling between two lines, so both answers are possible.
    set(0)
    #expect([.unsettled, .text("a")].contains(FileContent(path: path, sizeMax: 10)))
    for seconds in [-1_000_000_000, -2, 2, 1_000_000_000] {
      set(seconds)
      #expect(FileContent(path: path, sizeMax: 10) == .text("a"))
    }
  }
}
