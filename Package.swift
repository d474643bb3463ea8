// swift-tools-version: 6.2
import PackageDescription

// Arrows point down only (the map is in Sources/Guide.docc/Architecture.md). The import check in .ci/run refuses an
// import that is not declared here:
//   swift build --explicit-target-dependency-import-check error
var settings: [SwiftSetting] = [
  // An import is private to its file unless it says otherwise, so that a module's public API
  // names exactly what it exposes.
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
// Set in CI; a newer compiler's new warnings must not break a user's build.
if Context.environment["EDITLOG_WARNINGS_AS_ERRORS"] != nil {
  settings.append(.treatAllWarnings(as: .error))
}

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
let dequeModule = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioConcurrencyHelpers = Target.Dependency.product(
  name: "NIOConcurrencyHelpers", package: "swift-nio")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let serviceLifecycle = Target.Dependency.product(
  name: "ServiceLifecycle", package: "swift-service-lifecycle")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

// The rope that the benchmarks compare with is not part of the stable interface.
let swiftCollections = Package.Dependency.package(
  url: "https://github.com/apple/swift-collections",
  Context.environment["EDITLOG_TOOLS"] == nil
    ? Version(1, 6, 0)..<Version(2, 0, 0) : Version(1, 6, 0)..<Version(1, 7, 0))

let package = Package(
  name: "EditLog",
  products: [
    // The log, its state and its projections inside your own program.
    .library(
      name: "EditLog",
      targets: [
        "EditModel", "TextState", "EditLogFormat", "EditLog", "Replay", "ModelStorage",
        "Projections", "Styling", "TextGrid", "Rendering",
      ]),
    // The socket's client.
    .library(
      name: "EditLogClient", targets: ["EditJSON", "EditModel", "EditProtocol", "EditClient"]),
    // Histories as tables of an SQLite file.
    .library(name: "EditLogSQLite", targets: ["EditModel", "Projections", "SQLiteProjection"]),
    // Texts as HTML, Markdown, XML and JSON.
    .library(name: "EditLogInterchange", targets: ["EditModel", "Interchange"]),
    .executable(name: "editlogd", targets: ["editlogd"]),
    .executable(name: "editlog", targets: ["EditLogCLI"]),
    // The verb `project` of `editlog`; must be installed beside it.
    .executable(name: "editlog-project", targets: ["EditLogProject"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    swiftCollections,
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    // Descriptors and paths, as Subprocess takes them.
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    // Without traits: the Foundation part stays out of the command line.
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: [
    // The headers of the kernel and of the loader.
    .systemLibrary(name: "CLinux"),
    // Instructions of processors.
    .systemLibrary(name: "CProcessor"),
    // Terminals. Its packages have a file for pkg-config, but not all paths are in it.
    .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
    // Widths of characters, grapheme clusters, line breaks. It has no file for pkg-config.
    .systemLibrary(name: "CUnistring", providers: [.apt(["libunistring-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),

    // The language: edits, ranges, attribute values, identifiers. Standard library only.
    .target(name: "EditModel", dependencies: ["CProcessor"], swiftSettings: settings),
    // The state machine: text, attribute runs and paragraphs of one version.
    .target(name: "TextState", dependencies: ["EditModel"], swiftSettings: settings),
    // Text on a grid of cells: widths, rows, pages, several layouts of one text. No I/O.
    .target(
      name: "TextGrid", dependencies: ["CUnistring", "EditModel", "TextState"],
      swiftSettings: settings),
    // The bytes of a store's files: codecs, blocks, hash chain. No I/O.
    .target(
      name: "EditLogFormat", dependencies: ["CZstd", "EditModel"], swiftSettings: settings),
    // The store: files, recovery, jobs. Knows no state.
    .target(
      name: "EditLog", dependencies: ["EditLogFormat", "EditModel"], swiftSettings: settings),
    // The state at any point: checkpoints, then edits.
    .target(
      name: "Replay",
      dependencies: ["EditModel", "EditLogFormat", "EditLog", "Projections", "TextState"],
      swiftSettings: settings),
    // Sections of items, their changes, and algorithms of differences. Standard library only.
    .target(name: "ModelStorage", swiftSettings: settings),
    // Folds over edits and changes: paragraph models, undo history, deletion traces. No I/O; the
    // bytes of their states are written by the log's codecs.
    .target(
      name: "Projections",
      dependencies: ["EditLogFormat", "EditModel", "ModelStorage", "TextState"],
      swiftSettings: settings),
    // What text looks like: rules, grammars, themes, decorations. No I/O.
    .target(
      name: "Styling", dependencies: ["EditModel", "Projections", "TextState"],
      // In the program itself, so that one that is linked statically has them.
      resources: [
        .embedInCode("Grammars/c.toml"), .embedInCode("Grammars/json.toml"),
        .embedInCode("Grammars/markdown.toml"), .embedInCode("Grammars/python.toml"),
        .embedInCode("Grammars/rules.toml"), .embedInCode("Grammars/swift.toml"),
      ],
      swiftSettings: settings),
    // Rows of a grid as text, for terminals, in HTML and in SVG. No I/O.
    .target(
      name: "Rendering", dependencies: ["EditModel", "Styling", "TextGrid", "TextState"],
      swiftSettings: settings),
    // JSON: values, text, and codecs that say how a type is written. NIOCore for its buffers.
    .target(name: "EditJSON", dependencies: ["EditModel", nioCore], swiftSettings: settings),
    // The wire: methods, framing, message shapes, the log's records. Knows no file and no state.
    .target(
      name: "EditProtocol", dependencies: ["EditJSON", "EditLogFormat", "EditModel", nioCore],
      swiftSettings: settings),
    // Texts with attributes as files: HTML, Markdown, XML, JSON. No I/O.
    .target(
      name: "Interchange",
      dependencies: ["EditJSON", "EditModel", "EditProtocol", "Projections", "Styling"],
      swiftSettings: settings),
    // Whole histories as files: the page that replays one. No I/O.
    .target(
      name: "HistoryExport",
      dependencies: [
        "CZlib", "EditJSON", "EditModel", "EditProtocol", "Projections", "TextState",
      ],
      // In the program itself, so that one that is linked statically has them.
      resources: [
        .embedInCode("Player/model.js"), .embedInCode("Player/page.html"),
        .embedInCode("Player/player.css"), .embedInCode("Player/player.js"),
        .embedInCode("Player/view.js"),
      ],
      swiftSettings: settings),
    // Histories as tables of an SQLite file: edits, paragraphs, undo steps and more.
    .target(
      name: "SQLiteProjection",
      dependencies: [
        "CSQLite", "EditJSON", "EditLogFormat", "EditModel", "EditProtocol", "Projections",
        "Replay",
        "TextState", grdb, grdbSQLite,
      ],
      swiftSettings: settings),
    // The files of what editors' bridges could not send: format, locks, folder.
    .target(
      name: "EditSpool", dependencies: ["EditJSON", "EditModel", "EditProtocol"],
      swiftSettings: settings),
    // What programs use to reach the daemon: the client, resending, the bridge for editors.
    .target(
      name: "EditClient",
      dependencies: [
        "EditJSON", "EditLogFormat", "EditModel", "EditProtocol", "EditSpool", dequeModule,
        nioCore, nioPosix,
      ],
      swiftSettings: settings),
    // The answers: every question about histories, asked by the daemon and the CLI alike.
    .target(
      name: "EditQueries",
      dependencies: [
        "EditModel", "TextState", "TextGrid", "Styling", "Rendering", "EditLogFormat", "EditLog",
        "Replay", "Projections", "EditProtocol", "Interchange",
      ],
      swiftSettings: settings),
    // The screen of `editlog scrub`: from keys and answers to requests and frames. No I/O.
    .target(
      name: "Scrubbing", dependencies: ["EditModel", "EditProtocol", "TextGrid", "TextState"],
      swiftSettings: settings),
    // What editors say over LSP, as edits. Values without I/O, but for the reading of files.
    .target(
      name: "EditorSync", dependencies: ["EditJSON", "EditModel", "TextState", "EditProtocol"],
      swiftSettings: settings),
    // The one writer of a store, its jobs, and the newest versions in memory.
    .target(
      name: "EditIngest",
      dependencies: [
        "CLinux", "EditJSON", "EditModel", "TextState", "EditLogFormat", "EditLog", "Replay",
        "EditProtocol", "EditQueries", "EditorSync", dequeModule, logging, metrics,
        nioConcurrencyHelpers, nioCore, nioPosix,
      ],
      swiftSettings: settings),
    // Changes of files in folders: inotify, ignore rules. Knows no log.
    .target(name: "FileWatch", dependencies: ["CLinux", "EditModel"], swiftSettings: settings),
    // What this process may do: files by Landlock, system calls by seccomp.
    .target(name: "Sandbox", dependencies: ["CLinux"], swiftSettings: settings),
    // The daemon: its settings, its socket, connections, limits, start and stop.
    .target(
      name: "EditDaemon",
      dependencies: [
        "EditJSON", "EditModel", "EditLogFormat", "EditLog", "EditProtocol", "EditQueries",
        "EditSpool", "EditorSync", "EditIngest", "FileWatch", "Sandbox", "Styling", dequeModule,
        logging, metrics, nioConcurrencyHelpers, nioCore, nioPosix, serviceLifecycle,
      ],
      swiftSettings: settings),
    // The daemon's command line: settings, signals, the log.
    .target(
      name: "DaemonProgram",
      dependencies: [
        "EditDaemon", "EditModel", "EditProtocol", argumentParser, logging,
        serviceLifecycle,
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "editlogd", dependencies: ["DaemonProgram", argumentParser], swiftSettings: settings
    ),

    // The verbs of `editlog`: parse, ask, print.
    .target(
      name: "EditLogCommands",
      dependencies: [
        "EditJSON", "CLinux", "CNcurses", "CZlib", "EditModel", "TextState", "EditProtocol",
        "EditClient", "EditQueries", "EditSpool", "EditorSync", "EditIngest", "FileWatch",
        "HistoryExport", "Interchange", "Sandbox", "Rendering", "Scrubbing", "Styling", "TextGrid",
        argumentParser,
        logging, nioCore, nioPosix,
        subprocess,
        systemPackage,
      ],
      swiftSettings: settings),
    // It is installed as `editlogd` too, by a link: most of both programs is the same.
    .executableTarget(
      name: "EditLogCLI", dependencies: ["DaemonProgram", "EditLogCommands", argumentParser],
      swiftSettings: settings),
    // `editlog` with the verb `project`: a program of its own, because GRDB brings all of Foundation,
    // which makes the start slower.
    .executableTarget(
      name: "EditLogProject",
      dependencies: [
        "EditJSON", "EditModel", "EditProtocol", "EditClient", "EditQueries", "EditLogCommands",
        "SQLiteProjection", argumentParser,
      ],
      swiftSettings: settings),

    // Seeded randomness, edit generators, oracles.
    .target(
      name: "TestSupport", dependencies: ["EditModel", "TextState", "EditLog"],
      path: "Tests/TestSupport",
      swiftSettings: settings),
    // The guide's map against this file.
    .testTarget(name: "RepositoryTests", swiftSettings: settings),
    .testTarget(
      name: "EditModelTests", dependencies: ["EditModel", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "TextStateTests", dependencies: ["EditModel", "TestSupport", "TextState"],
      swiftSettings: settings),
    .testTarget(
      name: "TextGridTests", dependencies: ["EditModel", "TestSupport", "TextGrid", "TextState"],
      swiftSettings: settings),
    .testTarget(
      name: "EditLogFormatTests", dependencies: ["EditLogFormat", "EditModel", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "EditLogTests",
      dependencies: ["EditLog", "EditLogFormat", "EditModel", "TestSupport", "CZstd"],
      resources: [.copy("Fixtures")], swiftSettings: settings),
    .testTarget(
      name: "ReplayTests",
      dependencies: [
        "EditLog", "EditLogFormat", "EditModel", "Projections", "Replay", "TestSupport",
        "TextState",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ModelStorageTests", dependencies: ["ModelStorage", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "ProjectionsTests",
      dependencies: ["EditModel", "ModelStorage", "TextState", "Projections", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "InterchangeTests",
      dependencies: [
        "EditJSON", "EditModel", "EditProtocol", "Interchange", "Projections", "Styling",
        "TestSupport", "TextState",
      ],
      exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(
      name: "HistoryExportTests",
      dependencies: [
        "CZlib", "EditJSON", "EditModel", "EditProtocol", "HistoryExport", "Projections",
        "TestSupport", "TextState", nioCore,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RenderingTests",
      dependencies: ["EditModel", "Rendering", "Styling", "TestSupport", "TextGrid", "TextState"],
      exclude: ["Golden"], swiftSettings: settings),
    .testTarget(
      name: "ScrubbingTests",
      dependencies: ["EditModel", "EditProtocol", "Scrubbing", "TestSupport", "TextState"],
      swiftSettings: settings),
    .testTarget(
      name: "StylingTests",
      dependencies: ["EditModel", "Projections", "Styling", "TestSupport", "TextState"],
      swiftSettings: settings),
    .testTarget(
      name: "SQLiteProjectionTests",
      dependencies: [
        "EditModel", "TextState", "Projections", "SQLiteProjection", "TestSupport", grdb,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EditProtocolTests",
      dependencies: [
        "EditJSON", "EditLogFormat", "EditModel", "EditProtocol", "TestSupport", nioCore,
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOTestUtils", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EditClientTests",
      dependencies: [
        "EditJSON", "EditClient", "EditLogFormat", "EditModel", "EditProtocol", "EditSpool",
        "TestSupport", nioCore, nioPosix,
      ],
      swiftSettings: settings),
    // Requests, calls by name, recorded logs and time limits.
    .target(
      name: "DaemonTestSupport",
      dependencies: ["EditJSON", "EditModel", "EditProtocol", "EditQueries", logging],
      path: "Tests/DaemonTestSupport", swiftSettings: settings),
    .testTarget(
      name: "EditQueriesTests",
      dependencies: [
        "DaemonTestSupport", "EditJSON", "EditLog", "EditModel", "EditProtocol", "EditQueries",
        "Projections", "Replay", "TestSupport", "TextState",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EditorSyncTests",
      dependencies: [
        "EditJSON", "EditModel", "EditProtocol", "EditorSync", "TestSupport", "TextState",
      ],
      resources: [.copy("Fixtures")], swiftSettings: settings),
    .testTarget(
      name: "EditIngestTests",
      dependencies: [
        "DaemonTestSupport", "EditIngest", "EditJSON", "EditLog", "EditModel", "EditProtocol",
        "EditorSync", "Replay", "TestSupport", "TextState", nioCore, nioPosix,
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EditDaemonTests",
      dependencies: [
        "DaemonTestSupport", "EditClient", "EditDaemon", "EditIngest", "EditJSON", "EditLog",
        "EditLogCommands", "EditLogFormat", "EditModel", "EditProtocol", "EditQueries", "EditSpool",
        "EditorSync", "FileWatch", "Replay", "TestSupport", "TextState", argumentParser,
        logging, nioCore, nioPosix, serviceLifecycle, subprocess,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SandboxTests", dependencies: ["Sandbox", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "FileWatchTests", dependencies: ["EditModel", "FileWatch", "TestSupport", subprocess],
      swiftSettings: settings),
    .testTarget(
      name: "EditLogCLITests",
      dependencies: [
        "CNcurses", "CZlib", "EditClient", "EditIngest", "EditJSON", "EditLog", "EditLogCommands",
        "EditLogProject", "EditModel", "EditProtocol", "EditQueries", "EditSpool", "Interchange",
        "ModelStorage", "Projections", "SQLiteProjection", "Scrubbing", "Styling", "TestSupport",
        "TextGrid", "TextState", argumentParser, grdb, nioCore, subprocess,
      ],
      swiftSettings: settings),
  ]
)

// The tests spend most of their time in these modules. Set in CI: a debug build then takes some minutes of
// processor time more, its tests ten less, and all assertions stay.
if Context.environment["EDITLOG_FAST_TESTS"] == "1" {
  let modules: Set = [
    "EditJSON", "EditLog", "EditLogFormat", "EditModel", "EditProtocol", "ModelStorage",
    "Projections", "Replay", "Scrubbing", "TestSupport", "TextGrid", "TextState",
  ]
  for target in package.targets where modules.contains(target.name) {
    // As a whole, which takes a fourth less processor time than file by file.
    let flags = [
      "-O", "-assert-config", "Debug", "-whole-module-optimization", "-num-threads", "2",
      "-disable-batch-mode",
    ]
    target.swiftSettings = settings + [.unsafeFlags(flags, .when(configuration: .debug))]
  }
}

// What measures and tests the modules at length. The scripts in Tools set EDITLOG_TOOLS, so that a
// user's build has none of it, and share the release build of the package:
//   1     the benchmarks, the torture tests and the example of a client
//   fuzz  the fuzz targets alone: libFuzzer brings the only `main` that may be in the build
let ropes = Target.Dependency.product(name: "_RopeModule", package: "swift-collections")
switch Context.environment["EDITLOG_TOOLS"] {
case nil: break
case "fuzz":
  package.targets += [
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "EditJSON", "EditModel", "TextState", "EditLog", "EditLogFormat", "Replay",
        "EditProtocol", "TestSupport", nioCore,
      ],
      path: "Tools/Fuzz/Sources/Fuzz",
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
  ]
default:
  package.dependencies.append(
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"))
  package.targets += [
    // What a good C program does, and counters of memory. SwiftPM's release default for C is -O2.
    .target(
      name: "CBaselines", path: "Tools/Benchmarks/Sources/CBaselines",
      cSettings: [.unsafeFlags(["-O3"], .when(configuration: .release))],
      linkerSettings: [.linkedLibrary("zstd")]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CBaselines", "EditJSON", "EditLog", "EditLogCommands", "EditLogFormat", "EditModel",
        "EditProtocol", "EditQueries", "Projections", "Rendering", "Replay", "Scrubbing", "Styling",
        "TestSupport", "TextGrid", "TextState", argumentParser, ropes,
      ],
      path: "Tools/Benchmarks/Sources/Benchmarks", swiftSettings: settings),
    .testTarget(
      name: "BenchmarksTests",
      dependencies: [
        "Benchmarks", "CBaselines", "EditLog", "EditLogFormat", "EditModel", "TestSupport",
        "TextState",
      ],
      path: "Tools/Benchmarks/Tests/BenchmarksTests", swiftSettings: settings),
    // As another package sees the library: without what is for this package alone.
    .executableTarget(
      name: "ClientExample", dependencies: ["EditClient", "EditModel", "EditProtocol"],
      path: "Tools/examples/swift", packageAccess: false, swiftSettings: settings),
    .executableTarget(
      name: "CheckCases", dependencies: ["EditModel", "Projections", "Styling", "TextState"],
      path: "Tools/CheckCases/Sources/CheckCases", packageAccess: false, swiftSettings: settings),
    .executableTarget(
      name: "Load",
      dependencies: [
        "EditModel", argumentParser, .product(name: "Histogram", package: "hdrhistogram-swift"),
      ],
      path: "Tools/Load/Sources/Load", swiftSettings: settings),
    .executableTarget(
      name: "Torture",
      dependencies: [
        "EditClient", "EditJSON", "EditLog", "EditLogFormat", "EditModel", "EditProtocol",
        "EditSpool",
        "Replay", "TestSupport", "TextState", argumentParser,
      ],
      path: "Tools/Torture/Sources/Torture", swiftSettings: settings),
  ]
}
