import EditModel
import Glibc
import Subprocess
import TestSupport
import Testing

@testable import EditLogCommands

/// Every way in which git runs a program or lets a setting change its answers: `import git` in a repository that
/// uses it runs nothing, and imports what it imports from one that does not. The article `Git` lists the ways.
@Suite struct GitProgramTests {
  /// A way in which a repository makes git run a program, or answer something else.
  enum Way: String, CaseIterable {
    case promisorWithExternalTransport, promisorWithSSHCommand, promisorWithUploadPack
    case promisorWithGitProxy, promisorWithRemoteHelper, promisorWithCredentialHelper
    case hooks, hooksPath, fsmonitor, includedFile, worktreeSettings
    case externalDiff, diffDriver, textconv, smudgeFilter, cleanFilter, processFilter
    case alias, pager, editor, signatures, bundleAddress, packObjectsHook, alternateRefsCommand
    case attributesFile
    case rootsNotShown, renamesOff, orderOfFiles, mergesInFull, mailMap, quotedPaths, colours
    case encodingOfOutput, shortHashes, formats, otherWorktree, replacedObjects, grafts, commitGraph
    case sparseAndSubmodules, alternates

    /// The command that shows that plain git obeys: it runs the program. Nil if git does so only on a terminal,
    /// with the network, or not at all here.
    var canary: [String]? {
      switch self {
      case .promisorWithExternalTransport, .promisorWithSSHCommand, .promisorWithUploadPack,
        .promisorWithGitProxy, .promisorWithRemoteHelper:
        ["cat-file", "-p", "HEAD~1:f"]
      case .hooks, .hooksPath: ["checkout", "-q", "-b", "canary"]
      case .fsmonitor, .includedFile, .worktreeSettings: ["status"]
      case .externalDiff, .diffDriver: ["diff", "HEAD~1"]
      case .textconv, .attributesFile: ["log", "-p"]
      case .smudgeFilter: ["checkout", "HEAD~1", "--", "f"]
      case .cleanFilter, .processFilter: ["add", "--renormalize", "f"]
      case .alias: ["canary"]
      case .editor: ["config", "--edit"]
      case .signatures: ["log"]
      default: nil
      }
    }

    /// True if a version is missing in the repository, so that it is left out.
    var isIncomplete: Bool { rawValue.hasPrefix("promisor") }
  }

  /// Three versions, and what an import makes of them.
  private func repository() async throws -> (GitHarness, GitHarness.Imported) {
    let harness = try await GitHarness()
    let lines = (0..<20).map { "line é \($0)\n" }.joined()
    try await harness.commit("before", lines, "one", at: "2026-01-01T00:00:00Z")
    try await harness.git("mv", "before", "f")
    try await harness.git("commit", "-qm", "renamed", at: "2026-01-02T00:00:00Z")
    try await harness.commit("f", lines + "two\n", "two é", at: "2026-01-03T00:00:00Z")
    try await harness.commit("f", lines + "three\n", "three", at: "2026-01-04T00:00:00Z")
    return (harness, try await harness.imported("f"))
  }

