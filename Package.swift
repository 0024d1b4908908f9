// swift-tools-version: 6.2
import PackageDescription

// The settings of our Swift targets. Warnings are errors; memory-unsafe constructs must be marked.
let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
]

// How ble-cli and ble-gateway are linked, so that they are small and use little memory. make bench-cli and bench-gateway
// measure it. Benchmarks/cli and Benchmarks/gateway write the order of the functions.
// lld is part of Swift. Relative relocations need glibc 2.36, which Debian 12 has.
func compact(_ program: String) -> [LinkerSetting] {
    let sources = "\(Context.packageDirectory)/Sources"
    let archives = Context.environment["RXBLUETOOTH_ARCHIVES"] ?? "\(Context.packageDirectory)/.build/static/archives"
    return [
        .unsafeFlags(
            [
                "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic",
                // Keeps one of several equal functions, which is safe because no code compares their addresses.
                "-Xlinker", "--icf=all",
                // Of libstdc++ and libgcc, 18 functions are used. Mapping the shared libraries costs half a megabyte.
                "-L\(archives)", "-Xclang-linker", "-static-libgcc",
                // private-functions.ld leaves out .eh_frame.
                "-Xlinker", "--no-eh-frame-hdr",
                // A debugger finds the package with the debug information by it.
                "-Xlinker", "--build-id",
                "-Xlinker", "-T", "-Xlinker", "\(sources)/ble-cli/private-functions.ld",
                "-Xlinker", "--symbol-ordering-file=\(sources)/\(program)/link-order.txt",
                "-Xlinker", "--no-warn-symbol-ordering",
            ], .when(configuration: .release))
    ]
}

// scripts/static compiles for size, except the modules that every signal passes through: each would cost a third more.
// Other builds must not set it: the flags would apply to the programs of users. scripts/test-dependency checks it.
let isCompact = Context.environment["RXBLUETOOTH_COMPACT"] == "1"
let fast: [SwiftSetting] = isCompact ? [.unsafeFlags(["-Xfrontend", "-O"], .when(configuration: .release))] : []

