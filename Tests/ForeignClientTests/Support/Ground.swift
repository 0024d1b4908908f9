import Foundation
import Testing

/// Programs that other people wrote, as they are, on `ble-cli simulate`. `make test-clients` installs them and sets the variables.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: Ground.python != nil, "These tests need programs of other people: make test-clients."))
struct ForeignClientTests {}

enum Ground {
    private static let environment = ProcessInfo.processInfo.environment

    /// The Python that has Bleak; nil where the tests are not to run.
    static let python = environment["RXBLUETOOTH_CLIENTS"]
    static let bleCLI = environment["RXBLUETOOTH_CLI"] ?? ".build/debug/ble-cli"

    /// One of the Python programs beside these tests.
    static func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Clients/\(name)").path
    }
}
