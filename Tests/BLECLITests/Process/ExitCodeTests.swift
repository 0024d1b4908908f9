import RxBluetooth
import Testing

@testable import ble_cli

struct ExitCodeTests {
    private static let kinds: [(BluetoothError.Kind, ExitCode)] = [
        (.busUnavailable, .unavailable), (.daemonUnavailable, .unavailable), (.permissionDenied, .unavailable),
        (.noAdapter, .unavailable), (.adapterOff, .unavailable), (.adapterBlocked, .unavailable),
        (.timedOut, .timedOut),
        (.peripheralGone, .notFound), (.attributeNotFound, .notFound), (.busy, .failed), (.alreadyConnected, .failed),
        (.alreadyDone, .failed), (.registrationFailed("Failed to register advertisement"), .failed),
        (.notConnected, .failed), (.disconnected(.unknown), .failed), (.disconnected(.requested), .failed),
        (.disconnected(.adapter), .failed), (.disconnected(.removed), .failed), (.disconnected(.daemon), .failed),
        (.connectFailed("le-connection-abort-by-local"), .failed), (.noFreeSlot, .failed), (.bondLost, .failed),
        (.discoveryFailed, .failed), (.notPermitted, .failed), (.needsPairing, .failed), (.notAuthorized, .failed),
        (.exclusiveUse, .failed), (.invalidArgument, .failed), (.attError, .failed), (.unsupported, .failed),
        (.overflow, .failed), (.resourceExhausted, .failed), (.pairingFailed("AuthenticationFailed"), .failed),
        (.protocolViolation, .failed),
        (.closed, .failed), (.bluez, .failed),
    ]

    @Test(arguments: kinds)
    func `Every kind of error has its exit code`(kind: BluetoothError.Kind, code: ExitCode) {
        #expect(ExitCode(kind) == code)
    }

    @Test func `An error is printed as one sanitised line`() {
        let output = RecordingOutput()
        let error = BluetoothError(
            .bluez, operation: .read, target: "x", dbusName: "a.b", dbusMessage: "\u{1B}[2J\nsecond")
        Messages(output: output).fail(CLIError(error))
        #expect(
            output.takeLines() == [
                "ble-cli: Reading x: bluetoothd reports an error (a.b: \\u{1B}[2J\\u{A}second). "
                    + "See what bluetoothd says: journalctl -u bluetooth."
            ])
    }
}
