import Dispatch
import Glibc
import Rx

/// A source of single keys.
protocol KeySource: Sendable {
    /// Emits each key that the user presses, and completes at the end of the input.
    ///
    /// While subscribed, the terminal reports single keys and does not print them. Delivers on any thread.
    func keys() -> Observable<TerminalKey>

    /// Stops the process group as the terminal does, with the terminal restored. Returns when it continues.
    func suspend()
}

/// The keys of the terminal at standard input.
final class TerminalKeys: KeySource {
    /// The keys of the terminal; nil if standard input is no terminal, or belongs to another process group.
    ///
    /// The kernel would stop a background process that reads its terminal.
    static var present: TerminalKeys? {
        isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() ? TerminalKeys() : nil
    }

    /// How long a sequence of a key may be interrupted, in milliseconds. After that, Esc is a key by itself.
    private static let escapeDelay: Int32 = 100

    private let queue = DispatchQueue(label: "ble-cli.keys")
    /// The mode of the terminal before ``keys()``; nil while it is not changed.
    private let mode = Guarded<termios?>(nil)

    func keys() -> Observable<TerminalKey> {
        Observable.create { [self] observer in
            enterKeyMode()
            queue.async {
                Self.read { observer.on(.next($0)) }
                observer.on(.completed)
            }
            return Disposables.create { [self] in restore() }
        }
    }

    func suspend() {
        restore()
        JobControl.suspend()
        enterKeyMode()
    }

    /// Lets the terminal report single keys. Ctrl-C remains a signal; Ctrl-Z becomes a key.
    private func enterKeyMode() {
        var mode = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
        let old = mode
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        mode.c_iflag &= ~tcflag_t(ICRNL | IXON)
        unsafe withUnsafeMutableBytes(of: &mode.c_cc) { characters in
            unsafe characters[Int(VMIN)] = 1
            unsafe characters[Int(VTIME)] = 0
            // 0 disables a character. Source: termios(3).
            unsafe characters[Int(VSUSP)] = 0
        }
        self.mode.withLock { if $0 == nil { $0 = old } }
        _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    }

    private func restore() {
        let mode = self.mode.withLock { mode in
            defer { mode = nil }
            return mode
        }
        guard var mode else { return }
        _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    }

    /// Reads keys until the end of the input.
    private static func read(_ onKey: (TerminalKey) -> Void) {
        var decoder = TerminalKeyDecoder()
        while true {
            var wait = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&wait, 1, decoder.isWaiting ? escapeDelay : -1)
            if ready < 0, errno == EINTR { continue }
            guard ready != 0 else {
                if let key = decoder.finish() { onKey(key) } else { decoder = TerminalKeyDecoder() }
                continue
            }
            var byte: UInt8 = 0
            let count = unsafe Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return }
            if let key = decoder.add(byte) { onKey(key) }
        }
    }
}
