// swift-tools-version: 6.1
import PackageDescription

// Arrows point down only (the map is in README.md). The import check in .ci/run refuses an
// import that is not declared here:
//   swift build --explicit-target-dependency-import-check error
let settings: [SwiftSetting] = [
  // An import is private to its file unless it says otherwise, so that a module's public API
  // names exactly what it exposes.
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "EditLog",
  products: [
    .library(name: "EditLog", targets: ["EditModel", "TextState", "EditLog"]),
    .executable(name: "editlog", targets: ["EditLogCLI"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    // Without traits: the Foundation part stays out of the command line.
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: [
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    // The language: edits, ranges, attribute values, identifiers. Standard library only.
    .target(name: "EditModel", swiftSettings: settings),
    // The state machine: text, attribute runs and paragraphs of one version.
    .target(name: "TextState", dependencies: ["EditModel"], swiftSettings: settings),
    // The store: journal, blocks, segments, recovery. Knows no state.
    .target(
      name: "EditLog",
      dependencies: ["CZstd", "EditModel", .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: settings),

    // The wire: JSON, framing, message shapes, and a client. Knows no file and no state.
    .target(
      name: "EditProtocol",
      dependencies: [
        "EditModel", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: settings),

    // The command line: one file a verb. A library, so that tests reach it.
    .target(
      name: "EditLogCommands",
      dependencies: [
        "CZlib", "EditModel", "EditProtocol", "TextState",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "EditLogCLI", dependencies: ["EditLogCommands"], swiftSettings: settings),

    // Seeded randomness, edit generators, oracles.
    .target(
      name: "TestSupport", dependencies: ["EditModel", "TextState"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "TextStateTests", dependencies: ["EditModel", "TestSupport", "TextState"],
      swiftSettings: settings),
    .testTarget(
      name: "EditProtocolTests",
      dependencies: [
        "EditModel", "EditProtocol", "TestSupport",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOTestUtils", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EditLogCLITests",
      dependencies: [
        "CZlib", "EditLogCommands", "EditModel", "EditProtocol", "TestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      swiftSettings: settings),
  ]
)
