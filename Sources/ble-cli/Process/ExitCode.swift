import Glibc
import RxBluetooth

/// The exit codes of the program.
enum ExitCode: Int32, Sendable {
    /// The command succeeded, or the reader of the output closed the output.
    case done = 0
    /// The device, characteristic or adapter was not found.
    case notFound = 2
    /// Bluetooth cannot be used: the bus, bluetoothd, the adapter or the permission is missing.
    case unavailable = 3
    /// The operation timed out.
    case timedOut = 4
    /// Bluetooth works, but the operation failed or the link was lost.
    case failed = 5
    /// The command line is invalid or ambiguous. The value is EX_USAGE of sysexits.h.
    case usage = 64
    /// The terminal was closed (128 + SIGHUP).
    case hungUp = 129
    /// Ctrl-C (128 + SIGINT).
    case interrupted = 130
    /// Another program, such as timeout(1), ended the process (128 + SIGTERM).
    case terminated = 143

    /// Makes the exit code for an error of the library.
    init(_ kind: BluetoothError.Kind) {
        switch kind {
        case .busUnavailable, .daemonUnavailable, .unauthorized, .noAdapter, .poweredOff, .blocked:
            self = .unavailable
        case .timedOut: self = .timedOut
        case .peripheralGone, .attributeNotFound: self = .notFound
        case .busy, .alreadyConnected, .alreadyDone, .notConnected, .disconnected, .connectFailed, .noFreeSlot,
            .bondLost, .discoveryFailed, .notPermitted, .needsPairing, .connectionStalled, .refused,
            .exclusiveUse,
            .invalidArgument, .invalidValue, .attError, .unsupported, .overflow, .resourceExhausted, .pairingFailed,
            .registrationFailed,
            .channelRefused, .channelClosed, .protocolViolation, .closed, .bluez:
            self = .failed
        }
    }
}

extension ExitCode {
    /// Ends the process with this code.
    func exitProcess() -> Never { Self.exitProcess(rawValue) }

    /// Ends the process with the exit code of another program.
    static func exitProcess(_ code: Int32) -> Never {
        // Output is unbuffered, and other threads may still run, so exit handlers are skipped.
        _exit(code)
    }
}
