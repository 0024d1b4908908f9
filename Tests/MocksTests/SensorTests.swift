import BluetoothValues
import DBus
import RxBluetoothMocks
import Testing

/// Tests of simulated sensors: what they advertise decodes to their values, also while these change.
struct SensorTests {
    /// The latest data of a device, as bluetoothd shows it.
    private func sections(_ stage: Stage, _ address: String) -> [AdvertisedSection] {
        let path = "/org/bluez/hci0/dev_" + address.replacing(":", with: "_")
        var sections: [AdvertisedSection] = []
        for (key, bytes) in stage.bytes(path, "ManufacturerData") {
            if case .uint16(let company) = key { sections.append(.manufacturer(company, bytes)) }
        }
        for (key, bytes) in stage.bytes(path, "ServiceData") {
            guard case .string(let text) = key, let uuid = AttributeUUID(text)?.shortNumber else { continue }
            sections.append(.service(uuid, bytes))
        }
        return sections
    }

    private func reading(
        _ stage: Stage, _ address: String, name: String?, _ decoder: inout SensorDecoder
    ) throws -> SensorReading {
        let sections = sections(stage, address)
        #expect(sections.count == 1)
        let section = try #require(sections.first)
        switch decoder.decode(section, from: SenderAddress(address), name: name) {
        case .reading(let reading): return reading
        case .failure(let error): throw error
        case .unknown: throw ValueDecodingError("any format", .reservedIdentifier(0), bytes: section.bytes)
        }
    }

    @Test func `The showroom has a device of each format, which decodes`() throws {
        let scenario = Scenario.showroom
        #expect(Set(scenario.peripherals.map(\.address)).count == scenario.peripherals.count)
        #expect(Set(scenario.peripherals.map(\.name)).count == scenario.peripherals.count)
        let stage = Stage(scenario)
        stage.scan()
        stage.run(.seconds(3))
        var decoder = SensorDecoder(keys: Scenario.showroomKeys)
        var formats: Set<SensorFormat> = []
        for peripheral in scenario.peripherals {
            let reading = try reading(stage, peripheral.address, name: peripheral.name, &decoder)
            formats.insert(reading.format)
            if let sensor = peripheral.advertisement?.sensor { #expect(reading.format == sensor.format) }
            let address = try #require(SenderAddress(peripheral.address))
            #expect(reading.isEncrypted == (Scenario.showroomKeys[address] != nil))
        }
        // bluetoothd does not show an AD structure of its own.
        #expect(Set(SensorFormat.allCases).subtracting(formats) == [.encryptedData])
    }

    private func stage(_ advertisement: SimulatedAdvertisement) -> Stage {
        Stage(
            Scenario(peripherals: [SimulatedPeripheral("One", address: "C0:00:00:00:00:01") { advertisement }]))
    }

    @Test func `A literal sensor sends its values with the address of its device`() throws {
        let stage = stage(
            SimulatedAdvertisement(
                .ruuvi(temperature: 21.5, humidity: 40, pressure: 1000.44), every: .milliseconds(100), rssi: -60))
        stage.scan()
        stage.run(.seconds(1))
        var decoder = SensorDecoder()
        let reading = try reading(stage, "C0:00:00:00:00:01", name: nil, &decoder)
        #expect(reading.value(of: .temperature) == 21.5)
        #expect(reading.value(of: .humidity) == 40)
        #expect(reading.value(of: .pressure) == 1000.44)
        #expect(reading.packetCounter == 0)
        #expect(reading.identifiers == [SensorIdentifier(.address, .address("C0:00:00:00:00:01"))])
    }

    @Test func `Values change with time, and each sample has the next packet number`() throws {
        let stage = stage(
            SimulatedAdvertisement(
                .bthome(
                    temperature: .steps([20, 21, 22]), humidity: .sweep(from: 40, to: 60, period: .seconds(20)),
                    states: [SensorState(.door, true)], every: .seconds(2)),
                every: .milliseconds(100), rssi: -60, firstAfter: .milliseconds(50)))
        stage.scan()
        var decoder = SensorDecoder()
        var seen: [[Double?]] = []
        for _ in 0..<7 {
            stage.run(.seconds(2))
            let reading = try reading(stage, "C0:00:00:00:00:01", name: nil, &decoder)
            #expect(reading.states == [SensorState(.door, true)])
            seen.append([
                reading.packetCounter.map(Double.init), reading.value(of: .temperature), reading.value(of: .humidity),
            ])
        }
        #expect(
            seen == [
                [0, 20, 40], [1, 21, 44], [2, 22, 48], [3, 20, 52], [4, 21, 56], [5, 22, 60], [6, 20, 56],
            ])
    }

