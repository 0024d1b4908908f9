import TestTraits
import Testing

@testable import BluetoothCaptures

struct CaptureCollectorTests {
    private func server(_ packets: [ATTPacket]) throws -> CapturedServer {
        var collector = CapturePackets.collect([received(SyntheticHCI.connected(to: CapturePackets.strap))])
        for packet in packets { collector.add(exchange(packet)) }
        return try #require(collector.all.first).server
    }

    private func received(_ bytes: [UInt8], time: Int64 = 0) -> CapturePacket {
        CapturePacket(time: time, direction: .receivedByHost, bytes: bytes)
    }

    private func exchange(_ packet: ATTPacket) -> CapturePacket {
        CapturePacket(
            time: 0, direction: packet.code.isOfClient ? .sentByHost : .receivedByHost, bytes: SyntheticHCI.data(packet)
        )
    }

    @Test func `A recording contains the advertisement, the attributes, and the last values`() throws {
        let collector = CapturePackets.collect(CapturePackets.recording())
        #expect(collector.all.count == 1)
        let device = try #require(collector.all.first)
        #expect(device.identity == CapturePackets.strap)
        #expect(device.advertisement?.name == Array("Strap".utf8))
        #expect(device.advertisement?.services == [AttributeUUID(0x180D)])
        #expect(device.advertisement?.flags == 6)
        #expect(device.advertisement?.rssi == -60)
        #expect(device.advertisement?.isConnectable == true)
        #expect(device.advertisement?.interval == 100)
        let server = device.server
        #expect(server.mtu == 247)
        #expect(server.services.keys.sorted() == [1, 6])
        #expect(server.characteristics[2]?.uuid == AttributeUUID(0x2A37))
        #expect(server.characteristics[7]?.properties == 0x0A)
        #expect(server.types[5] == AttributeUUID(0x2901))
        #expect(server.values[8] == [50])
        #expect(server.values[5] == Array("Beats".utf8))
        #expect(server.notifications[3]?.values == [[0, 60], [0, 61], [0, 62]])
        #expect(server.notifications[3]?.interval == 100)
        #expect(collector.counts == CaptureCollector.Counts(packets: 25))
    }

    @Test func `A capture without directions has the same devices`() throws {
        let packets = CapturePackets.recording()
        let (read, error) = CapturePackets.read(CapturePackets.pcap(packets))
        #expect(error == nil)
        let (known, unknown) = (CapturePackets.collect(packets), CapturePackets.collect(read))
        #expect(unknown.all.map(\.server.values) == known.all.map(\.server.values))
        #expect(unknown.all.map(\.advertisement) == known.all.map(\.advertisement))
        #expect(unknown.counts == known.counts)
    }

    @Test func `Extended reports of a long advertisement are joined`() throws {
        for count in [31, 32, 229, 230, 1000] {
            var data: [UInt8] = []
            var company: UInt8 = 0
            while data.count + 12 <= count {
                data += [11, 0xFF, company, 0] + [UInt8](repeating: company, count: 8)
                company += 1
            }
            data += [UInt8](repeating: 0, count: count - data.count)
            let report = AdvertisingReport(device: CapturePackets.tag, isConnectable: false, rssi: nil, data: data)
            let collector = CapturePackets.collect(SyntheticHCI.advertisement(report).map { received($0) })
            let advertisement = try #require(collector.all.first?.advertisement)
            #expect(advertisement.manufacturerData.count == min(Int(company), 64))
            #expect(!advertisement.isConnectable)
            #expect(advertisement.rssi == nil)
            #expect(advertisement.count == 1)
        }
    }

    @Test func `Extended reports end between structures, and a long name between characters`() throws {
        var made = ADStructures()
        made.append(flags: 6)
        made.append(services: [AttributeUUID(0x180D)])
        for company in UInt16(0)..<30 { made.append(company: company, [1, 2, 3, 4, 5, 6, 7, 8]) }
        made.append(name: Array(String(repeating: "ü", count: 124).utf8))
        let report = AdvertisingReport(device: CapturePackets.tag, isConnectable: true, rssi: -60, data: made.bytes)
        let events = SyntheticHCI.advertisement(report)
        #expect(events.count > 2)
        for event in events {
            guard case .advertisements(let reports) = HCIPacket(event) else { Issue.record("No report"); continue }
            var data = try #require(reports.first).data[...]
            while let length = data.popFirst() {
                #expect(length > 0 && data.count >= length)
                data = data.dropFirst(Int(length))
            }
        }
        let advertisement = try #require(CapturePackets.collect(events.map { received($0) }).all.first?.advertisement)
        #expect(advertisement.manufacturerData.count == 30)
        let name = try #require(advertisement.name)
        #expect(String(decoding: name, as: UTF8.self) == String(repeating: "ü", count: 113))
    }

