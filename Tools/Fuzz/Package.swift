// swift-tools-version: 6.2
import PackageDescription

// A package of its own: libFuzzer brings its own `main`, which no package of programs can have
// beside it. The modules are those of Sources, by links, so that they are of this package here and
// codecs can be called, not only files read.
var settings: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
if Context.environment["EDITLOG_WARNINGS_AS_ERRORS"] != nil {
  settings.append(.treatAllWarnings(as: .error))
}
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")

let package = Package(
  name: "Fuzz",
  dependencies: [
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .target(name: "EditModel", swiftSettings: settings),
    .target(name: "TextState", dependencies: ["EditModel"], swiftSettings: settings),
    .target(
      name: "EditLogFormat", dependencies: ["CZstd", "EditModel", crypto],
      swiftSettings: settings),
    .target(
      name: "EditLog", dependencies: ["EditLogFormat", "EditModel"], swiftSettings: settings),
    .target(
      name: "Replay", dependencies: ["EditModel", "EditLogFormat", "EditLog", "TextState"],
      swiftSettings: settings),
    .target(
      name: "EditProtocol", dependencies: ["EditModel", nioCore], swiftSettings: settings),
    .target(
      name: "TestSupport", dependencies: ["EditModel", "TextState", "EditLog"],
      swiftSettings: settings),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "EditModel", "TextState", "EditLogFormat", "EditLog", "Replay", "EditProtocol",
        "TestSupport", crypto, nioCore,
      ],
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]),
  ]
)
