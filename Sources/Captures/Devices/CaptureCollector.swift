/// Collects the devices that the packets of a capture show. Its memory does not depend on the length of the capture.
package struct CaptureCollector: Sendable {
    /// A device of a capture.
    package struct Device: Sendable {
        /// The address; nil if the capture begins after the link was made, and therefore does not contain it.
        package let identity: DeviceIdentity?
        package internal(set) var advertisement: CapturedAdvertisement?
        package internal(set) var server = CapturedServer()
    }

    /// What a capture contains besides devices.
    package struct Counts: Hashable, Sendable {
        package var packets = 0
        package var classic = 0
        package var malformed = 0
        /// Packets of which only the beginning was captured, so that their content is not known.
        package var truncated = 0
        /// Packets of devices that are left out, because the capture has too many.
        package var ofOtherDevices = 0
    }

    private var devices: [Device] = []
    private var places: [DeviceIdentity: Int] = [:]
    private var links: [LinkKey: Link] = [:]
    /// The places of the devices with a link.
    private var linked: Set<Int> = []
    private var frames = L2CAPReassembler()
    package private(set) var counts = Counts()

    /// The most devices. Devices that change their addresses all the time could fill the memory otherwise.
    package static let mostDevices = 4096
    /// The most devices with a link.
    package static let mostServers = 256
    /// The most links at one time. A controller has at most 3,840.
    static let mostLinks = 4096

    private struct Link: Sendable {
        /// The place of the device; nil for a link of classic Bluetooth.
        var place: Int?
        var conversation = ATTConversation()
    }

    package init() {}

    /// The devices in the order in which they appear.
    package var all: [Device] { devices }

    package mutating func add(_ packet: CapturePacket) {
        counts.packets += 1
        guard !packet.isTruncated else { return addTruncated(packet) }
        add(HCIPacket(packet.bytes), packet)
    }

    /// Adds what the beginning of a packet says. Data of links is never used in part.
    private mutating func addTruncated(_ packet: CapturePacket) {
        counts.truncated += 1
        if packet.bytes.first == PacketType.acl, packet.bytes.count > 2 {
            // The frame of which this is a fragment is not complete either.
            let handle = UInt16(packet.bytes[1]) | UInt16(packet.bytes[2] & 0x0F) << 8
            return frames.close(LinkKey(packet, handle))
        }
        let content = HCIPacket(packet.bytes)
        if case .malformed = content { return }
        add(content, packet)
    }

    private mutating func add(_ content: HCIPacket, _ packet: CapturePacket) {
        switch content {
        case .advertisements(let reports):
            for report in reports { add(report, at: packet.time) }
        case .connected(let handle, let identity, _):
            let key = LinkKey(packet, handle)
            close(key)
            guard let place = place(of: identity), mayLink(place) else { return }
            open(key, Link(place: place))
        case .classicConnected(let handle):
            let key = LinkKey(packet, handle)
            close(key)
            open(key, Link(place: nil))
            counts.classic += 1
        case .disconnected(let handle):
            let key = LinkKey(packet, handle)
            if let link = links[key], link.place == nil { counts.classic += 1 }
            close(key)
        case .acl(let handle, let isStart, let data):
            add(data, isStart: isStart, LinkKey(packet, handle), packet)
        case .classic: counts.classic += 1
        case .other: break
        case .malformed: counts.malformed += 1
        }
    }

    private mutating func add(_ report: AdvertisingReport, at time: Int64) {
        guard let place = place(of: report.device) else { return }
        var advertisement = devices[place].advertisement ?? CapturedAdvertisement()
        devices[place].advertisement = nil
        advertisement.add(report, at: time)
        devices[place].advertisement = advertisement
    }

    private mutating func add(
        _ data: ArraySlice<UInt8>, isStart: Bool, _ key: LinkKey, _ packet: CapturePacket
    ) {
        if let link = links[key], link.place == nil {
            counts.classic += 1
            return
        }
        guard let frame = frames.add(data, isStart: isStart, on: key, packet.direction) else { return }
        // Channel 4 is that of ATT on links of Bluetooth LE only. Channel 1 signals on classic links only.
        guard frame.channel == 4 else {
            if frame.channel == 1 || links[key] == nil && frame.channel >= 0x40 { counts.classic += 1 }
            return
        }
        guard var link = links.removeValue(forKey: key) ?? unknownDevice(), let place = link.place else {
            counts.ofOtherDevices += 1
            return
        }
        defer { links[key] = link }
        let isRead = link.conversation.add(
            frame.payload, packet.direction, at: packet.time, to: &devices[place].server)
        if !isRead { counts.malformed += 1 }
    }

    private mutating func open(_ key: LinkKey, _ link: Link) {
        guard links.count < Self.mostLinks else {
            counts.ofOtherDevices += 1
            return
        }
        links[key] = link
    }

    private mutating func close(_ key: LinkKey) {
        links[key] = nil
        frames.close(key)
    }

    private mutating func place(of identity: DeviceIdentity) -> Int? {
        if let place = places[identity] { return place }
        guard devices.count < Self.mostDevices else {
            counts.ofOtherDevices += 1
            return nil
        }
        places[identity] = devices.count
        devices.append(Device(identity: identity))
        return devices.count - 1
    }

    /// Adds a device for a link that began before the capture. Returns nil if there are too many.
    private mutating func unknownDevice() -> Link? {
        guard devices.count < Self.mostDevices, mayLink(devices.count) else { return nil }
        devices.append(Device(identity: nil))
        return Link(place: devices.count - 1)
    }

    private mutating func mayLink(_ place: Int) -> Bool {
        guard linked.contains(place) || linked.count < Self.mostServers else { return false }
        linked.insert(place)
        return true
    }
}