  /// Makes the repository use a way. `program` notes that it was run.
  private func use(_ way: Way, _ harness: GitHarness, program: String) async throws {
    func set(_ name: String, _ value: String) async throws {
      try await harness.git("config", name, value)
    }
    func promisor(_ address: String) async throws {
      let blob = try await harness.git("rev-parse", "HEAD~1:f")
      unlink(harness.path(".git/objects/\(blob.prefix(2))/\(blob.dropFirst(2))"))
      try await set("core.repositoryFormatVersion", "1")
      try await set("extensions.partialClone", "origin")
      try await set("remote.origin.promisor", "true")
      try await set("remote.origin.url", address)
      try await set("protocol.allow", "always")
    }
    func attribute(_ text: String) throws {
      try harness.write(Array("* \(text)\n".utf8), ".git/info/attributes")
    }
    switch way {
    case .promisorWithExternalTransport: try await promisor("ext::" + program)
    case .promisorWithSSHCommand:
      try await promisor("ssh://127.0.0.1/x")
      try await set("core.sshCommand", program)
    case .promisorWithUploadPack:
      try await promisor(harness.path)
      try await set("remote.origin.uploadpack", program)
    case .promisorWithGitProxy:
      try await promisor("git://127.0.0.1/x")
      try await set("core.gitProxy", program)
    case .promisorWithRemoteHelper:
      try await promisor("anything")
      try await set("remote.origin.vcs", "evil")
    case .promisorWithCredentialHelper:
      try await promisor("http://127.0.0.1:1/x")
      try await set("credential.helper", program)
      try await set("core.askPass", program)
    case .hooks, .hooksPath:
      let folder = way == .hooks ? harness.path(".git/hooks") : harness.folder.path("hooks")
      mkdir(folder, 0o700)
      for name in ["post-checkout", "post-index-change", "reference-transaction", "post-commit"] {
        symlink(program, folder + "/" + name)
      }
      if way == .hooksPath { try await set("core.hooksPath", folder) }
    case .fsmonitor: try await set("core.fsmonitor", program)
    case .includedFile:
      try harness.write(Array("[core]\n\tfsmonitor = \(program)\n".utf8), ".git/more")
      try await set("include.path", "more")
    case .worktreeSettings:
      try await set("core.repositoryFormatVersion", "1")
      try await set("extensions.worktreeConfig", "true")
      try await harness.git("config", "--worktree", "core.fsmonitor", program)
    case .externalDiff: try await set("diff.external", program)
    case .diffDriver:
      try attribute("diff=evil")
      try await set("diff.evil.command", program)
    case .textconv:
      try attribute("diff=evil")
      try await set("diff.evil.textconv", program)
    case .smudgeFilter:
      try attribute("filter=evil")
      try await set("filter.evil.smudge", program)
    case .cleanFilter:
      try attribute("filter=evil")
      try await set("filter.evil.clean", program)
    case .processFilter:
      try attribute("filter=evil")
      try await set("filter.evil.process", program)
    case .alias:
      for name in ["log", "cat-file", "rev-parse", "diff-tree", "canary"] {
        try await set("alias." + name, "!" + program)
      }
    case .pager:
      for name in ["core.pager", "pager.log", "pager.rev-parse"] { try await set(name, program) }
    case .editor:
      for name in ["core.editor", "sequence.editor"] { try await set(name, program) }
    case .signatures:
      try await set("gpg.program", program)
      try await set("log.showSignature", "true")
    case .bundleAddress:
      try await set("fetch.bundleURI", "ext::" + program)
      try await set("transfer.bundleURI", "true")
    case .packObjectsHook: try await set("uploadpack.packObjectsHook", program)
    case .alternateRefsCommand: try await set("core.alternateRefsCommand", program)
    case .attributesFile:
      let path = try harness.folder.write("* diff=evil\n", to: "attributes")
      try await set("core.attributesFile", path)
      try await set("diff.evil.textconv", program)
    case .rootsNotShown: try await set("log.showRoot", "false")
    case .renamesOff:
      try await set("diff.renames", "false")
      try await set("diff.renameLimit", "1")
    case .orderOfFiles: try await set("diff.orderFile", harness.folder.path("none"))
    case .mergesInFull:
      try await set("log.diffMerges", "first-parent")
      try await set("log.follow", "true")
    case .mailMap: try harness.write(Array("Other Name <ada@example.org>\n".utf8), ".mailmap")
    case .quotedPaths: try await set("core.quotePath", "false")
    case .colours: try await set("color.ui", "always")
    case .encodingOfOutput: try await set("i18n.logOutputEncoding", "UTF-16")
    case .shortHashes: try await set("core.abbrev", "7")
    case .formats:
      try await set("format.pretty", "raw")
      try await set("log.date", "human")
      try await set("log.decorate", "full")
    case .otherWorktree: try await set("core.worktree", harness.folder.path)
    case .replacedObjects:
      let other = try await harness.git("rev-parse", "HEAD~1")
      try await harness.git("replace", "HEAD", other)
    case .grafts:
      let head = try await harness.git("rev-parse", "HEAD")
      try harness.write(Array((head + "\n").utf8), ".git/info/grafts")
    case .commitGraph:
      try await harness.git("commit-graph", "write", "--reachable")
      let path = harness.path(".git/objects/info/commit-graph")
      chmod(path, 0o600)
      truncate(path, 100)
    case .sparseAndSubmodules:
      try await set("core.sparseCheckout", "true")
      try await set("submodule.recurse", "true")
      try await set("submodule.x.update", "!" + program)
    case .alternates:
      try harness.write(Array("/nowhere\n".utf8), ".git/objects/info/alternates")
    }
  }