    @Test func `A frame in several fragments is joined, also if its header is divided`() throws {
        let packet = ATTPacket(.notification, handle: 3, Array(0..<100))
        let whole = SyntheticHCI.data(packet)
        let frame = Array(whole[5...])
        for size in [1, 3, 27, 200] {
            var collector = CapturePackets.collect([received(SyntheticHCI.connected(to: CapturePackets.strap))])
            var rest = frame[...]
            while !rest.isEmpty {
                let part = rest.prefix(size)
                var bytes: [UInt8] = [PacketType.acl]
                bytes.append(number: SyntheticHCI.handle | (rest.count == frame.count ? 2 << 12 : 1 << 12))
                bytes.append(number: UInt16(part.count))
                collector.add(received(bytes + part))
                rest = rest.dropFirst(size)
            }
            #expect(collector.all.first?.server.lastValue(of: 3) == Array(0..<100))
        }
    }

    @Test func `Long reads and prepared writes give the whole value`() throws {
        let server = try server([
            ATTPacket(.readRequest, handle: 3), ATTPacket(.readResponse, [1, 2, 3]),
            ATTPacket(.readBlobRequest, handle: 3, [3, 0]), ATTPacket(.readBlobResponse, [4, 5]),
            ATTPacket(.prepareWriteRequest, handle: 9, [0, 0, 6]),
            ATTPacket(.prepareWriteResponse, handle: 9, [0, 0, 6]),
            ATTPacket(.prepareWriteRequest, handle: 9, [1, 0, 7]),
            ATTPacket(.prepareWriteResponse, handle: 9, [1, 0, 7]),
            ATTPacket(.executeWriteRequest, [1]), ATTPacket(.executeWriteResponse),
        ])
        #expect(server.values[3] == [1, 2, 3, 4, 5])
        #expect(server.values[9] == [6, 7])
    }

