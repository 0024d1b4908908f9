import ArgumentParser
import BluetoothCaptures
import Rx
import RxBluetooth

/// The command `ble-cli record`.
struct RecordCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record advertisements and GATT traffic for Wireshark.",
        discussion: """
            Writes what bluetoothd reports as packets of a Bluetooth host: pcapng, or btsnoop if the name of the file \
            ends with .btsnoop or .log. The packets are synthesised, because bluetoothd does not show the real ones; \
            a comment in the file says so. See docs/recording.md.

            Without TARGET, records all advertisements. With TARGET, records those of the device, connects, reads all \
            values that can be read, and records what the device notifies. Runs until --for or Ctrl-C. The file is \
            valid at any time, also if the program is killed.

            EXAMPLES:
              ble-cli record scan.pcapng --for 10s
              ble-cli record strap.pcapng Strap --for 1m
              ble-cli record strap.btsnoop C0:FF:EE:00:00:01
              wireshark strap.pcapng
              ble-cli import strap.pcapng > strap.yaml
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: "The file to write. A file that exists is replaced.", completion: .file()) var file: String
    @Argument(
        help: "The device to connect to: its address, its name, or a part of either. Default: none.",
        completion: .devices)
    var target: String?

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp("Record for this long, such as 10s or 5m. Default: until Ctrl-C.", valueName: "duration"))
    var duration: String?

    func verb() throws(CLIError) -> any Verb {
        let target = try target.map { text throws(CLIError) in try Target(parsing: text) }
        let duration = try duration.map { text throws(CLIError) in try TimeSpan.parse(text, for: "--for") }
        return RecordVerb(file: file, target: target, duration: duration)
    }
}

/// Records advertisements, and with a target also the GATT traffic with the device.
struct RecordVerb: LinkVerb {
    let file: String
    var target: Target?
    /// How long to record; nil until the verb is stopped.
    var duration: Duration?
    /// Opens the file. Returns a function that appends bytes.
    var open: @Sendable (String) throws -> CaptureRecorder.Sink = { path in
        let file = try RecordingFile(path)
        return { try file.append($0) }
    }

    /// The format that the name of a file selects.
    static func format(of file: String) -> CaptureWriter.Format {
        let name = file.lowercased()
        return name.hasSuffix(".btsnoop") || name.hasSuffix(".log") ? .snoop : .pcapng
    }

    func run(in context: CommandContext) -> Observable<Never> {
        Observable.deferred {
            let recorder = try CaptureRecorder(Self.format(of: file), to: try open(file))
            var parts = [advertisements(in: context, recorder)]
            if let target { parts.append(traffic(with: target, in: context, recorder)) }
            let all = Observable<Never>.merge(parts)
                .do(
                    onError: { _ in
                        try? recorder.recordDisconnection(isRequested: false, at: context.scheduler.now)
                    },
                    onDispose: {
                        try? recorder.recordDisconnection(isRequested: true, at: context.scheduler.now)
                        context.note("Recorded \(recorder.count) packets in \(file).")
                    })
            return duration.map { all.take(for: $0.interval, scheduler: context.scheduler) } ?? all
        }
    }

    /// Records the advertisements of the target, or of all devices.
    private func advertisements(in context: CommandContext, _ recorder: CaptureRecorder) -> Observable<Never> {
        context.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true))
            .filter { target?.match($0.peripheral.address, name: $0.name) != nil || target == nil }
            .do(onNext: { try recorder.record($0) })
            .ignoreElements()
    }

    /// Connects, and records the discovery, all readable values and the notifications. Never completes.
    private func traffic(
        with target: Target, in context: CommandContext, _ recorder: CaptureRecorder
    ) -> Observable<Never> {
        DeviceConnector(context: context, target: target)
            .use { tree in
                RecordedAttributes.discover(tree)
                    .do(onNext: { try recorder.recordConnection($0, at: context.scheduler.now) })
                    .flatMap { attributes -> Observable<Never> in
                        let exchanges = context.manager.attributeExchanges
                            .do(onNext: { try recorder.record($0) })
                            .ignoreElements()
                        let values = ConnectVerb.items(of: tree).ignoreElements()
                        let updates = attributes.notifying.map { characteristic in
                            characteristic.observeValueUpdates().ignoreElements()
                                .catch { error in try Self.noteRefusal(error, in: context) }
                        }
                        return Observable<Never>.merge([exchanges, values.concat(Observable<Never>.merge(updates))])
                    }
            }
            .ignoreElements()
    }

    /// Prints that a characteristic does not notify. Throws the error if the link is lost.
    private static func noteRefusal(_ error: any Error, in context: CommandContext) throws -> Observable<Never> {
        guard let error = error as? BluetoothError else { throw error }
        switch error.kind {
        case .disconnected, .notConnected, .daemonUnavailable, .busUnavailable, .closed: throw error
        default:
            context.note(CLIError(error).text)
            return .never()
        }
    }
}
