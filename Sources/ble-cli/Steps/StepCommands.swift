import ArgumentParser
import Rx
import RxBluetooth
import RxBluetoothSupport

/// A line of a script or a shell, which uses the device that is connected.
protocol StepCommand: ParsableCommand {
    /// Returns the step with its arguments. Throws if an argument is invalid.
    func step() throws(CLIError) -> any SessionStep
}

/// The behaviour of a step.
protocol SessionStep: Sendable {
    /// Runs the step. Completes when the step is done; disposing ends it.
    func run(in session: StepSession) -> Observable<Never>
}

/// A step that is a function.
struct StepFunction: SessionStep {
    let function: @Sendable (StepSession) throws -> Observable<Never>

    func run(in session: StepSession) -> Observable<Never> {
        Observable.deferred { try function(session) }
    }
}

struct ConnectStep: StepCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect", abstract: "Connect to a device; an earlier link is closed.")

    @Argument(help: .target) var target: String

    func step() throws(CLIError) -> any SessionStep {
        let target = try Target(parsing: target)
        return StepFunction { $0.connect(target) }
    }
}

struct DisconnectStep: StepCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect", abstract: "Close the link, or the link of any program to a device.")

    @Argument(help: "The device of another link: its address, its name, or a part of either.") var target: String?

    func step() throws(CLIError) -> any SessionStep {
        let target = try target.map { text throws(CLIError) in try Target(parsing: text) }
        return StepFunction { session in
            if let target { return session.disconnect(target) }
            session.close()
            return .empty()
        }
    }
}

struct InfoStep: StepCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Print what bluetoothd knows about the connected device, or another one.")

    @Argument(help: .otherTarget) var target: String?

    func step() throws(CLIError) -> any SessionStep {
        let target = try target.map { text throws(CLIError) in try Target(parsing: text) }
        return StepFunction { session in
            if let target { return InfoVerb(target: target).run(in: session.context) }
            return DeviceDetails.read(try session.connected().peripheral)
                .do(onNext: { try $0.show(in: session.context) }).ignoreElements()
        }
    }
}

struct ServicesStep: StepCommand {
    static let configuration = CommandConfiguration(
        commandName: "services", abstract: "Print the services and values of the connected device.")

    func step() -> any SessionStep {
        StepFunction { $0.treeItems().showing(in: $0.context).ignoreElements() }
    }
}

struct ReadStep: StepCommand {
    static let configuration = CommandConfiguration(commandName: "read", abstract: "Read values.")

    @Argument(help: .characteristics) var characteristics: [String]
    @OptionGroup var form: FormatOption

    func step() throws(CLIError) -> any SessionStep {
        let arguments = try CharacteristicArgument.list(characteristics)
        let format = try form.parsed()
        return StepFunction { session in
            let printer = ValuePrinter(context: session.context, format: format, showsSource: arguments.count > 1)
            try printer.check()
            return session.currentTree(with: arguments)
                .flatMap { ReadVerb.values(of: $0.attributes(arguments), printer) }
                .ignoreElements()
        }
    }
}

struct WriteStep: StepCommand {
    static let configuration = CommandConfiguration(commandName: "write", abstract: "Write a value.")

    @OptionGroup var arguments: WriteArguments

    func step() throws(CLIError) -> any SessionStep {
        let request = try arguments.parsed(read: InputFile.readInStep)
        return StepFunction { session in
            session.currentTree(with: [request.characteristic])
                .flatMap { request.run(on: $0, in: session.context) }
        }
    }
}

struct SubscribeStep: StepCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe", abstract: "Turn notifications on, and store values for later wait steps.")

    @Argument(help: .characteristics) var characteristics: [String]

    func step() throws(CLIError) -> any SessionStep {
        let arguments = try CharacteristicArgument.list(characteristics)
        return StepFunction { session in
            session.currentTree(with: arguments)
                .flatMap { tree in Observable.from(try tree.characteristics(arguments)) }
                .concatMap { session.subscribe(to: $0) }
        }
    }
}