    @Test func `A notified value that is longer than the MTU is kept`() throws {
        let value = [UInt8](repeating: 7, count: 200)
        let synthesis = SyntheticATT(mtu: 0)
        let server = try server(
            synthesis.notified(3, value, isIndication: false) + synthesis.notified(4, value, isIndication: true)
                + synthesis.command(5, value) + synthesis.write(6, value) + synthesis.read(7, value))
        for handle in UInt16(3)...7 { #expect(server.lastValue(of: handle) == value) }
    }

    @Test func `A refused read is stored with its error, and a refused write changes nothing`() throws {
        let server = try server([
            ATTPacket(.readRequest, handle: 3), ATTPacket(.errorResponse, [0x0A, 3, 0, 0x05]),
            ATTPacket(.writeRequest, handle: 4, [1]), ATTPacket(.errorResponse, [0x12, 4, 0, 0x03]),
        ])
        #expect(server.readErrors == [3: 5])
        #expect(server.values.isEmpty)
    }

    @Test func `A read that succeeds removes the error of an earlier one`() throws {
        let server = try server([
            ATTPacket(.readRequest, handle: 3), ATTPacket(.errorResponse, [0x0A, 3, 0, 0x05]),
            ATTPacket(.readRequest, handle: 4), ATTPacket(.errorResponse, [0x0A, 4, 0, 0x05]),
            ATTPacket(.readRequest, handle: 3), ATTPacket(.readResponse, [7]),
        ])
        #expect(server.readErrors == [4: 5])
        #expect(server.values == [3: [7]])
    }

    @Test(arguments: [false, true])
    func `Prepared writes that were refused or cancelled are not in the next value`(isRefused: Bool) throws {
        let server = try server([
            ATTPacket(.prepareWriteRequest, handle: 9, [0, 0, 6, 6]),
            ATTPacket(.prepareWriteResponse, handle: 9, [0, 0, 6, 6]),
            ATTPacket(.executeWriteRequest, [isRefused ? 1 : 0]),
            isRefused ? ATTPacket(.errorResponse, [0x18, 9, 0, 0x0E]) : ATTPacket(.executeWriteResponse),
            ATTPacket(.prepareWriteRequest, handle: 8, [0, 0, 7]),
            ATTPacket(.prepareWriteResponse, handle: 8, [0, 0, 7]),
            ATTPacket(.executeWriteRequest, [1]), ATTPacket(.executeWriteResponse),
        ])
        #expect(server.values == [8: [7]])
    }

    @Test func `Find By Type Value, Read By Type of values and Multiple Notification are read`() throws {
        let server = try server([
            ATTPacket(.findByTypeValueRequest, [1, 0, 0xFF, 0xFF, 0x00, 0x28, 0x0D, 0x18]),
            ATTPacket(.findByTypeValueResponse, [0x10, 0, 0x1F, 0]),
            ATTPacket(.readByTypeRequest, [1, 0, 0xFF, 0xFF, 0x00, 0x2A]),
            ATTPacket(.readByTypeResponse, [4, 3, 0, 0x41, 0x42]),
            ATTPacket(.multipleNotification, [5, 0, 1, 0, 9, 6, 0, 2, 0, 8, 7]),
        ])
        #expect(server.services[0x10]?.end == 0x1F)
        #expect([3, 5, 6].map { server.lastValue(of: $0) } == [[0x41, 0x42], [9], [8, 7]])
    }

    @Test func `The server of the host itself is not part of the device`() throws {
        var collector = CapturePackets.collect([received(SyntheticHCI.connected(to: CapturePackets.strap))])
        for (packet, sent) in [(ATTPacket(.readRequest, handle: 3), false), (ATTPacket(.readResponse, [1]), true)] {
            collector.add(
                CapturePacket(
                    time: 0, direction: sent ? .sentByHost : .receivedByHost, bytes: SyntheticHCI.data(packet)))
        }
        #expect(collector.all.first?.server.isEmpty == true)
    }

    @Test func `Packets of classic Bluetooth are skipped and counted`() {
        let collector = CapturePackets.collect([
            received([4, 0x03, 11, 0, 0x0B, 0, 1, 2, 3, 4, 5, 6, 1, 0]),
            received([2, 0x0B, 0x20, 8, 0, 4, 0, 0x40, 0, 1, 2, 3, 4]),
            received([3, 0x0C, 0, 1, 9]), received([4, 0x02, 1, 0]), received([4, 0x05, 4, 0, 0x0B, 0, 0x13]),
        ])
        #expect(collector.all.isEmpty)
        #expect(collector.counts.classic == 5)
        #expect(collector.counts.malformed == 0)
    }

    @Test func `A link whose beginning is missing becomes a device without an address`() throws {
        let collector = CapturePackets.collect([exchange(ATTPacket(.notification, handle: 3, [1]))])
        let device = try #require(collector.all.first)
        #expect(device.identity == nil)
        #expect(device.server.lastValue(of: 3) == [1])
    }

    @Test(.proves(.S139)) func `The number of devices, values and notifications is limited`() throws {
        var collector = CapturePackets.collect([received(SyntheticHCI.connected(to: CapturePackets.strap))])
        for index in 0..<CaptureCollector.mostDevices + 10 {
            let identity = DeviceIdentity(
                packet: [UInt8(index & 0xFF), UInt8(index >> 8), 0, 0, 0, 0x40], type: 1)
            let report = AdvertisingReport(device: identity, isConnectable: true, rssi: -50, data: [2, 1, 6])
            for event in SyntheticHCI.advertisement(report) { collector.add(received(event)) }
        }
        for count in 0..<1000 {
            collector.add(exchange(ATTPacket(.notification, handle: 3, [UInt8(count & 0xFF)])))
        }
        #expect(collector.all.count == CaptureCollector.mostDevices)
        #expect(collector.counts.ofOtherDevices == 11)
        let notifications = try #require(collector.all.first?.server.notifications[3])
        #expect(notifications.values.count == CapturedServer.mostNotifications)
        #expect(notifications.count == 1000)
    }
}
