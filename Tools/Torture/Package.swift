// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what only these tests need never reaches a user's build.
var settings: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
if Context.environment["EDITLOG_WARNINGS_AS_ERRORS"] != nil {
  settings.append(.treatAllWarnings(as: .error))
}
let editLog = Target.Dependency.product(name: "EditLog", package: "EditLog")

let package = Package(
  name: "Torture",
  dependencies: [
    .package(name: "EditLog", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    // Files of Tests/TestSupport, by links: one simulated disk for the tests and for this.
    .target(name: "TestSupport", dependencies: [editLog], swiftSettings: settings),
    .executableTarget(
      name: "Torture",
      dependencies: [
        "TestSupport", editLog,
        .product(name: "EditLogClient", package: "EditLog"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
  ]
)
