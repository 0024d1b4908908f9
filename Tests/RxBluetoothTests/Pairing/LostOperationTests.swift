import DBus
import Foundation
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Operations that bluetoothd loses because they wait for a pairing when the link ends.
struct LostOperationTests {
    /// An operation that needs pairing.
    enum Need: String, CaseIterable, Sendable {
        case read, write, readDescriptor, writeDescriptor, signals, socket

        /// The method of bluetoothd that the operation calls.
        var method: String {
            switch self {
            case .read, .readDescriptor: "ReadValue"
            case .write, .writeDescriptor: "WriteValue"
            case .signals: "StartNotify"
            case .socket: "AcquireNotify"
            }
        }

        private static func descriptor(_ stage: Stage, _ value: Characteristic) -> Descriptor {
            let found = stage.record(value.discoverDescriptors())
            stage.advance(0)
            guard let descriptor = found.elements.first(where: { $0.uuid == 0x2901 }) else {
                preconditionFailure("The characteristic has no descriptor.")
            }
            return descriptor
        }

        fileprivate func begin(_ stage: Stage, _ peripheral: Peripheral) -> Recording<[UInt8]> {
            let value = stage.characteristic(0xFFF1, of: peripheral)
            switch self {
            case .read: return stage.record(value.readValue())
            case .write: return stage.record(value.writeValue([1]).andThen(Observable<[UInt8]>.empty()))
            case .readDescriptor: return stage.record(Self.descriptor(stage, value).readValue())
            case .writeDescriptor:
                return stage.record(Self.descriptor(stage, value).writeValue([1]).andThen(Observable<[UInt8]>.empty()))
            case .signals: return stage.record(value.observeValueUpdates(using: .signals))
            case .socket: return stage.record(value.observeValueUpdates(using: .socket))
            }
        }
    }

    private static let address = "C0:FF:EE:00:00:41"

