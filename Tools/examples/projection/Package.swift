// swift-tools-version: 6.2
import PackageDescription

// A package of its own, with a projection of its own. In yours, the dependency is the URL of EditLog.
let package = Package(
  name: "tally",
  dependencies: [.package(name: "EditLog", path: "../../..")],
  targets: [
    .executableTarget(
      name: "tally", dependencies: [.product(name: "EditLog", package: "EditLog")])
  ]
)
