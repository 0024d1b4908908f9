import ArgumentParser
import FoundationEssentials
import Rx
import RxBluetooth
import RxBluetoothMocks
import RxBluetoothSupport
import ScenarioFiles

/// The command `ble-cli clone`.
struct CloneCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "clone", abstract: "Print a scenario that simulates a device.",
        discussion: """
            Receives the advertisement of the device, connects, and reads all values that can be read. Prints a \
            scenario, with which --scenario and simulate show the same device. Values that the device notifies are not \
            cloned: use record and import for them.

            EXAMPLES:
              ble-cli clone Strap > strap.yaml
              ble-cli connect Strap --scenario ./strap.yaml
              ble-cli simulate strap.yaml -- bluetoothctl --timeout 5 scan on
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .target) var target: String

    func verb() throws(CLIError) -> any Verb { CloneVerb(target: try Target(parsing: target)) }
}

/// Prints a scenario with the advertisement and the attributes of a device.
struct CloneVerb: LinkVerb {
    let target: Target

    /// How long to receive advertisements after the first one, for the scan response and the interval.
    private static let settling = Duration.seconds(1)

    func run(in context: CommandContext) -> Observable<Never> {
        advertisement(in: context)
            .flatMap { advertised in
                DeviceConnector(context: context, target: target)
                    .useReading { tree, reading in reading.items(of: tree) }
                    .toArray().asObservable()
                    .catch { error in onlyAdvertisement(advertised, after: error, in: context) }
                    .do(onNext: { items in
                        guard let peripheral = items.peripheral ?? advertised.latest?.peripheral else { return }
                        // A partial match may have advertised while the named device was connected.
                        let isSame = advertised.latest?.peripheral.address == peripheral.address
                        let advertised = isSame ? advertised : Received()
                        if advertised.latest == nil {
                            context.note(
                                "\(target) does not advertise now; the scenario has an advertisement with its name.")
                        }
                        if advertised.latest?.advertisementData.hasDiscoveredServices == true {
                            context.note(AdvertisementData.discoveredServicesComment)
                        }
                        try show(Self.scenario(items, of: peripheral, advertised), of: peripheral, in: context)
                    })
            }
            .ignoreElements()
    }

    /// The advertisements of one device that were received.
    private struct Received: Sendable {
        var first: ScannedPeripheral?
        var latest: ScannedPeripheral?
        var count = 0

        /// The average time between two advertisements; nil if fewer than two were received.
        var interval: Duration? {
            guard count > 1, let first, let latest else { return nil }
            let seconds = latest.timestamp.timeIntervalSince(first.timestamp) / Double(count - 1)
            return .milliseconds(min(max(Int64((seconds * 1000).rounded()), 20), 60_000))
        }
    }

    /// Emits the advertisement of the target, or nil if none arrives in time, and completes.
    private func advertisement(in context: CommandContext) -> Observable<Received> {
        let heard = context.manager
            .scanForPeripherals(options: ScanOptions(allowsDuplicates: true, includesKnown: true))
            .filter { target.match($0.peripheral, name: $0.name) != nil }
            .share()
        // A device that is connected to another program may not advertise, so the wait is limited.
        let limit = min(DeviceFinder.silence, context.options.setupTimeout / 2)
        let settled = heard.filter { !$0.isCached }.take(1).flatMap { _ in context.timer(Self.settling) }
        return heard.take(until: settled.amb(context.timer(limit)))
            .reduce([BluetoothAddress: Received]()) { received, sighting in
                var received = received
                var entry = received[sighting.peripheral.address] ?? Received()
                if entry.latest?.isCached != false { entry = Received() }
                entry.first = entry.first ?? sighting
                entry.latest = sighting
                entry.count += 1
                received[sighting.peripheral.address] = entry
                return received
            }
            .map { received in
                // If several devices match, connecting fails and prints them.
                received.values.first { entry in
                    entry.latest.map { target.match($0.peripheral, name: $0.name) == .exact } ?? false
                } ?? received.values.first ?? Received()
            }
    }

    /// Emits no items if the device advertises but accepts no connection, as a beacon does; else the error.
    private func onlyAdvertisement(
        _ received: Received, after error: any Error, in context: CommandContext
    ) -> Observable<[GATTTreeItem]> {
        let error = CLIError(error)
        guard let latest = received.latest, !latest.isCached, [.timedOut, .failed].contains(error.code) else {
            return .error(error)
        }
        return Observable.zip(
            context.manager.retrieveConnectedPeripherals().asObservable(),
            KnownDevices(context: context, target: target).find().catch { _ in throw error }
        ) { connected, named in
            // The advertisement may be that of a partial match. A discovery that takes too long may succeed later.
            guard named == latest.peripheral, !connected.contains(named), error.isOfConnecting else { throw error }
            context.note("The scenario has only the advertisement: \(error.text)")
            return []
        }
    }

    /// Prints a scenario; with `--json`, as a string of an object.
    private func show(_ scenario: String, of peripheral: Peripheral, in context: CommandContext) throws {
        guard context.options.json else { return try context.output.write(scenario) }
        try context.output.line(
            JSON.object([
                ("time", .string(Timestamp.text(context.scheduler.now))),
                ("adapter", .string(orNull: peripheral.adapterName)),
                ("address", .string(peripheral.address.description)), ("name", .string(orNull: peripheral.name)),
                ("scenario", .string(scenario)),
            ]).text)
    }

    private static func scenario(
        _ items: [GATTTreeItem], of peripheral: Peripheral, _ received: Received
    ) -> String {
        let address = peripheral.address.description
        let name = peripheral.name ?? received.latest?.name ?? address
        var described = DescribedPeripheral(
            name, address: address, isRandom: peripheral.addressKind != .public)
        var advertisement = advertisement(received, name: name)
        advertisement.isConnectable = !items.isEmpty
        described.advertisement = advertisement
        if received.latest?.advertisementData.hasDiscoveredServices == true {
            described.comment = AdvertisementData.discoveredServicesComment
        }
        if peripheral.mtu > 23 { described.mtu = UInt16(clamping: peripheral.mtu) }
        for item in items { described.add(item) }
        return ScenarioWriter.text(
            [described], comment: ["Cloned by ble-cli clone from \(address) \(Sanitiser.clean(name))."])
    }

    private static func advertisement(_ received: Received, name: String) -> SimulatedAdvertisement {
        let interval = received.interval ?? .milliseconds(100)
        guard let sighting = received.latest else {
            return SimulatedAdvertisement(every: interval, rssi: -60, name: name)
        }
        let data = sighting.advertisementData
        return SimulatedAdvertisement(
            every: interval, rssi: Int(sighting.rssi ?? -60), name: data.localName,
            txPower: data.txPowerLevel.map { Int8(clamping: $0) },
            services: data.advertisedServices.map { $0.scenarioText }, manufacturerData: data.manufacturerData,
            serviceData: Dictionary(
                uniqueKeysWithValues: data.serviceData.map { ($0.key.scenarioText, $0.value) }),
            appearance: data.appearance,
            // Without its experimental mode, bluetoothd does not report the flags. It reports discoverable devices.
            flags: data.flags?.first ?? 0x06)
    }
}

extension CLIError {
    /// Whether no link was made in time, or the device refused it.
    fileprivate var isOfConnecting: Bool {
        guard let cause else { return code == .timedOut }
        switch cause.kind {
        case .timedOut, .connectFailed: return cause.operation == .connect
        default: return false
        }
    }
}

extension [GATTTreeItem] {
    /// The device of the items; nil if there are none.
    fileprivate var peripheral: Peripheral? {
        guard case .peripheral(let peripheral)? = first else { return nil }
        return peripheral
    }
}

extension DescribedPeripheral {
    /// Adds an item of the GATT tree. The items arrive from the root to the leaves.
    fileprivate mutating func add(_ item: GATTTreeItem) {
        let last = services.count - 1
        switch item {
        case .peripheral: break
        case .service(let service):
            services.append(Service(service.uuid.scenarioText, isPrimary: service.isPrimary))
        case .characteristic(let characteristic, let value):
            guard last >= 0 else { return }
            var made = Characteristic(
                characteristic.uuid.scenarioText,
                properties: UInt8(truncatingIfNeeded: characteristic.properties.rawValue))
            switch value {
            case .success(let bytes): made.value = bytes
            case .failure(let failure):
                let error = failure.error
                if [.needsPairing, .disconnected(.authentication)].contains(error.kind) {
                    made.protection = .encryption
                }
                made.comment = "Not read: \(Sanitiser.clean(error.summary))"
            case nil: break
            }
            services[last].characteristics.append(made)
        case .descriptor(let descriptor, let value):
            guard last >= 0, !services[last].characteristics.isEmpty else { return }
            // The simulation adds the descriptor that switches notifications.
            guard descriptor.uuid != 0x2902 else { return }
            let place = services[last].characteristics.count - 1
            services[last].characteristics[place].descriptors.append(
                Descriptor(descriptor.uuid.scenarioText, (try? value.get()) ?? []))
        }
    }
}

extension BluetoothUUID {
    /// The UUID as a scenario file has it.
    fileprivate var scenarioText: String { description.lowercased() }
}
