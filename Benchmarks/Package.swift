// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of the library neither build nor download anything for the benchmarks.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "RxBluetooth", path: "..")],
    targets: [
        .executableTarget(
            name: "rxbench",
            dependencies: [
                .product(name: "Rx", package: "RxBluetooth"), .product(name: "RxTest", package: "RxBluetooth"),
            ],
            swiftSettings: [.strictMemorySafety(), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "valuesbench", dependencies: [.product(name: "BluetoothValues", package: "RxBluetooth")],
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
