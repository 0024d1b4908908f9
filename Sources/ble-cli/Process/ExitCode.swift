import Glibc
import RxBluetooth

/// How the program ends; the one place for its exit codes.
enum ExitCode: Int32, Sendable {
    /// Done, or the reader of the output has seen enough.
    case done = 0
    /// There is no such device, characteristic or adapter.
    case notFound = 2
    /// Bluetooth cannot be used: the bus, bluetoothd, the adapter or the permission is missing.
    case unavailable = 3
    /// It took too long.
    case timedOut = 4
    /// Bluetooth works, and the operation failed, or the link was lost.
    case failed = 5
    /// The command line is not understood, or means more than one thing. As in sysexits.h.
    case usage = 64
    /// The terminal was closed (128 + SIGHUP).
    case hungUp = 129
    /// Ctrl-C (128 + SIGINT).
    case interrupted = 130
    /// Asked to end (128 + SIGTERM).
    case terminated = 143

    /// The code for an error of the library.
    init(_ kind: BluetoothError.Kind) {
        switch kind {
        case .busUnavailable, .daemonUnavailable, .permissionDenied, .noAdapter, .adapterOff, .adapterBlocked:
            self = .unavailable
        case .timedOut: self = .timedOut
        case .peripheralGone, .attributeNotFound: self = .notFound
        case .busy, .alreadyConnected, .alreadyDone, .notConnected, .disconnected, .connectFailed, .noFreeSlot,
            .bondLost, .discoveryFailed, .notPermitted, .needsPairing, .connectionStalled, .notAuthorized,
            .exclusiveUse,
            .invalidArgument, .attError, .unsupported, .overflow, .resourceExhausted, .pairingFailed,
            .registrationFailed,
            .protocolViolation, .closed, .bluez:
            self = .failed
        }
    }
}

/// The end of the process.
enum Exit {
    static func now(_ code: ExitCode) -> Never {
        // Nothing is kept back in buffers, and other threads may still run: what exit(3) would do besides is not wanted.
        _exit(code.rawValue)
    }
}
