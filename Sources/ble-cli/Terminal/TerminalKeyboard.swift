import Dispatch
import Glibc
import Rx

/// A source of lines that the user types.
protocol Keyboard: Sendable {
    /// Emits the next line without its line break, or nil at the end of the input.
    ///
    /// A new subscription replaces an earlier one that still waits. The earlier subscription gets no line.
    func line() -> Single<String?>
}

/// The keyboard of the terminal at standard input.
final class TerminalKeyboard: Keyboard {
    /// The terminal's keyboard; nil if standard input or standard error is not a terminal.
    static var present: TerminalKeyboard? {
        isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 ? TerminalKeyboard() : nil
    }

    private struct RequestState {
        var isReading = false
        /// The latest subscriber, which gets the next line.
        var waiter: (@Sendable (String?) -> Void)?
    }

    private let state = Guarded(RequestState())
    private let queue = DispatchQueue(label: "ble-cli.keyboard")

    func line() -> Single<String?> {
        Single.create { [self] observer in
            let isReading = state.withLock { state in
                defer { state.isReading = true }
                state.waiter = { observer(.success($0)) }
                return state.isReading
            }
            if !isReading { queue.async { [self] in deliver(Self.read()) } }
            return Disposables.create()
        }
    }

    private func deliver(_ line: String?) {
        let waiter = state.withLock { state in
            defer { state = RequestState() }
            return state.waiter
        }
        waiter?(line)
    }

    /// Reads one line and waits until it is complete. Returns nil at the end of the input.
    private static func read() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.last != UInt8(ascii: "\n") {
            let count = unsafe Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
}
