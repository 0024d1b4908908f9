import FoundationEssentials
import Rx
import RxBluetooth

/// Connects to a device, and collects the lines of its GATT tree with the values.
final class GATTTreePane: Sendable {
    private let context: CommandContext
    private let connection = SerialDisposable()
    private let state = Guarded(PaneState())

    private struct PaneState {
        var isOpen = false
        /// Distinguishes the present connection from earlier ones.
        var number = 0
        var lines: [String] = []
        /// What is going on, or how the connection has ended.
        var status = ""
    }

    /// The number of lines above which further lines are dropped.
    private static let limit = 5_000

    init(context: CommandContext) { self.context = context }

    var isOpen: Bool { state.withLock(\.isOpen) }

    /// Connects to a device. An earlier connection ends.
    func open(_ address: BluetoothAddress) {
        close()
        let number = state.withLock { state in
            state = PaneState(isOpen: true, number: state.number + 1, status: "Connecting to \(address) …")
            return state.number
        }
        let lines = LineCollector { [weak self] line in self?.add(line, of: number) }
        var options = context.options
        options.json = false
        let context = CommandContext(
            manager: context.manager, scheduler: context.scheduler, output: lines, options: options,
            messages: Messages(output: lines))
        connection.disposable = ConnectVerb(target: .address(address)).run(in: context)
            .subscribe(
                onError: { [weak self] error in self?.finish(CLIError(error).text, of: number) },
                onCompleted: { [weak self] in self?.finish("All values are read; disconnected.", of: number) })
    }

    /// Ends the connection, or the attempt to connect.
    func close() {
        state.withLock { $0 = PaneState(number: $0.number + 1) }
        connection.disposable = Disposables.create()
    }

    private func add(_ line: String, of number: Int) {
        state.withLock { state in
            guard state.number == number, state.lines.count < Self.limit else { return }
            state.lines.append(line)
        }
    }

    private func finish(_ text: String, of number: Int) {
        state.withLock { if $0.number == number { $0.status = Sanitiser.clean(text) } }
    }

    /// Returns the lines of the tree, and then the status. A long line continues with the indent of its beginning.
    func lines(in columns: Int) -> [ScreenLine] {
        let (lines, status) = state.withLock { ($0.lines, $0.status) }
        return lines.flatMap { Self.wrapped($0, columns) }
            + ScreenLine.wrap(status, to: columns).map { ScreenLine($0, .dim) }
    }

    private static func wrapped(_ line: String, _ columns: Int) -> [ScreenLine] {
        guard TextWidth.of(line) > columns else { return [ScreenLine(line, role(line))] }
        let indent = String(repeating: " ", count: min(line.prefix { $0 == " " }.count, columns / 2))
        return ScreenLine.wrap(line, to: columns - indent.count).map { ScreenLine(indent + $0, role(line)) }
    }

    /// Services are headings. The device itself is the first line.
    private static func role(_ line: String) -> TerminalStyle.Role {
        line.prefix { $0 == " " }.count <= 2 ? .bold : .plain
    }
}

/// An output that passes each line to a closure.
private struct LineCollector: Output {
    let onLine: @Sendable (String) -> Void

    var size: TerminalSize? { nil }

    func write(_ text: String) { for line in text.split(separator: "\n") { onLine(String(line)) } }

    func write(bytes: [UInt8]) { write(String(decoding: bytes, as: UTF8.self)) }
}