    @Test func `Time stands still without a scan, and continues with the next one`() throws {
        let stage = stage(
            SimulatedAdvertisement(
                .ruuvi(temperature: .steps([1, 2, 3, 4])), every: .milliseconds(100), rssi: -60,
                firstAfter: .milliseconds(10)))
        stage.scan()
        stage.run(.milliseconds(1500))
        stage.adapter("StopDiscovery")
        stage.run(.seconds(100))
        stage.scan()
        stage.run(.milliseconds(1000))
        var decoder = SensorDecoder()
        #expect(try reading(stage, "C0:00:00:00:00:01", name: nil, &decoder).value(of: .temperature) == 3)
    }

    @Test func `Encrypted samples are never replays, and another key does not decrypt them`() throws {
        let key = try #require(DeviceKey("231d39c1d7cc1ab1aee224cd096db932"))
        let stage = stage(
            SimulatedAdvertisement(
                .bthome(temperature: .steps([20, 21]), key: key), every: .milliseconds(100), rssi: -60))
        stage.scan()
        var decoder = SensorDecoder()
        decoder.keys["C0:00:00:00:00:01"] = key
        var stranger = SensorDecoder()
        stranger.keys["C0:00:00:00:00:01"] = DeviceKey([UInt8](repeating: 1, count: 16))
        var counters: [UInt32?] = []
        for _ in 0..<5 {
            stage.run(.seconds(1))
            let reading = try reading(stage, "C0:00:00:00:00:01", name: nil, &decoder)
            #expect(!reading.isRepeated)
            counters.append(reading.packetCounter)
            #expect(throws: ValueDecodingError.self) {
                try self.reading(stage, "C0:00:00:00:00:01", name: nil, &stranger)
            }
        }
        #expect(counters == counters.compactMap(\.self).sorted())
        #expect(Set(counters).count == 5)
    }

    @Test func `A format that is recognised by a name advertises this name`() throws {
        let stage = stage(
            SimulatedAdvertisement(
                .measuring(.inkbird, [.temperature: 21.5, .humidity: 40, .batteryLevel: 90]),
                every: .milliseconds(100), rssi: -60))
        stage.scan()
        stage.run(.seconds(1))
        var decoder = SensorDecoder()
        #expect(stage.property("/org/bluez/hci0/dev_C0_00_00_00_00_01", "Device1", "Name").contains("sps"))
        #expect(try reading(stage, "C0:00:00:00:00:01", name: "sps", &decoder).value(of: .temperature) == 21.5)
    }

    @Test func `Values that a format cannot represent are refused`() {
        func failure(
            _ format: SensorFormat, _ values: [(quantity: Quantity, value: SimulatedValue)],
            states: [SensorState] = [], key: DeviceKey? = nil
        ) -> String? {
            do throws(ValueEncodingError) {
                _ = try SimulatedSensor(format, measuring: values, states: states, key: key)
                return nil
            } catch {
                return "\(error.field) \(error.reason)"
            }
        }
        let key = DeviceKey([UInt8](repeating: 1, count: 16))
        #expect(failure(.ruuvi, [(.temperature, 200)]) == "temperature outOfRange")
        #expect(failure(.ruuvi, [(.temperature, .steps([1, .nan]))]) == "temperature outOfRange")
        #expect(
            failure(.ruuvi, [(.temperature, .sweep(from: 0, to: 200, period: .seconds(1)))]) == "temperature outOfRange"
        )
        #expect(failure(.ruuvi, [(.radon, 1)]) == "radon contradiction")
        #expect(failure(.ruuvi, [(.temperature, 1)], key: key) == "key contradiction")
        #expect(failure(.ruuvi, [(.temperature, 1)], states: [SensorState(.door, true)]) == "door contradiction")
        #expect(failure(.bthome, [(.temperature, 1)], states: [SensorState(.armed, true)]) == "armed contradiction")
        #expect(failure(.victron, [(.voltage, 12)]) == "key missing")
        #expect(failure(.govee, [(.temperature, 12)]) == "humidity missing")
        #expect(failure(.iBeacon, []) == "measurements contradiction")
        #expect(failure(.findMy, [(.temperature, 1)]) == "temperature contradiction")
        #expect(throws: ValueEncodingError.self) { try SimulatedSensor([]) }
        let mixed: [any AdvertisementFormat] = [RuuviTag(), Govee(temperature: 1, humidity: 1, battery: 1)]
        #expect(throws: ValueEncodingError.self) { try SimulatedSensor(mixed) }
    }
}

extension Stage {
    /// The keys and bytes of a property that is a dictionary of byte arrays.
    fileprivate func bytes(_ path: String, _ name: String) -> [(Value, [UInt8])] {
        let answer = client.call(
            path, "org.freedesktop.DBus.Properties.Get", [.string("org.bluez.Device1"), .string(name)])
        _ = wait(for: answer)
        guard case .variant(.dictionary(_, _, let entries))? = answer.values.first else { return [] }
        return entries.compactMap { entry in
            guard case .variant(.bytes(let bytes)) = entry.value else { return nil }
            return (entry.key, bytes)
        }
    }
}
