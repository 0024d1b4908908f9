// swift-tools-version: 6.2
import PackageDescription

// Each file contains one mistake, so this package does not build. `make test-diagnostics` checks the error messages.
let package = Package(
    name: "Diagnostics",
    dependencies: [.package(name: "RxBluetooth", path: "../..")],
    targets: [
        .target(
            name: "Mistakes",
            dependencies: [
                .product(name: "RxBluetooth", package: "RxBluetooth"),
                .product(name: "RxBluetoothMocks", package: "RxBluetooth"),
                .product(name: "RxTest", package: "RxBluetooth"),
            ],
            path: "Mistakes")
    ],
    swiftLanguageModes: [.v6]
)