  @Test(arguments: Way.allCases) func nothingIsRun(_ way: Way) async throws {
    let (harness, expected) = try await repository()
    let mark = harness.folder.path("was-run")
    let program = try harness.folder.write("#!/bin/sh\ntouch \(mark)\nexit 1\n", to: "program")
    chmod(program, 0o700)
    mkdir(harness.folder.path("bin"), 0o700)
    symlink(program, harness.folder.path("bin/git-remote-evil"))
    var reference = expected
    if way == .signatures {
      // A commit with a signature, which is the only one that the program is run for.
      let tree = try await harness.git("rev-parse", "HEAD^{tree}")
      let parent = try await harness.git("rev-parse", "HEAD~1")
      let commit = """
        tree \(tree)
        parent \(parent)
        author Ada L <ada@example.org> 1767484800 +0000
        committer Ada L <ada@example.org> 1767484800 +0000
        gpgsig -----BEGIN PGP SIGNATURE-----
         x
         -----END PGP SIGNATURE-----

        three

        """
      let hash = try await harness.git(
        "hash-object", "-t", "commit", "-w", "--stdin", input: Array(commit.utf8))
      try await harness.git("reset", "-q", "--hard", hash)
      reference = try await harness.imported("f")
      #expect(reference.texts == expected.texts)
    }
    try await use(way, harness, program: program)
    if let canary = way.canary {
      _ = try await harness.output(canary)
      #expect(access(mark, F_OK) == 0, "git \(canary) does not show that \(way) is a way")
      unlink(mark)
      _ = try await harness.output(["symbolic-ref", "HEAD", "refs/heads/main"])
      unlink(mark)
    }
    let imported = try await harness.imported("f")
    #expect(access(mark, F_OK) != 0, "a program was run")
    #expect(access(harness.folder.path("none"), F_OK) != 0)
    guard !way.isIncomplete else {
      #expect(imported.exitCode == 1 && imported.texts.count == 3, "\(imported.noted)")
      #expect(imported.noted.contains("the repository does not have its content"))
      return
    }
    #expect(imported.texts == reference.texts && imported.texts.count == 4)
    #expect(imported.labels == reference.labels && imported.authors == reference.authors)
    #expect(imported.times == reference.times && imported.exitCode == 0, "\(imported.noted)")
  }

