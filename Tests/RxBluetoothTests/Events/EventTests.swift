import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The events that ``BluetoothManager/events`` emits for the work of a manager.
struct EventTests {
    private func kinds(_ events: Recording<BluetoothEvent>) -> [BluetoothEvent.Kind] { events.elements.map(\.kind) }

    @Test(.proves(.S55, .S57)) func `Each operation emits events for queueing, start and end with durations`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let slow = stage.characteristic(Sensor.slow, of: peripheral)
        let quick = stage.characteristic(Sensor.refusing, of: peripheral)
        let events = stage.record(stage.manager.events)
        let first = stage.record(slow.readValue())
        let second = stage.record(quick.readValue())
        let third = stage.record(quick.readValue())
        stage.advance(1_000)
        third.dispose()
        stage.advance(6_000)
        #expect(first.elements == [[5]] && second.kind == .attError && link.isLive)
        let took = events.elements.compactMap { event -> String? in
            switch event.kind {
            case .operationQueued(let operation, let waiting): "\(operation.number) queued \(waiting)"
            case .operationStarted(let operation, let waited): "\(operation.number) started \(Self.seconds(waited))"
            case .operationEnded(let operation, let took, let error):
                "\(operation.number) ended \(Self.seconds(took)) \(error?.code ?? "well")"
            case .operationDropped(let operation, let waited, let error):
                "\(operation.number) dropped \(Self.seconds(waited)) \(error?.code ?? "unwanted")"
            default: nil
            }
        }
        #expect(
            took == [
                "1 queued 1", "1 started 0", "2 queued 1", "3 queued 2", "3 dropped 1 unwanted", "1 ended 5 well",
                "2 started 5", "2 ended 0 att-error",
            ])
        #expect(events.elements.map(\.number) == (1...8).map { UInt64($0) })
        guard case .operationQueued(let operation, _)? = events.elements.first?.kind else { return }
        #expect(operation.operation == .read && operation.peripheral === peripheral)
        #expect(operation.target == "FFF5 of C0:FF:EE:00:00:21")
    }

    private static func seconds(_ duration: Duration) -> Int64 {
        (duration + .milliseconds(500)).components.seconds
    }

    @Test(.proves(.S59)) func `Operations that wait at link loss end with the cause of the loss`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let silent = stage.characteristic(Sensor.silent, of: peripheral)
        let reads = [stage.record(silent.readValue()), stage.record(silent.readValue())]
        stage.advance(1_000)
        let events = stage.record(stage.manager.events)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(1_000)
        let cause = BluetoothError(.linkLost(.remote), target: Sensor.text)
        #expect(reads.allSatisfy { $0.kind == .linkLost(.remote) })
        #expect(kinds(events).contains(.connection(peripheral, .disconnected(cause))))
        let ends = kinds(events).compactMap { kind -> BluetoothError? in
            switch kind {
            case .operationEnded(_, _, let error), .operationDropped(_, _, let error): error
            default: nil
            }
        }
        #expect(ends.map(\.kind) == [cause.kind, cause.kind] && link.kind == .linkLost(.remote))
    }

    @Test(.proves(.Q77)) func `Each repeated connection attempt emits an event`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(failures: 2))
        let events = stage.record(stage.manager.events)
        let link = stage.record(peripheral.connect())
        stage.advance(2_000)
        #expect(
            kinds(events) == [
                .connection(peripheral, .connecting),
                .connectRepeated(peripheral, aborts: 1, again: .milliseconds(250)),
                .connectRepeated(peripheral, aborts: 2, again: .milliseconds(250)),
                .connection(peripheral, .connected),
            ])
        #expect(link.isLive)
    }

    @Test func `Each step of a reconnection emits an event with its cause and pause`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect(Reconnection(jitter: 0))))
        stage.advance(2_000)
        let events = stage.record(stage.manager.events)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(5_000)
        let steps = kinds(events).compactMap { kind -> String? in
            switch kind {
            case .reconnection(peripheral, let error, let failures, let again):
                "\(error.code) \(failures) \(again)"
            case .connection(peripheral, .connected): "up"
            case .connection(peripheral, .disconnected(let cause)): "down \(cause?.code ?? "")"
            default: nil
            }
        }
        #expect(steps == ["down disconnected", "disconnected 1 \(Duration.milliseconds(250))", "up"])
        #expect(link.isLive)
    }

    @Test(.proves(.Q38, .Q42)) func `Discovery sessions emit events for start, refusal, restart and end`() {
        let scenario = Scenario {
            Sensor.peripheral
            Quirk.Q42
            Fault("Adapter1.StartDiscovery", calls: .only(1), .error("org.bluez.Error.InProgress"))
        }
        let stage = Stage(scenario)
        let events = stage.record(stage.manager.events)
        let scan = stage.record(
            stage.manager.scanForPeripherals(options: ScanOptions(restartsAfterSilence: .seconds(10))))
        stage.advance(45_000)
        scan.dispose()
        stage.advance(1_000)
        let again = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        stage.simulation.bluez.crash()
        stage.advance(1_000)
        #expect(again.kind == .daemonUnavailable)
        let steps = kinds(events).compactMap { kind -> String? in
            switch kind {
            case .scanBegan("hci0"): "began"
            case .scanRefused("hci0", let error, let again): "refused \(error.code) \(again.map { "\($0)" } ?? "")"
            case .scanRestarted("hci0"): "restarted"
            case .scanEnded("hci0", let error): "ended \(error?.code ?? "well")"
            default: nil
            }
        }
        #expect(
            steps == [
                "refused busy \(Duration.milliseconds(250))", "began", "restarted", "ended well", "began", "ended well",
                "began", "ended daemon-unavailable",
            ])
        #expect(kinds(events).contains(.stateChanged(.poweredOn)) && kinds(events).contains(.adapterChosen("hci0")))
        #expect(kinds(events).last == .stateChanged(.daemonUnavailable))
    }

    @Test func `A resuming scan emits an event for an interruption`() {
        let stage = Stage()
        let scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(resumes: true)))
        stage.advance(1_000)
        let events = stage.record(stage.manager.events)
        stage.simulation.bluez.setPower(false)
        stage.advance(1_000)
        stage.simulation.bluez.setPower(true)
        stage.advance(1_000)
        let error = BluetoothError(.poweredOff, operation: .scan)
        #expect(kinds(events).contains(.scanInterrupted(error, again: .zero)))
        #expect(kinds(events).last == .scanBegan(adapter: "hci0"))
        #expect(scan.isLive)
    }

    @Test(.proves(.Q19)) func `Rejected messages and signals for unknown objects are counted`() {
        let (stage, daemon, _) = Stage.scripted()
        let events = stage.record(stage.manager.events)
        daemon.deviceChanges(["RSSI": .string("near")])
        daemon.change("/org/bluez/hci0/dev_C0_FF_EE_00_00_99", "org.bluez.Device1", ["RSSI": .int16(-40)])
        daemon.deviceChanges(["RSSI": .bool(true)])
        stage.advance(0)
        #expect(
            kinds(events) == [
                .messageRejected(total: 1), .signalForUnknownObject(total: 1), .messageRejected(total: 2),
            ])
    }

    @Test(.proves(.S81)) func `Each dropped notification value emits an event`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.always("StartNotify")
        let characteristic = stage.characteristic(0x2A37, of: peripheral)
        let isFirst = Guarded(true)
        let buffer = ValueBuffer(capacity: 1, overflow: .dropNewest)
        let values = stage.record(
            characteristic.observeValueUpdates(buffer: buffer).do(onNext: { [daemon] _ in
                guard
                    isFirst.withLock({ isFirst in
                        defer { isFirst = false }
                        return isFirst
                    })
                else { return }
                for number in 1...3 { daemon.notifies([UInt8(number)]) }
            }))
        stage.advance(0)
        let events = stage.record(stage.manager.events)
        daemon.notifies([0])
        stage.advance(0)
        #expect(values.elements == [[0], [1]] && link.isLive)
        #expect(kinds(events) == [.valueDropped(characteristic, total: 1), .valueDropped(characteristic, total: 2)])
    }

    @Test(.proves(.Q90)) func `A successful pairing emits an event`() {
        let (stage, peripheral) = Stage.withLock()
        let events = stage.record(stage.manager.events)
        let paired = stage.record(peripheral.pair())
        stage.advance(5_000)
        #expect(paired.isCompleted && kinds(events).contains(.paired(peripheral)))
    }

    @Test func `Events are hot, and subscribing to them opens no bus`() {
        let stage = Stage()
        let events = stage.record(stage.manager.events)
        stage.advance(1_000)
        #expect(events.elements.isEmpty && events.isLive)
        #expect(stage.simulation.calls.isEmpty)
    }
}