struct WaitStep: StepCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait for a notification, and print its value.",
        discussion: """
            Without an earlier subscribe step, notifications are turned on for this step, so values that were sent \
            before it are missed.
            """)

    @Argument(help: .characteristic) var characteristic: String
    @Argument(help: "The longest time to wait, such as 5s.") var time: String
    @Argument(help: "Wait for this value: its bytes, or a text of --format.") var value: String?
    @OptionGroup var form: FormatOption

    func step() throws(CLIError) -> any SessionStep {
        let argument = try CharacteristicArgument(parsing: characteristic)
        let limit = try TimeSpan.parse(time, for: "wait")
        let format = try form.parsed()
        var wanted: [UInt8]?
        if let value { wanted = try (format ?? .hex).encode(value) }
        return StepFunction { [wanted] session in
            let context = session.context
            let printer = ValuePrinter(context: context, format: format)
            try printer.check()
            return session.currentTree(with: [argument]).flatMap { tree -> Observable<Never> in
                let characteristic = try tree.characteristic(argument)
                // The notifications of a subscribed characteristic are on.
                let start = NotificationStart(
                    of: [characteristic], areOn: session.isSubscribed(to: characteristic))
                let timedOut = context.timer(limit).map { _ -> [UInt8] in
                    if let error = start.error(within: limit) { throw CLIError(error, advice: error.adviceOfStep) }
                    let what = wanted.map { "The value \(HexBytes.text($0))" } ?? "No value"
                    let end = wanted == nil ? "arrived" : "did not arrive"
                    let text = "\(what) of \(characteristic.uuid) \(end) within \(limit.text)."
                    let cause = wanted == nil ? start.missingDescriptors : nil
                    throw CLIError(.timedOut, [text, cause].compactMap(\.self).joined(separator: " "))
                }
                let isWanted = { @Sendable (value: [UInt8]) in
                    start.record(characteristic)
                    return wanted == nil || value == wanted
                }
                return session.firstValue(of: characteristic, where: isWanted)
                    .alongside(start.recording(in: context.manager))
                    .amb(timedOut)
                    .do(onNext: { try printer.show($0, of: characteristic) })
                    .ignoreElements()
            }
        }
    }
}

struct NotifyStep: StepCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Print the values that the device notifies, until Ctrl-C.")

    @Argument(help: .characteristics) var characteristics: [String]
    @OptionGroup var form: FormatOption

    @Option(parsing: .unconditional, help: ArgumentHelp("End after this many values.", valueName: "number"))
    var count: String?

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: .length("It counts from the start of the step."))
    var length: String?

    func step() throws(CLIError) -> any SessionStep {
        let arguments = try CharacteristicArgument.list(characteristics)
        let format = try form.parsed()
        let number = try count.map { text throws(CLIError) in try NotifyCommand.count(text) }
        let time = try length.map { text throws(CLIError) in try TimeSpan.parse(text, for: "--for") }
        return StepFunction { session in
            let printer = ValuePrinter(
                context: session.context, format: format, showsSource: arguments.count > 1, continuesAfterMismatch: true
            )
            try printer.check()
            return session.currentTree(with: arguments).flatMap { tree -> Observable<Never> in
                var values = NotifyVerb.updates(of: try tree.characteristics(arguments))
                if let number { values = values.take(number) }
                if let time { values = values.take(for: time.interval, scheduler: session.context.scheduler) }
                return values.do(onNext: { try printer.show($0.1, of: $0.0) }).ignoreElements()
            }
        }
    }
}

struct PauseStep: StepCommand {
    static let configuration = CommandConfiguration(commandName: "pause", abstract: "Wait for a time.")

    @Argument(help: "How long, such as 500ms.") var time: String

    func step() throws(CLIError) -> any SessionStep {
        let time = try TimeSpan.parse(time, for: "pause")
        return StepFunction { $0.context.timer(time).ignoreElements() }
    }
}

struct ScanStep: StepCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Print the devices that advertise, for 5 seconds.")

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: .length("Without it, the scan takes 5s."))
    var length: String?

    func step() throws(CLIError) -> any SessionStep {
        let time = try TimeSpan.parse(length ?? "5s", for: "--for")
        return StepFunction { session in
            let context = session.context
            let isJSON = context.options.json
            return ScanLines(output: context.output, isShown: NewDeviceFilter().isNew) {
                isJSON ? $0.json.text : $0.line
            }
            .show(
                context.manager.scanForPeripherals()
                    .do(onNext: { session.add($0) })
                    .take(for: time.interval, scheduler: context.scheduler))
        }
    }
}
