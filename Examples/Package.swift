// swift-tools-version: 6.2
import PackageDescription

// A separate package, written like a user's: it depends on the library by path, and has none of its settings.
let library: Target.Dependency = .product(name: "RxBluetooth", package: "RxBluetooth")

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "RxBluetooth", path: "..")],
    targets: [
        .executableTarget(name: "heart-rate", dependencies: [library], path: "Sources/HeartRate"),
        .executableTarget(name: "heart-rate-async", dependencies: [library], path: "Sources/HeartRateAsync"),
        .executableTarget(name: "sensors", dependencies: [library], path: "Sources/Sensors"),
        .executableTarget(
            name: "door-cli", dependencies: [library, .product(name: "BLECLI", package: "RxBluetooth")],
            path: "Sources/DoorTool"),
        // The gateway is a library, so that its tests can pass a simulated bus and a virtual clock.
        .target(name: "GatewayCore", dependencies: [library]),
        .executableTarget(name: "gateway", dependencies: ["GatewayCore", library], path: "Sources/Gateway"),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "GatewayCore", library, .product(name: "RxBluetoothMocks", package: "RxBluetooth"),
                .product(name: "RxTest", package: "RxBluetooth"),
            ]),
        .testTarget(
            name: "CellarSensorTests", dependencies: [.product(name: "BluetoothValues", package: "RxBluetooth")]),
    ],
    swiftLanguageModes: [.v6]
)
