import RxBluetooth
import Testing

@testable import ble_cli

struct ExitCodeTests {
    private static let kinds: [(BluetoothError.Kind, ExitCode)] = [
        (.busUnavailable, .unavailable), (.daemonUnavailable, .unavailable), (.unauthorized, .unavailable),
        (.noAdapter, .unavailable), (.poweredOff, .unavailable), (.blocked, .unavailable),
        (.timedOut, .timedOut),
        (.peripheralGone, .notFound), (.attributeNotFound, .notFound), (.busy, .failed), (.alreadyConnected, .failed),
        (.alreadyDone, .failed), (.registrationFailed("Failed to register advertisement"), .failed),
        (.notConnected, .failed), (.disconnected(.unknown), .failed), (.disconnected(.requested), .failed),
        (.disconnected(.adapter), .failed), (.disconnected(.removed), .failed), (.disconnected(.daemon), .failed),
        (.connectFailed("le-connection-abort-by-local"), .failed), (.noFreeSlot, .failed), (.bondLost, .failed),
        (.discoveryFailed, .failed), (.notPermitted, .failed), (.needsPairing, .failed), (.refused, .failed),
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
                    + "Read the log of bluetoothd: journalctl -u bluetooth."
            ])
    }

    @Test func `The JSON of an error has the explanation as a key and in its message`() {
        let output = RecordingOutput()
        let error = BluetoothError(.exclusiveUse, operation: .notify, target: "2A37", detail: "Another program has it")
        Messages(output: output, isJSON: true).fail(CLIError(error))
        let line = output.takeLines().first ?? ""
        #expect(line.contains(#""detail":"Another program has it","attCode":null,"dbusName":null,"dbusMessage":null"#))
        #expect(line.contains("(Another program has it). "))
        #expect(error.dbusMessage == nil)
    }
}
