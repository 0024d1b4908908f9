// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that who uses the library neither builds nor downloads anything for the benchmarks.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "RxBluetooth", path: "..")],
    targets: [
        .executableTarget(
            name: "rxbench", dependencies: [.product(name: "Rx", package: "RxBluetooth")],
            swiftSettings: [.strictMemorySafety(), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "dbusbench", dependencies: [.product(name: "RxBluetooth", package: "RxBluetooth")],
            swiftSettings: [.strictMemorySafety(), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "simbench",
            dependencies: [
                .product(name: "RxBluetooth", package: "RxBluetooth"),
                .product(name: "RxBluetoothMocks", package: "RxBluetooth"),
                .product(name: "RxTest", package: "RxBluetooth"),
            ],
            swiftSettings: [.strictMemorySafety(), .treatAllWarnings(as: .error)]),
    ],
    swiftLanguageModes: [.v6]
)
