// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what only benchmarks need never reaches a user's build.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "EditLog", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // The rope is not part of the stable interface, so the version is exact.
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
  ],
  targets: [
    // What a good C program does, and counters of memory. SwiftPM's release default for C is
    // -O2; a root package may ask for more.
    .target(
      name: "CBaselines", cSettings: [.unsafeFlags(["-O3"], .when(configuration: .release))],
      linkerSettings: [.linkedLibrary("zstd")]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CBaselines",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "EditLog", package: "EditLog"),
        .product(name: "_RopeModule", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "BenchmarksTests",
      dependencies: [
        "Benchmarks", "CBaselines", .product(name: "EditLog", package: "EditLog"),
      ],
      swiftSettings: settings),
  ]
)
