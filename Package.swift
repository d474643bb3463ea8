// swift-tools-version: 6.2
import PackageDescription

// Arrows point down only (the map is in README.md). The import check in .ci/run refuses an
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

let package = Package(
  name: "EditLog",
  products: [
    .library(name: "EditLog", targets: ["EditModel", "TextState", "EditLog"])
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),

    // The language: edits, ranges, attribute values, identifiers. Standard library only.
    .target(name: "EditModel", swiftSettings: settings),
    // The state machine: text, attribute runs and paragraphs of one version.
    .target(name: "TextState", dependencies: ["EditModel"], swiftSettings: settings),
    // The store: journal, blocks, segments, recovery. Knows no state.
    .target(
      name: "EditLog",
      dependencies: ["CZstd", "EditModel", .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: settings),
    // The services: ingest, socket. The only actors are here.
    .target(
      name: "EditDaemon",
      dependencies: [
        "EditModel", "TextState", "EditLog",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings),

    // Seeded randomness, edit generators, oracles.
    .target(
      name: "TestSupport", dependencies: ["EditModel", "TextState"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "TextStateTests", dependencies: ["EditModel", "TestSupport", "TextState"],
      swiftSettings: settings),
    .testTarget(
      name: "EditModelTests", dependencies: ["EditModel", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "EditLogTests", dependencies: ["EditLog", "EditModel", "TestSupport", "CZstd"],
      swiftSettings: settings),
  ]
)