// The Makefile sets it: the tests take half as long. Messages of traps and debug checks stay. Unsafe, too.
let isOptimised = Context.environment["RXBLUETOOTH_OPTIMISED"] == "1"
let optimised: [SwiftSetting] =
    isOptimised ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : []

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "RxBluetooth",
    products: [
        .library(name: "RxBluetooth", targets: ["RxBluetooth"]),
        .library(name: "RxBluetoothMetrics", targets: ["RxBluetoothMetrics"]),
        .library(name: "RxBluetoothMocks", targets: ["RxBluetoothMocks"]),
        .library(name: "ScenarioFiles", targets: ["ScenarioFiles"]),
        .library(name: "BluetoothValues", targets: ["BluetoothValues"]),
        .library(name: "Rx", targets: ["Rx"]),
        .library(name: "RxTest", targets: ["RxTest"]),
        .library(name: "RxFoundation", targets: ["RxFoundation"]),
        .library(name: "RxDeprecated", targets: ["RxDeprecated"]),
        .library(name: "Gateway", targets: ["Gateway"]),
        .library(name: "BLECLI", targets: ["ble-cli"]),
        .executable(name: "ble-cli", targets: ["ble-cli-program"]),
        .executable(name: "ble-gateway", targets: ["ble-gateway"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ],
    targets: [
        // The C libraries. One module imports each: DBus, RxBluetooth, YAMLDocuments, BluetoothValues; scripts/layers
        // checks it.
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // Without pkg-config, which would link the shared library of libyaml; the module map names the static one.
        .systemLibrary(name: "CLibYAML", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        // Also without: the module map names the static library, of which a program contains only AES.
        .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),

        .target(name: "Rx", swiftSettings: strict + optimised + fast),
        .target(name: "RxTest", dependencies: ["Rx"], swiftSettings: strict + optimised),
        // Code that needs all of Foundation, which is four times as large as the rest of a static program.
        .target(name: "RxFoundation", dependencies: ["Rx"], swiftSettings: strict),
        // Helpers that several modules share, not for users.
        .target(name: "RxBluetoothSupport", path: "Sources/Support", swiftSettings: strict + optimised),
        // Decodes and encodes advertisements and characteristics. It uses no other module; RxBluetooth uses it.
        .target(name: "BluetoothValues", dependencies: ["CCrypto"], swiftSettings: strict + optimised),
        // Reads and writes captures of Bluetooth hosts, and collects the devices in them. It uses no other module.
        .target(
            name: "BluetoothCaptures", dependencies: ["CZlib"], path: "Sources/Captures", swiftSettings: strict),
        // Names of RxSwift 5 and earlier, for sources that still use them.
        .target(name: "RxDeprecated", dependencies: ["Rx"], swiftSettings: strict),
        .target(name: "DBus", dependencies: ["CDBus"], swiftSettings: strict + optimised + fast),
        .target(
            name: "RxBluetooth",
            dependencies: ["Rx", "DBus", "CBluetooth", "RxBluetoothSupport", "BluetoothValues", log],
            swiftSettings: strict + optimised),
        // Separate from the library, so that only programs with metrics link swift-metrics.
        .target(
            name: "RxBluetoothMetrics",
            dependencies: ["RxBluetooth", "Rx", .product(name: "CoreMetrics", package: "swift-metrics")],
            swiftSettings: strict),
        .target(
            name: "RxBluetoothMocks", dependencies: ["DBus", "Rx", "RxBluetoothSupport", "BluetoothValues"],
            path: "Mocks", swiftSettings: strict + optimised),
        // Reads YAML with line numbers, for scenarios and for the configuration of a gateway.
        .target(name: "YAMLDocuments", dependencies: ["CLibYAML"], swiftSettings: strict),
        // Separate from the mocks, so that tests with scenarios in Swift do not build a YAML parser.
        .target(
            name: "ScenarioFiles",
            dependencies: ["RxBluetoothMocks", "BluetoothValues", "YAMLDocuments"], swiftSettings: strict),
        // Publishes what devices send to an MQTT broker. Separate, so that other programs do not link it.
        .target(
            name: "Gateway",
            dependencies: [
                "RxBluetooth", "Rx", "BluetoothValues", "RxBluetoothSupport", "YAMLDocuments", "CTLS", "CSQLite",
            ],
            swiftSettings: strict + optimised + fast),
        // The tool as a library, so that a program can add its own formats of advertisements.
        .target(
            name: "ble-cli",
            dependencies: [
                "RxBluetooth", "RxBluetoothMocks", "RxBluetoothSupport", "ScenarioFiles", "BluetoothCaptures", "Rx",
                "YAMLDocuments", "CArguments", "ProgramSupport", argumentParser, log,
            ],
            exclude: ["Program", "link-order.txt", "private-functions.ld"], swiftSettings: strict),
        .executableTarget(
            name: "ble-cli-program", dependencies: ["ble-cli"], path: "Sources/ble-cli/Program", swiftSettings: strict,
            linkerSettings: compact("ble-cli")),
        // A program of its own, because MQTT and SQLite would make the static ble-cli too large.
        .executableTarget(
            name: "ble-gateway",
            dependencies: [
                "Gateway", "RxBluetooth", "RxBluetoothMocks", "BluetoothValues", "Rx", "CArguments",
                "ProgramSupport", argumentParser,
                log,
            ],
            exclude: ["link-order.txt"], swiftSettings: strict, linkerSettings: compact("ble-gateway")),
        // The command-line arguments if /proc is not mounted, and the pages of the program's code.
        .target(name: "CArguments"),
        // What both programs do before they do anything else.
        .target(name: "ProgramSupport", dependencies: ["CArguments"], swiftSettings: strict),
        // Loads OpenSSL when a broker needs TLS. Its headers come with the package of CCrypto.
        .target(name: "CTLS"),

        .testTarget(name: "RxTests", dependencies: ["Rx", "RxTest", "RxDeprecated"], swiftSettings: strict),
        .testTarget(
            name: "RxFoundationTests", dependencies: ["RxFoundation", "Rx", "RxTest"], swiftSettings: strict),
        // Written like code for RxSwift: in its language mode, and without our settings.
        .testTarget(
            name: "RxCompatibilityTests", dependencies: ["Rx", "RxTest", "RxFoundation", "RxDeprecated"],
            swiftSettings: [.swiftLanguageMode(.v5), .unsafeFlags(["-suppress-warnings"])]),
        // make test-values-peers runs it.
        .executableTarget(
            name: "decode-lines", dependencies: ["BluetoothValues"], path: "Tests/ValuePeers",
            exclude: ["messages.py", "payloads.py", "peers.py", "showroom.py", "supplement.py"], swiftSettings: strict),
        .testTarget(
            name: "BluetoothValuesTests", dependencies: ["BluetoothValues", "TestTraits"], swiftSettings: strict),
        .testTarget(
            name: "BluetoothCapturesTests", dependencies: ["BluetoothCaptures", "RxBluetoothSupport", "TestTraits"],
            path: "Tests/CapturesTests", swiftSettings: strict),
        .testTarget(
            name: "DBusTests", dependencies: ["DBus", "BusTesting", "SoakTesting", "TestTraits"], swiftSettings: strict),
        // make fuzz runs it.
        .executableTarget(
            name: "fuzz", dependencies: ["RxBluetooth", "DBus", "Rx", log], path: "Tests/Fuzz", swiftSettings: strict),
        .testTarget(name: "FuzzTests", dependencies: ["fuzz", "DBus"], swiftSettings: strict),
        .testTarget(
            name: "MocksTests",
            dependencies: [
                "RxBluetoothMocks", "BluetoothValues", "DBus", "Rx", "RxTest", "BusTesting", "TestTraits",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ScenarioFilesTests",
            dependencies: [
                "ScenarioFiles", "RxBluetoothMocks", "RxBluetoothSupport", "BluetoothValues", "DBus", "Rx", "RxTest",
            ],
            swiftSettings: strict),
        .testTarget(name: "YAMLDocumentsTests", dependencies: ["YAMLDocuments"], swiftSettings: strict),
        .testTarget(
            name: "RxBluetoothTests",
            dependencies: [
                "RxBluetooth", "RxBluetoothMocks", "DBus", "RxTest", "BusTesting", "SoakTesting", log, "TestTraits",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RxBluetoothMetricsTests",
            dependencies: [
                "RxBluetoothMetrics", "RxBluetooth", "RxBluetoothMocks", "Rx", "RxTest", "TestTraits",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BLECLITests",
            dependencies: [
                "ble-cli", "ble-gateway", "ProgramSupport", "Gateway", "RxBluetooth", "RxBluetoothMocks",
                "BluetoothValues", "ScenarioFiles", "BluetoothCaptures", "RxBluetoothSupport", "DBus", "Rx", "RxTest",
                "TestTraits", argumentParser,
            ],
            swiftSettings: strict),
        // The code of the documentation, compiled like a user's program: without our settings.
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "RxBluetooth", "RxBluetoothMocks", "RxBluetoothMetrics", "ScenarioFiles", "BluetoothValues", "Rx",
                "RxTest",
                .product(name: "Metrics", package: "swift-metrics"), log,
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        // Programs of other projects on the simulation; make test-clients runs them.
        .testTarget(
            name: "ForeignClientTests",
            dependencies: ["RxBluetooth", "RxBluetoothMocks", "DBus", "BusTesting", "DaemonInterfaces"],
            exclude: ["Clients"], swiftSettings: strict),
        .testTarget(
            name: "BlueZTests", dependencies: ["RxBluetooth", "DBus", "DaemonInterfaces", "SoakTesting", "TestTraits"],
            exclude: ["Lab"],
            swiftSettings: strict),
        // Compares the simulation with bluetoothd.
        .testTarget(
            name: "ConformanceTests",
            dependencies: ["RxBluetoothMocks", "DBus", "Rx", "RxTest", "BusTesting", "DaemonInterfaces", "TestTraits"],
            swiftSettings: strict),
        // make test-gateway runs it.
        .executableTarget(
            name: "gateway-crash", dependencies: ["Gateway", "BluetoothValues", "CSQLite", "Rx", "RxTest"],
            path: "Tests/GatewayCrash",
            swiftSettings: strict),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Gateway", "RxBluetooth", "RxBluetoothMocks", "BluetoothValues", "Rx", "RxTest", "TestTraits",
                "SoakTesting", "DBus",
            ],
            swiftSettings: strict),
        // make fleet runs it.
        .executableTarget(
            name: "fleet", dependencies: ["Gateway", "RxBluetooth", "BluetoothValues", "Rx", "RxTest"],
            path: "Tests/Fleet", swiftSettings: strict),
        // The random numbers of the soak tests, and the resource counts of tests.
        .target(name: "SoakTesting", dependencies: ["Rx"], path: "Tests/SoakTesting", swiftSettings: strict),
        // The trait that names the promises and quirks that a test proves.
        .target(name: "TestTraits", path: "Tests/TestTraits", swiftSettings: strict),
        // Real buses and sockets for tests.
        .target(
            name: "BusTesting", dependencies: ["RxBluetoothMocks", "DBus", "Rx", "RxTest", "CTestWidth"],
            path: "Tests/BusTesting", swiftSettings: strict),
        // Limits how many tests run in parallel. Linking it is enough, so no module imports it.
        .target(name: "CTestWidth", path: "Tests/CTestWidth"),
        // The D-Bus interfaces of bluetoothd 5.66, with which the tests compare bluetoothd and the simulation.
        .target(name: "DaemonInterfaces", path: "Tests/DaemonInterfaces", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
