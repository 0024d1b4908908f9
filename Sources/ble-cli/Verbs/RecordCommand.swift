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

            Without TARGET, records all advertisements. With TARGET, records those of the device, connects, and \
            records what the device notifies and all values that can be read. If a value needs pairing, connects \
            again for the others. Runs until --for, --timeout or Ctrl-C. The file is valid at any time, also if the \
            program is killed. A file that exists is kept if the device is not found.

            EXAMPLES:
              ble-cli record scan.pcapng --for 10s
              ble-cli record strap.pcapng Strap --for 1m
              ble-cli record strap.btsnoop C0:FF:EE:00:00:01
              wireshark strap.pcapng
              ble-cli record - | wireshark -k -i -
              ble-cli import strap.pcapng > strap.yaml
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: "The file to write; - for standard output. A file that exists is replaced.", completion: .file())
    var file: String
    @Argument(
        help: "The device to connect to: its address, its name, or a part of either. Default: none.",
        completion: .devices)
    var target: String?

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: .length("Without it, --timeout is the same limit; beside it, --timeout limits finding TARGET."))
    var duration: String?

    func verb() throws(CLIError) -> any Verb {
        let target = try target.map { text throws(CLIError) in try Target(parsing: text) }
        // With a target, --timeout also limits finding and connecting, so both options have a meaning.
        let duration = try TimeSpan.duration(duration, besides: target == nil ? common.timeout : nil)
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
            let sink = try open(file)
            let start: @Sendable () throws -> CaptureRecorder = { try CaptureRecorder(Self.format(of: file), to: sink) }
            let length = duration ?? context.options.timeout
            guard let target else {
                return limited(recording(try start(), in: context) { _ in .never() }, to: length, in: context)
            }
            let clock = ElapsedClock(context.scheduler)
            let (begin, held) = (clock.time, HeldSightings())
            let early = scan(in: context).do(onNext: { if !$0.isCached { held.add($0) } }).ignoreElements()
            let found = find(target, within: length, in: context)
            return found.alongside(early).take(1).flatMap { candidate in
                let recorder = try start()
                let address = candidate.peripheral.address
                for sighting in held.take(address) { try recorder.record(sighting) }
                let recording = recording(recorder, of: address, in: context) {
                    traffic(with: address, in: context, $0)
                }
                return limited(recording, to: length.map { $0 - (clock.time - begin) }, in: context)
            }
        }
    }

    /// Emits the target. Fails if it does not advertise in time.
    private func find(
        _ target: Target, within length: Duration?, in context: CommandContext
    ) -> Observable<DeviceCandidates.Candidate> {
        let limit = min(context.options.setupTimeout, length ?? context.options.setupTimeout)
        let timedOut = context.timer(limit).map { _ -> DeviceCandidates.Candidate in
            throw ConnectionProgress().timeoutError(target, after: limit)
        }
        return DeviceFinder(context: context, target: target).find().amb(timedOut)
    }

    private func limited(
        _ recording: Observable<Never>, to length: Duration?, in context: CommandContext
    ) -> Observable<Never> {
        length.map { recording.take(for: $0.interval, scheduler: context.scheduler) } ?? recording
    }

    /// Records advertisements of a device, or of all devices, and what `traffic` records.
    private func recording(
        _ recorder: CaptureRecorder, of address: BluetoothAddress? = nil, in context: CommandContext,
        _ traffic: (CaptureRecorder) -> Observable<Never>
    ) -> Observable<Never> {
        let hasNoted = Guarded(false)
        let advertisements = scan(in: context)
            .filter { address == nil || $0.peripheral.address == address }
            .do(onNext: { sighting in
                try recorder.record(sighting)
                guard sighting.advertisementData.hasDiscoveredServices, !recorder.hasConnected else { return }
                let isFirst = hasNoted.withLock { hasNoted in
                    defer { hasNoted = true }
                    return !hasNoted
                }
                guard isFirst else { return }
                context.note("\(sighting.peripheral): \(AdvertisementData.discoveredServicesComment)")
            })
            .ignoreElements()
        return Observable<Never>.merge([advertisements, traffic(recorder)])
            .do(
                onError: { _ in
                    try? recorder.recordDisconnection(isRequested: false, at: context.scheduler.now)
                },
                onDispose: {
                    try? recorder.recordDisconnection(isRequested: true, at: context.scheduler.now)
                    let place = file == "-" ? "on standard output" : "in \(file)"
                    context.note("Recorded \(recorder.count) packets \(place).")
                })
    }

    private func scan(in context: CommandContext) -> Observable<ScannedPeripheral> {
        context.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true))
    }

    /// Connects, and records the discovery, all readable values and the notifications. Never completes.
    private func traffic(
        with address: BluetoothAddress, in context: CommandContext, _ recorder: CaptureRecorder
    ) -> Observable<Never> {
        DeviceConnector(context: context, target: .address(address))
            .useReading { tree, reading in
                RecordedAttributes.discover(tree)
                    .do(onNext: { try recorder.recordConnection($0, at: context.scheduler.now) })
                    .flatMap { attributes -> Observable<Never> in
                        let exchanges = context.manager.attributeExchanges
                            .do(onNext: { try recorder.record($0) })
                            .ignoreElements()
                        // Notifications are requested first, because a value that needs pairing stalls the link.
                        let updates = attributes.notifying.map { Self.updates(of: $0, reading, in: context) }
                        return Observable<Never>.merge([exchanges] + updates + [Self.values(of: tree, reading)])
                            .do(onError: { error in
                                let isLost = reading.isLinkLost
                                guard isLost || error is TreeReading.LinkStalled else { return }
                                try recorder.recordDisconnection(isRequested: !isLost, at: context.scheduler.now)
                            })
                    }
            }
            .ignoreElements()
    }

    /// Reads all values. Never completes, and fails with ``TreeReading/LinkStalled`` if a value has stalled the link.
    private static func values(of tree: GATTTree, _ reading: TreeReading) -> Observable<Never> {
        let refusal = Guarded<BluetoothError?>(nil)
        return reading.items(of: tree)
            .do(onNext: { item in
                if let error = item.failure?.error, error.kind == .needsPairing { refusal.withLock { $0 = error } }
            })
            .ignoreElements()
            .concat(
                Observable.deferred {
                    // bluetoothd closes a stalled link soon, so the notifications continue over another one.
                    guard let cause = refusal.withLock({ $0 }), reading.canReplaceLink else { return .never() }
                    return .error(TreeReading.LinkStalled(peripheral: tree.peripheral, cause: cause))
                })
    }

    /// Requests the notifications of a characteristic. Prints a note if they are refused; fails if the link is lost.
    private static func updates(
        of characteristic: Characteristic, _ reading: TreeReading, in context: CommandContext
    ) -> Observable<Never> {
        guard !reading.hasRefusedNotifications(characteristic.handle) else { return .never() }
        return characteristic.observeValueUpdates().ignoreElements().catch { error in
            guard let error = error as? BluetoothError else { throw error }
            switch error.kind {
            case .disconnected, .notConnected, .daemonUnavailable, .busUnavailable, .closed: throw error
            case .connectionStalled where reading.canReplaceLink:
                throw TreeReading.LinkStalled(peripheral: characteristic.peripheral, cause: error)
            default:
                context.note(CLIError(error).text)
                guard error.kind == .needsPairing, reading.canReplaceLink else { return .never() }
                reading.refuseNotifications(characteristic.handle)
                throw TreeReading.LinkStalled(peripheral: characteristic.peripheral, cause: error)
            }
        }
    }
}
