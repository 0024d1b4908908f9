import ArgumentParser
import Rx
import RxBluetooth

/// The command `ble-cli shell`.
struct ShellCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Run steps as you type them, over one connection.",
        discussion: """
            The steps are those of ble-cli run; help lists them, and help STEP explains one. Tab completes steps, \
            options, devices, and the UUIDs, names and handles of the connected device. The arrow keys move through \
            the line and the earlier lines, and Ctrl-R searches these. Ctrl-C ends a step that runs, and quit or \
            Ctrl-D ends the shell.

            Lines that are steps are stored in $XDG_STATE_HOME/ble-cli/history, by default in ~/.local/state; a line \
            that begins with a space is not.

            Lines can also come from a pipe. An error does not end the shell then; the exit code is that of the last \
            step. To end at the first error, use ble-cli run.

            EXAMPLES:
              ble-cli shell
              ble-cli shell Strap
              echo 'read 2A19' | ble-cli shell Strap
            """)

    @OptionGroup var common: CommonOptions
    @Argument(
        help: "Connect to this device first: its address, its name, or a part of either.", completion: .devices)
    var target: String?

    func verb() throws(CLIError) -> any Verb {
        let target = try target.map { text throws(CLIError) in try Target(parsing: text) }
        return ShellVerb(target: target, lines: TerminalLineReader(history: .ofEnvironment))
    }
}

/// Reads lines and runs each as a step over one link, until the end of the input.
struct ShellVerb: LinkVerb {
    /// The commands that only the shell has.
    static let ownCommands = ["help", "quit", "exit"]

    var target: Target?
    let lines: any LineSource
    private let interrupts = PublishSubject<Void>()

    init(target: Target? = nil, lines: any LineSource) {
        self.target = target
        self.lines = lines
    }

    func sharing(_ output: any Output) -> any Output { lines.sharing(output) }

    /// Ends the step that runs.
    func interrupt() -> Bool {
        guard lines.isInteractive else { return false }
        interrupts.onNext(())
        return true
    }

    func run(in context: CommandContext) -> Observable<Never> {
        Observable.create { observer in
            let loop = ShellLoop(context: context, lines: lines, interrupts: interrupts) { observer.on($0) }
            loop.start(target)
            return Disposables.create { loop.stop() }
        }
    }
}

/// Reads and runs one line after another.
private final class ShellLoop: Sendable {
    private let context: CommandContext
    private let lines: any LineSource
    private let interrupts: PublishSubject<Void>
    private let onEnd: @Sendable (Event<Never>) -> Void
    private let session: StepSession
    private let turn = SerialDisposable()
    private let state = Guarded(LoopState())

    private struct LoopState {
        /// The number of the present line, from 1.
        var number = 0
        /// The present line, for errors in the input from a pipe.
        var line = ""
        /// The exit code of the last step.
        var code = ExitCode.done
    }

    init(
        context: CommandContext, lines: any LineSource, interrupts: PublishSubject<Void>,
        onEnd: @escaping @Sendable (Event<Never>) -> Void
    ) {
        self.context = context
        self.lines = lines
        self.interrupts = interrupts
        self.onEnd = onEnd
        session = StepSession(context)
    }

    func start(_ target: Target?) {
        if lines.isInteractive { context.note("Type help for the steps, and quit to end.") }
        // Completion works without these devices if bluetoothd cannot list them.
        _ = context.manager.knownPeripherals().subscribe(
            onSuccess: { [session] known in known.forEach { session.add($0) } }, onFailure: { _ in })
        guard let target else { return readLine() }
        run("connect", StepFunction { $0.connect(target) })
    }

    func stop() {
        turn.dispose()
        session.close()
        lines.close()
    }

    private func readLine() {
        let prompt: LineSource.Prompt = { [session] in
            session.tree.map {
                "\(Sanitiser.clean($0.peripheral.name ?? $0.peripheral.address.description))> "
            } ?? "ble-cli> "
        }
        let line = lines.line(prompt) { [weak self] in self?.completed($0) ?? .init(line: $0) }
        beginTurn { [self] in
            line.asObservable().observe(on: context.scheduler)
                .subscribe(
                    onNext: { [weak self] in self?.handle($0) }, onError: { [weak self] in self?.failReading($0) })
        }
    }

    /// Replaces the subscription of the shell.
    ///
    /// The first line is requested on the main thread and handled on the scheduler. It may be handled before
    /// `subscribe` returns, and then the next subscription must not be replaced by this one.
    private func beginTurn(_ subscribe: () -> any Disposable) {
        let subscription = SingleAssignmentDisposable()
        turn.disposable = subscription
        subscription.setDisposable(subscribe())
    }

    /// Ends the shell if no further line can be read, but not after a line that was too long.
    private func failReading(_ error: any Error) {
        beginLine("")
        if let error = error as? CLIError, error.code == .usage {
            report(error)
            return readLine()
        }
        onEnd(.error((error as? CLIError).map(placed) ?? error))
    }

    private func beginLine(_ line: String) {
        state.withLock { state in
            state.number += 1
            state.line = line.trimmed
        }
    }

    private func handle(_ read: String?) {
        // Editors of other systems begin a file with a byte order mark.
        let isFirst = state.withLock { $0.number == 0 }
        let line = read.map { isFirst && $0.hasPrefix("\u{FEFF}") ? String($0.dropFirst()) : $0 }
        if let line { beginLine(line) }
        guard let line, line.trimmed != "quit", line.trimmed != "exit" else { return end() }
        do throws(CLIError) {
            if try help(line) { return readLine() }
            guard let step = try StepLanguage.parse(line, acceptsHelp: true) else { return readLine() }
            run(line.trimmed, step)
        } catch {
            report(error)
            readLine()
        }
    }

    private func run(_ text: String, _ step: any SessionStep) {
        let number = state.withLock(\.number)
        let work = StepReport(context: context, line: number, text: text).run(step, in: session)
            .take(until: interrupts)
        beginTurn { [self] in
            work.observe(on: context.scheduler)
                .subscribe(
                    onError: { [weak self] in self?.fail($0) },
                    onCompleted: { [weak self] in
                        self?.state.withLock { $0.code = .done }
                        self?.readLine()
                    })
        }
    }

    private func fail(_ error: any Error) {
        if error is OutputClosed { return onEnd(.error(error)) }
        report((error as? StepFailure)?.error ?? CLIError(error))
        readLine()
    }

    private func report(_ error: CLIError) {
        state.withLock { $0.code = error.code }
        context.messages.fail(placed(error))
    }

    /// Returns an error with its line, if the lines come from a pipe.
    private func placed(_ error: CLIError) -> CLIError {
        let (number, line) = state.withLock { ($0.number, $0.line) }
        guard !lines.isInteractive, number > 0 else { return error }
        return error.preceded(by: StepScript.place("standard input", number, line))
    }

    private func end() {
        let code = lines.isInteractive ? .done : state.withLock(\.code)
        onEnd(code == .done ? .completed : .error(PrintedFailure(code: code)))
    }

    /// Prints help if the line requests it. Returns whether it does.
    private func help(_ line: String) throws(CLIError) -> Bool {
        let words = try StepLine.words(line)
        guard words.first == "help" else { return false }
        let text = try StepLanguage.help(words.dropFirst().first, columns: context.output.size?.columns)
        try? StepLanguage.printHelp(text, in: context)
        return true
    }

    private func completed(_ line: String) -> StepCompletion.Result {
        StepCompletion(tree: session.tree, devices: session.devices).complete(line)
    }
}
