import FoundationEssentials
import Rx
import RxBluetooth

/// Shows a scan on a terminal, redraws it at a bounded rate, and reacts to keys.
///
/// An advertisement only updates the record of its device. Only the rows on the screen are formatted.
final class LiveDeviceView: ScanView {
    private let context: CommandContext
    private let output: any Output
    private let keyboard: (any KeySource)?
    private let screen: DeviceScreen
    private let period: Duration
    private let tree: GATTTreePane
    private let end = PublishSubject<Void>()
    private let state: Guarded<ViewState>

    private struct ViewState {
        var list: DeviceListState
        var board = DeviceBoard()
        /// The devices at the time of the pause; nil while the view is not paused.
        var paused: DeviceBoard?
        /// What is shown, without the devices: the view would copy them if it kept them twice.
        var content = DeviceScreen.Content()
        var terminal: TerminalScreen
        var surroundings = DeviceListState.Surroundings(devices: [], height: 0)
        var order = DeviceOrder()
        var hasChanged = false
        var isClosed = false
    }

    /// Makes a view.
    ///
    /// - Parameters:
    ///   - layout: A table below earlier output, which is redrawn up to ten times a second; or the full screen, four
    ///     times a second.
    ///   - keyboard: The source of keys; nil to show the table only.
    init(
        context: CommandContext, layout: DeviceScreen.Layout, sort: DeviceSort, style: TerminalStyle,
        keyboard: (any KeySource)?
    ) {
        self.context = context
        output = context.output
        self.keyboard = keyboard
        screen = DeviceScreen(layout: layout, hasKeyboard: keyboard != nil, isUnicode: style.hasUnicode)
        period = layout == .full ? .milliseconds(250) : .milliseconds(100)
        tree = GATTTreePane(context: context)
        state = Guarded(
            ViewState(
                list: DeviceListState(sort: sort),
                terminal: TerminalScreen(isFull: layout == .full, style: style)))
    }

    var wantsAll: Bool { true }
    var showsState: Bool { true }

    func show(_ sightings: Observable<ScannedPeripheral>) -> Observable<Never> {
        let heard = sightings.do(onNext: { self.hear($0) }, onCompleted: { self.end.onNext(()) }).ignoreElements()
        let ticks = Observable<Int>.interval(period, scheduler: context.scheduler)
            .do(onNext: { _ in try self.drawIfNeeded() }).ignoreElements()
        let bluetooth = context.manager.obstacle.do(onNext: { self.enter($0) }).ignoreElements()
        let keys = (keyboard?.keys() ?? .empty()).observe(on: context.scheduler)
            .do(onNext: { try self.press($0) }).ignoreElements()
        return Observable<Never>.merge([heard, ticks, bluetooth, keys])
            .take(until: end)
            .do(onSubscribe: { self.context.messages.hold() })
            // An error is printed after the terminal is restored.
            .do(onError: { _ in self.close() }, onCompleted: { self.close() }, onDispose: { self.close() })
    }

    // MARK: Events

    private func hear(_ result: ScannedPeripheral) {
        state.withLock { state in
            state.board.hear(result)
            state.hasChanged = true
        }
    }

    private func enter(_ obstacle: BluetoothError?) {
        state.withLock { state in
            state.content.obstacle = obstacle?.obstacle
            state.hasChanged = true
        }
    }

    private func press(_ key: TerminalKey) throws {
        let outcome = state.withLock { $0.list.press(key, in: $0.surroundings) }
        switch outcome {
        case .redraw: break
        case .clear: state.withLock { $0.terminal.invalidate() }
        case .quit: return end.onNext(())
        case .suspend: try suspend()
        case .openTree(let address): tree.open(address)
        case .closeTree: tree.close()
        }
        state.withLock { $0.order.invalidate() }
        try draw()
    }

    private func suspend() throws {
        if let text = state.withLock({ $0.terminal.close() }) { try output.write(text) }
        keyboard?.suspend()
        state.withLock { $0.terminal.invalidate() }
    }

    // MARK: Drawing

    /// Draws if an advertisement was received, the size of the terminal or a shown age has changed, or messages wait.
    private func drawIfNeeded() throws {
        // Without a keyboard, nothing is drawn before the first device.
        let hasNothing = keyboard == nil && state.withLock(\.board.entries.isEmpty)
        if hasNothing { return context.messages.printHeld() }
        let hasMessages = screen.layout == .table && !context.messages.held.isEmpty
        let isNeeded = state.withLock { state in
            let isNeeded = state.hasChanged || hasMessages || tree.isOpen || output.size != state.terminal.drawnSize
            let isOld = state.order.isOld(at: context.scheduler.now.timeIntervalSinceReferenceDate)
            return isNeeded || isOld || !state.terminal.isOpen
        }
        if isNeeded { try draw() }
    }

    private func draw() throws {
        guard let size = output.size else { return }
        let text = state.withLock { state -> String? in
            guard !state.isClosed else { return nil }
            state.hasChanged = false
            let content = content(&state, columns: size.columns)
            let drawing = screen.draw(&state.list, content, in: size)
            state.surroundings = drawing.surroundings
            return state.terminal.draw(drawing.lines, below: messages(), in: size)
        }
        if let text { try output.write(text) }
    }

    /// Returns the messages to print above the table. With the full screen, they are printed at the end.
    private func messages() -> [String] { screen.layout == .table ? context.messages.held.take() : [] }

    /// Returns what is shown now.
    private func content(_ state: inout ViewState, columns: Int) -> DeviceScreen.Content {
        let now = context.scheduler.now
        if !state.list.isPaused {
            state.paused = nil
            state.content.now = now
        } else if state.paused == nil {
            state.paused = state.board
        }
        var content = state.content
        content.board = state.paused ?? state.board
        state.order.update(
            content.board, advertisements: state.board.advertisements, by: state.list.sort,
            containing: state.list.filter, isSteady: !state.isClosed, at: now.timeIntervalSinceReferenceDate)
        content.order = state.order
        content.tree = tree.lines(in: columns)
        return content
    }

    /// Restores the terminal. A table remains with all devices. May be called more than once.
    private func close() {
        tree.close()
        let text = state.withLock { state -> String? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            var text = ""
            if screen.layout == .table, let size = output.size {
                state.order.invalidate()
                let lines = screen.all(content(&state, columns: size.columns), columns: size.columns)
                if !lines.isEmpty || state.terminal.isOpen {
                    text = state.terminal.draw(lines, below: messages(), in: size) ?? ""
                }
            }
            return text + (state.terminal.close() ?? "")
        }
        // Errors are ignored: the terminal may be closed.
        if let text, !text.isEmpty { try? output.write(text) }
        context.messages.release()
    }
}
