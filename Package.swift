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
    .library(name: "EditLog", targets: ["EditModel", "TextState", "EditLog"])
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")
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

    // Seeded randomness, edit generators, oracles.
    .target(
      name: "TestSupport", dependencies: ["EditModel", "EditLog"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "EditModelTests", dependencies: ["EditModel", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "EditLogTests", dependencies: ["EditLog", "EditModel", "TestSupport"],
      swiftSettings: settings),
  ]
)
