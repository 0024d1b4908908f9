import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The list ``BluetoothManager/adapters``, and which adapter in it is selected.
struct AdapterListTests {
    @Test(.proves(.Q27)) func `The adapter list has each adapter's state and marks the selected adapter`() {
        let stage = Stage.withTwoAdapters(
            Radio.first, SimulatedAdapter(address: "00:1A:7D:DA:71:02", name: "off", powered: false))
        let adapters = stage.record(stage.manager.adapters)
        stage.advance(10)
        let list = adapters.elements.last ?? []
        #expect(list.map(\.number) == [0, 1] && list.map(\.name) == ["hci0", "hci1"])
        #expect(list.map(\.address) == [Radio.firstAddress, Radio.secondAddress])
        #expect(list.map(\.alias) == ["simulation", "off"])
        #expect(list.map(\.isPowered) == [true, false] && list.map(\.powerState) == [.on, .off])
        #expect(list.map(\.isCentral) == [true, true] && list.map(\.isSelected) == [true, false])
        #expect(list.map(\.isDiscovering) == [false, false])
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(adapters.elements.last?.map(\.isDiscovering) == [true, false] && scan.isLive)
        stage.simulation.bluez.setBlocked(true, adapter: 1)
        stage.advance(1_000)
        #expect(adapters.elements.last?.map(\.powerState) == [.on, .offBlocked])
    }

    @Test(.covers(.adapterList)) func `The adapter list follows adapters that are added, removed and renumbered`() {
        let stage = Stage(Scenario(adapters: [Radio.first], peripherals: []), adapter: .address(Radio.secondAddress))
        let names = stage.record(stage.manager.adapters.map { $0.map { "\($0.name)\($0.isSelected ? "*" : "")" } })
        let states = stage.record(stage.manager.state)
        stage.advance(10)
        stage.simulation.bluez.addAdapter(Radio.second, as: 4)
        stage.advance(1_000)
        stage.simulation.bluez.removeAdapter(4)
        stage.advance(1_000)
        stage.simulation.bluez.addAdapter(Radio.second, as: 7)
        stage.advance(1_000)
        #expect(names.elements.first == ["hci0"] && names.elements.last == ["hci0", "hci7*"])
        #expect(names.elements.contains(["hci0", "hci4*"]))
        #expect(states.elements == [.noAdapter, .poweredOn, .noAdapter, .poweredOn])
    }

    @Test(.proves(.Q27)) func `Automatic selection takes the adapter with the fewest links and keeps it`() {
        let stage = Stage.withTwoAdapters(adapter: .number(0))
        let peripheral = stage.find(Sensor.address, with: stage.manager)
        let link = stage.record(peripheral.connect())
        stage.advance(1_000)
        let second = BluetoothManager(configuration: .init(scheduler: stage.scheduler), bus: stage.simulation.connect())
        let chosen = stage.record(second.adapters.map { $0.first(where: \.isSelected)?.name })
        stage.advance(100)
        #expect(chosen.elements == ["hci1"])
        // The manager must not change to hci0, although hci0 loses its link and hci1 gets one.
        let more = stage.record(stage.find("C0:FF:EE:00:00:22", with: second).connect())
        link.dispose()
        stage.advance(3_000)
        #expect(chosen.elements.last == "hci1" && more.elements.count == 1)
        stage.simulation.bluez.setPower(false, adapter: 1)
        stage.advance(1_000)
        #expect(chosen.elements.last == "hci0")
    }
}