  /// The article lists these ways, and no others.
  @Test func theArticleListsTheWays() throws {
    let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let path = "/\(package)/Sources/EditLogCommands/EditLogCommands.docc/Git.md"
    let article = String(decoding: try DiskFile.bytes(path), as: UTF8.self)
    let named = article.split(separator: "\n").filter { $0.hasPrefix("| ") }
      .compactMap { $0.split(separator: "|").last.map { $0.split(separator: "`") } }
      .flatMap { $0.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) } }
    let tests = [
      "callersVariablesAreNotInherited", "settingsAreNotRead", "nothingIsWrittenAround",
      "foldersOfOthersAreRefused",
    ]
    #expect(Set(named) == Set(Way.allCases.map(\.rawValue) + tests))
  }

  /// git gets `PATH` and the variables that are meant for it, and no other.
  @Test func callersVariablesAreNotInherited() async throws {
    let outcome = try await Git().run(["-c", "alias.canary=!env", "canary"])
    let names = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
      .compactMap { $0.split(separator: "=").first }.filter { !$0.hasPrefix("GIT_") }
    // Those of the shell that git starts, too.
    #expect(Set(names).isSubset(of: ["PATH", "LC_ALL", "PWD", "OLDPWD", "SHLVL", "_", "TERM"]))
    let user = Git.userNameCommand.environment.compactMap { $0.split(separator: "=").first }
    #expect(!user.contains("GIT_DIR") && !user.contains("GIT_CONFIG_COUNT"))
    #expect(user.contains("PATH"))
  }

  private static let longName = String(repeating: "long", count: 1_000)

  private func excludesFile(
    _ settings: String, at home: TemporaryFolder, _ configHome: String? = nil,
    program: String = "git"
  ) throws -> String? {
    _ = try home.write(settings, to: ".gitconfig")
    var variables = Git.userVariables
    #expect(variables["GIT_DIR"] == nil)
    variables["GIT_CONFIG_NOSYSTEM"] = "1"
    (variables["HOME"], variables["XDG_CONFIG_HOME"]) = (home.path, configHome)
    return try Git.excludesFile(variables, program: program)
  }

  /// The user's settings decide where the file is, and no repository's.
  @Test(
    arguments: [
      ("", nil, "~/.config/git/ignore"), ("", "/x", "/x/git/ignore"),
      ("excludesFile = ~/mine", nil, "~/mine"), ("excludesFile = /mine", "/x", "/mine"),
      ("excludesFile = \"/two\\nlines\"", nil, "/two\nlines"),
      ("excludesFile = /\(GitProgramTests.longName)", nil, "/\(GitProgramTests.longName)"),
      ("excludesFile = /first\nexcludesFile = /last", nil, "/last"),
      ("excludesFile =", nil, nil), ("excludesFile = relative", nil, nil),
    ] as [(String, String?, String?)])
  func excludesFileOfTheUser(setting: String, configHome: String?, expected: String?) throws {
    let home = TemporaryFolder()
    let found = try excludesFile("[core]\n\(setting)\n", at: home, configHome)
    let isAtHome = expected?.hasPrefix("~") == true
    #expect(found == expected.map { isAtHome ? home.path + $0.dropFirst() : $0 })
  }

  /// If the rules are not known, nothing is watched. Without git, they are at the default place.
  @Test func anExcludesFileThatGitCannotTellIsAnError() throws {
    let home = TemporaryFolder()
    for settings in ["[core\n", "[core]\nexcludesFile = ~no-such-user/x\n"] {
      #expect(throws: CommandError.self, "\(settings)") { try excludesFile(settings, at: home) }
    }
    let found = try excludesFile("[core\n", at: home, program: "no-such-program-anywhere")
    #expect(found == home.path(".config/git/ignore"))
  }

  /// Settings come from the command line and from the repository that was made for the import.
  @Test func settingsAreNotRead() async throws {
    let (harness, _) = try await repository()
    let objects = try await GitObjects(of: harness.path)
    defer { withExtendedLifetime(objects) {} }
    let outcome = try await objects.git.run(["config", "--list", "--show-scope"])
    let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
      .filter { !$0.hasPrefix("command\t") }
    #expect(lines == ["local\tcore.repositoryformatversion=0", "local\tcore.bare=true"])
    // In the working directory, which may be in a repository.
    let found = try await Git().run(["config", "--list", "--show-scope"])
    let scopes = String(decoding: found.output, as: UTF8.self).split(separator: "\n")
      .compactMap { $0.split(separator: "\t").first }
    #expect(Set(scopes).isSubset(of: ["command", "local"]))
  }

  /// `export --format git` into a folder of a repository leaves that one as it is.
  @Test func nothingIsWrittenAround() async throws {
    let (harness, _) = try await repository()
    let mark = harness.folder.path("was-run")
    let program = try harness.folder.write("#!/bin/sh\ntouch \(mark)\nexit 1\n", to: "program")
    chmod(program, 0o700)
    for way in [Way.hooks, .fsmonitor, .smudgeFilter] {
      try await use(way, harness, program: program)
    }
    let before = try await harness.git("for-each-ref")
    let store = try GitHarness.store()
    _ = try await store.run(ImportGitCommand.self, [harness.path("f"), "--document", "d"])
    let noted = try await store.run(
      ExportCommand.self, ["d", "--format", "git", "--output", harness.path("copy.git")]
    ).noted
    #expect(noted.contains("Wrote 4 commits to ") && access(mark, F_OK) != 0)
    #expect(access(harness.path("copy.git/.git/hooks"), F_OK) != 0)
    try await harness.git("config", "core.fsmonitor", "false")
    #expect(try await harness.git("for-each-ref") == before)
    #expect(try await harness.git("config", "core.bare") == "false")
    #expect(
      try await harness.git("-C", "copy.git", "log", "--format=%an|%ad|%B")
        == harness.git("log", "--follow", "--format=%an|%ad|%B", "f"))
  }

  /// A repository that belongs to another user is read if the user's own settings say so.
  @Test(.enabled(if: getuid() == 0, "another owner needs root"))
  func foldersOfOthersAreRefused() async throws {
    let (harness, _) = try await repository()
    for name in ["", ".git"] { chown(harness.path(name), 65_534, 65_534) }
    let error = await #expect(throws: CommandError.self) { _ = try await harness.imported("f") }
    #expect(error?.exitCode == 65)
    #expect(error?.message.contains("git says: fatal: detected dubious ownership") == true)
  }
}