    /// Returns a stage with a device whose attributes need pairing, and the device.
    private func stage(
        _ version: SimulatedBlueZ.Version = .v5_87, needing protection: SimulatedProtection = .encryption,
        policy: PairingPolicy = PairingPolicy(), deadlines: Deadlines = .prompt, file: String? = nil
    ) -> (Stage, Peripheral) {
        var scenario = Scenario(peripherals: [
            SimulatedPeripheral("Vault", address: Self.address) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Vault", firstAfter: .zero)
                SimulatedService("fff0") {
                    SimulatedCharacteristic(
                        "fff1", .read([7]), .write, .notify,
                        descriptors: [SimulatedDescriptor("2901", [8], writable: true, protection: protection)],
                        protection: protection)
                    SimulatedCharacteristic("fff3", .read([3]))
                }
            }
        ])
        scenario.bluez = version
        let stage = Stage(scenario, deadlines: deadlines, pairing: policy, lostOperationFile: file)
        return (stage, stage.find("C0:FF:EE:00:00:41"))
    }

    /// Connects, also if bluetoothd has to find the device again.
    private func connect(_ peripheral: Peripheral, _ stage: Stage) -> Recording<Peripheral> {
        let link = stage.record(peripheral.connect())
        stage.advance(3_000)
        #expect(link.elements.count == 1)
        return link
    }

    private func expectWorks(_ need: Need, _ stage: Stage, _ peripheral: Peripheral) {
        let paired = stage.record(peripheral.pair())
        stage.advance(10_000)
        #expect(paired.isCompleted, "\(String(describing: paired.error))")
        let link = stage.record(peripheral.connect())
        stage.advance(5_000)
        #expect(link.isLive && !link.elements.isEmpty)
        let operation = need.begin(stage, peripheral)
        stage.advance(1_000)
        switch need {
        case .read: #expect(operation.elements == [[7]])
        case .readDescriptor: #expect(operation.elements == [[8]])
        case .write, .writeDescriptor: #expect(operation.isCompleted)
        case .signals, .socket:
            stage.simulation.bluez.notify([9], from: Self.address, "fff1")
            stage.advance(100)
            #expect(operation.elements == [[9]])
        }
        operation.dispose()
        link.dispose()
        stage.advance(5_000)
        stage.expectSettled()
    }

    @Test(.proves(.Q126), arguments: SimulatedBlueZ.Version.allCases, Need.allCases)
    func `An operation works after a refused pairing, another refusal and a pairing`(
        _ version: SimulatedBlueZ.Version, _ need: Need
    ) {
        let (stage, peripheral) = stage(version)
        for _ in 1...2 {
            let link = connect(peripheral, stage)
            let refused = need.begin(stage, peripheral)
            stage.advance(1_000)
            #expect(refused.kind == .needsPairing, "\(String(describing: refused.error))")
            link.dispose()
            stage.advance(4_000)
        }
        expectWorks(need, stage, peripheral)
    }

    /// How a link ends while a pairing request is open or refused.
    enum End: String, CaseIterable, Sendable {
        case peripheral, otherProgram, disposal, disconnect

        fileprivate func happen(_ stage: Stage, _ peripheral: Peripheral, _ link: Recording<Peripheral>) {
            switch self {
            case .peripheral: stage.simulation.bluez.dropLink(to: LostOperationTests.address)
            case .otherProgram: stage.simulation.bluez.competingClient().disconnect(LostOperationTests.address)
            case .disposal: link.dispose()
            case .disconnect:
                let closed = stage.record(peripheral.disconnect())
                stage.advance(3_000)
                #expect(closed.isCompleted)
            }
        }
    }

    @Test(.proves(.Q126), arguments: End.allCases, [false, true])
    func `An operation works after the link ends while its pairing is open or refused`(_ end: End, isOpen: Bool) {
        for need in Need.allCases {
            let (stage, peripheral) = stage(policy: isOpen ? PairingPolicy(.ask) : PairingPolicy())
            let questions = stage.record(stage.manager.pairingRequests)
            let link = connect(peripheral, stage)
            let refused = need.begin(stage, peripheral)
            stage.advance(300)
            #expect(questions.elements.isEmpty != isOpen)
            end.happen(stage, peripheral, link)
            stage.advance(4_000)
            #expect(!refused.isLive && !link.isLive || end == .disposal, "\(need)")
            questions.dispose()
            let accepted = stage.record(stage.manager.pairingRequests.do(onNext: { try $0.answer(.accept) }))
            defer { accepted.dispose() }
            expectWorks(need, stage, peripheral)
        }
    }

    @Test(.proves(.Q126), arguments: Need.allCases)
    func `A connection directly after the link is lost waits until the device is repaired`(_ need: Need) {
        let (stage, peripheral) = stage()
        let link1 = connect(peripheral, stage)
        defer { link1.dispose() }
        let refused = need.begin(stage, peripheral)
        stage.advance(1_000)
        #expect(refused.kind == .needsPairing)
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.advance(10)
        let link = stage.record(peripheral.connect())
        stage.advance(3_000)
        #expect(link.isLive && link.elements.count == 1)
        let again = need.begin(stage, peripheral)
        stage.advance(1_000)
        #expect(again.kind == .needsPairing, "\(String(describing: again.error))")
    }

    @Test(.proves(.Q126)) func `An adapter that was off does not keep an attribute busy`() {
        let (stage, peripheral) = stage()
        let link = connect(peripheral, stage)
        let refused = Need.read.begin(stage, peripheral)
        stage.advance(1_000)
        #expect(refused.kind == .needsPairing)
        stage.simulation.bluez.setPower(false)
        stage.advance(2_000)
        #expect(link.kind == .disconnected(.adapter))
        stage.simulation.bluez.setPower(true)
        stage.advance(1_000)
        let link2 = connect(peripheral, stage)
        defer { link2.dispose() }
        let again = Need.read.begin(stage, peripheral)
        stage.advance(1_000)
        #expect(again.kind == .needsPairing, "\(String(describing: again.error))")
    }

    @Test(.proves(.Q126), arguments: [Need.read, .write, .readDescriptor, .writeDescriptor])
    func `A bond is kept, and the operation fails without a call`(_ need: Need) {
        let (stage, peripheral) = stage(needing: .authentication)
        let paired = stage.record(peripheral.pair())
        stage.advance(10_000)
        #expect(paired.isCompleted)
        let link = connect(peripheral, stage)
        let refused = need.begin(stage, peripheral)
        stage.advance(1_000)
        #expect(refused.error?.isBondTooWeak == true)
        link.dispose()
        stage.advance(5_000)
        #expect(stage.count("RemoveDevice") == 0)
        stage.simulation.bluez.forgetCalls()
        let link3 = connect(peripheral, stage)
        defer { link3.dispose() }
        let again = need.begin(stage, peripheral)
        stage.advance(1_000)
        #expect(again.error?.isBondTooWeak == true)
        let text = again.error?.description ?? ""
        #expect(text.contains("After a refused pairing"), "\(text)")
        #expect(stage.count(need.method) == 0)
        let other = stage.record(stage.characteristic(0xFFF3, of: peripheral).readValue())
        stage.advance(1_000)
        #expect(other.elements == [[3]])
        let forgotten = stage.record(peripheral.forget())
        stage.advance(5_000)
        #expect(forgotten.isCompleted)
        stage.simulation.bluez.forgetCalls()
        let last = connect(peripheral, stage)
        defer { last.dispose() }
        let unlocked = need.begin(stage, peripheral)
        stage.advance(1_000)
        #expect(unlocked.kind == .needsPairing && unlocked.error?.isBondTooWeak == false)
        #expect(stage.count(need.method) == 1)
    }

    @Test(.proves(.Q126), arguments: [Need.read, .write, .readDescriptor, .writeDescriptor])
    func `The next process does not repeat an operation that bluetoothd has lost`(_ need: Need) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lost-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.path + "/lost-operations"
        let (stage, first) = stage(needing: .authentication, file: file)
        let paired = stage.record(first.pair())
        stage.advance(10_000)
        #expect(paired.isCompleted)
        let link = connect(first, stage)
        let refused = need.begin(stage, first)
        stage.advance(1_000)
        #expect(refused.error?.isBondTooWeak == true)
        link.dispose()
        stage.advance(5_000)

        var configuration = BluetoothManager.Configuration(scheduler: stage.scheduler, deadlines: .prompt)
        configuration.lostOperationFile = file
        let next = BluetoothManager(configuration: configuration, bus: stage.simulation.connect())
        let peripheral = stage.find("C0:FF:EE:00:00:41", with: next)
        stage.simulation.bluez.forgetCalls()
        let nextLink = connect(peripheral, stage)
        defer { nextLink.dispose() }
        let again = need.begin(stage, peripheral)
        let other = stage.record(stage.characteristic(0xFFF3, of: peripheral).readValue())
        stage.advance(1_000)
        #expect(again.error?.isBondTooWeak == true && other.elements == [[3]])
        #expect(again.error?.description.contains("After a refused pairing") == true)
        #expect(stage.count(need.method) == (need.method == "ReadValue" ? 1 : 0))

        let forgotten = stage.record(peripheral.forget())
        stage.advance(5_000)
        #expect(forgotten.isCompleted)
        #expect(FileManager.default.contents(atPath: file)?.isEmpty == true)
    }

    @Test(.proves(.Q126)) func `A bond is kept, and notifications can be requested again`() {
        let (stage, peripheral) = stage(needing: .authentication)
        let paired = stage.record(peripheral.pair())
        stage.advance(10_000)
        #expect(paired.isCompleted)
        for _ in 1...2 {
            let link = connect(peripheral, stage)
            let refused = Need.signals.begin(stage, peripheral)
            stage.advance(1_000)
            #expect(refused.error?.isBondTooWeak == true)
            link.dispose()
            stage.advance(5_000)
        }
        #expect(stage.count("RemoveDevice") == 0 && stage.count("StartNotify") == 2)
    }

    @Test(.proves(.Q126)) func `A late reply shows that an operation is not lost`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let read = stage.record(
            stage.characteristic(0x2A37, of: peripheral).readValue(options: .init(deadline: .seconds(1))))
        stage.advance(1_000)
        #expect(read.kind == .timedOut)
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(0)
        link.dispose()
        stage.advance(0)
        daemon.take("Disconnect").reply()
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        stage.advance(1_000)
        #expect(daemon.count("RemoveDevice") == 0)
    }

    @Test(.proves(.Q126)) func `An operation that is never answered removes the device without a bond`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let read = stage.record(stage.characteristic(0x2A37, of: peripheral).readValue())
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        // The loss is reported when the adapter has not answered for half a second.
        stage.advance(500)
        #expect(read.kind == .disconnected(.unknown) && link.kind == .disconnected(.unknown))
        stage.advance(499)
        #expect(daemon.count("RemoveDevice") == 0)
        stage.advance(1)
        #expect(daemon.count("RemoveDevice") == 1)
    }

    @Test(.proves(.S44, .Q126)) func `delivered() waits until the device is repaired`() {
        let (stage, peripheral) = stage()
        let link4 = connect(peripheral, stage)
        defer { link4.dispose() }
        let refused = Need.read.begin(stage, peripheral)
        stage.advance(1_000)
        #expect(refused.kind == .needsPairing)
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.advance(1)
        let delivered = stage.record(stage.manager.delivered())
        stage.advance(400)
        #expect(delivered.isLive)
        stage.advance(200)
        #expect(delivered.isCompleted && stage.count("RemoveDevice") == 1)
    }

    /// Returns a stage, its daemon and `delivered()`, after a read without a reply and its link were disposed.
    private func deliveryAfterDisposedRead() -> (Stage, ScriptedDaemon, Recording<Never>) {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let read = stage.record(stage.characteristic(0x2A37, of: peripheral).readValue())
        stage.advance(0)
        read.dispose()
        link.dispose()
        return (stage, daemon, stage.record(stage.manager.delivered()))
    }

    @Test(.proves(.S44, .Q126)) func `delivered() waits for the end of a link with an unanswered operation`() {
        let (stage, daemon, delivered) = deliveryAfterDisposedRead()
        stage.advance(1_900)
        #expect(delivered.isLive && daemon.count("RemoveDevice") == 0)
        daemon.take("Disconnect").reply()
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        stage.advance(499)
        #expect(delivered.isLive && daemon.count("RemoveDevice") == 0)
        stage.advance(1)
        daemon.remove(ScriptedDaemon.Objects.devicePath, "org.bluez.Device1")
        daemon.take("RemoveDevice").reply()
        stage.advance(0)
        #expect(delivered.isCompleted)
    }

    @Test(.proves(.S44, .Q126)) func `delivered() does not wait for the link if the operation is answered`() {
        let (stage, daemon, delivered) = deliveryAfterDisposedRead()
        stage.advance(100)
        #expect(delivered.isLive)
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(0)
        #expect(delivered.isCompleted)
    }
}
