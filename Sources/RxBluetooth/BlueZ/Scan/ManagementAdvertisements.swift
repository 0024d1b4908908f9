import DBus
import FoundationEssentials

/// Receives the packets of all adapters from the manager's ``AdvertisementSource``, and passes them to the scans.
///
/// The socket is open while a scan uses it. All packets that wait are read in one turn of the bus context, into one
/// buffer that is used again.
final class ManagementAdvertisements {
    private unowned let client: BlueZClient
    private var socket: SharedSocket?
    private var watch: BusTask?
    private var users = 0
    private var buffer: [UInt8] = []
    private var isDraining = false
    /// Why the source cannot be used; nil if it can, or if it was not tried yet.
    private(set) var failure: BluetoothError?
    private(set) var counters = PacketCounters()

    /// The length of the buffer. The largest event contains an extended advertisement of 1,650 bytes.
    private static let longestEvent = 4_096
    /// The most packets that one turn reads, because other work also waits for the bus context.
    private static let mostPackets = 256

    init(_ client: BlueZClient) { self.client = client }

    var isOpen: Bool { socket != nil }

    // MARK: Open and close

    /// Decides whether a scan uses the source, and opens it if necessary.
    ///
    /// Each scan that uses the source calls ``leave()`` at its end.
    func join(_ wanted: ScanSource) throws(BluetoothError) -> Bool {
        switch wanted {
        case .dbus: return false
        case .automatic: guard (try? open()) != nil else { return false }
        case .management: try open()
        }
        users += 1
        return true
    }

    func leave() {
        users -= 1
        if users == 0 { close() }
    }

    private func open() throws(BluetoothError) {
        guard socket == nil else { return }
        do throws(BluetoothError) {
            let socket = SharedSocket(PacketSocket(adopting: OwnedDescriptor(adopting: try number())))
            watch = client.bus.watch(socket, for: .readable) { [weak self] in self?.drain() }
            self.socket = socket
            failure = nil
        } catch {
            failure = error.ofAdvertisementSource
            throw error.ofAdvertisementSource
        }
    }

    private func number() throws(BluetoothError) -> Int32 {
        guard let source = client.settings.advertisements else {
            throw BluetoothError(
                .unsupported, detail: "This manager has no source of advertisements besides bluetoothd")
        }
        let number = try source.open()
        guard number >= 0 else { throw BluetoothError(.resourceExhausted, detail: "The socket cannot be opened") }
        return number
    }

    private func close() {
        watch?.cancel()
        watch = nil
        socket = nil
    }

    /// Ends the use of the source after its failure. The scans continue over D-Bus or fail.
    private func lose(_ error: BluetoothError) {
        let error = error.ofAdvertisementSource
        failure = error
        close()
        users = 0
        client.eventLog.warning(.advertisementSourceLost(error))
        client.scans.packetsLost(error)
    }

    // MARK: Packets

    /// Reads the packets that wait.
    private func drain() {
        guard let socket, !isDraining else { return }
        isDraining = true
        // The buffer is a local value while packets are handled, so that the receiving code has exclusive access to it.
        var buffer = self.buffer
        self.buffer = []
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.longestEvent) }
        defer {
            self.buffer = buffer
            isDraining = false
        }
        var turn = PacketTurn(client)
        // A subscriber may end the last scan, and thereby close the socket.
        for _ in 0..<Self.mostPackets where self.socket === socket {
            switch socket.socket.receive(into: &buffer) {
            case .packet(let count):
                take(buffer, count, &turn)
            case .tooLong, .failed: counters.malformedEvents += 1
            case .nothing: return
            case .ended:
                return lose(BluetoothError(.bluez, detail: "The management socket was closed"))
            }
        }
    }

    private func take(_ buffer: [UInt8], _ count: Int, _ turn: inout PacketTurn) {
        switch DeviceFound.read(buffer, count) {
        case .found(let found):
            counters.packets += 1
            turn.found(found, buffer)
        case .otherEvent: counters.otherEvents += 1
        case .malformed: counters.malformedEvents += 1
        }
    }

    func record(_ flaws: PacketFlaws) {
        if flaws.isMalformed { counters.malformedPackets += 1 }
        if flaws.contains(.repeated) { counters.repetitions += 1 }
    }

    // MARK: Diagnosis

    /// Returns the source that the next scan would use. Opens the source for this purpose, and closes it again.
    func probe() -> Diagnosis.ScanSourceStatus {
        if !isOpen, (try? open()) != nil, users == 0 {
            close()
            return .management
        }
        return isOpen ? .management : .dbus(after: failure)
    }
}

/// The packets that one turn reads. They have the same time.
private struct PacketTurn {
    private let client: BlueZClient
    private lazy var time = PacketTime(client.settings)
    /// The adapter of the last packet, and its sessions.
    private var adapter: UInt16?
    private var active: ScanSession?
    private var passive: PassiveScanSession?
    private var isActiveNotified = false

    init(_ client: BlueZClient) { self.client = client }

    mutating func found(_ found: DeviceFound, _ buffer: [UInt8]) {
        if adapter != found.controller {
            adapter = found.controller
            active = client.scans.sessions[found.controller]
            passive = client.scans.passive[found.controller]
            isActiveNotified = false
        }
        // A discovery gets all packets by events that are not for monitors.
        if let active, !found.isForMonitors {
            if !isActiveNotified { active.packetsArrived(at: time) }
            isActiveNotified = true
            active.found(found, buffer, at: time)
        }
        passive?.filter(found, buffer, at: time)
    }
}

/// The time of the packets that one turn reads, on both clocks.
struct PacketTime {
    let monotonic: MonotonicTime
    let date: Date

    init(_ settings: Settings) {
        monotonic = settings.now
        date = settings.date
    }
}

/// The numbers of events that a manager's source has sent since the bus was opened.
struct PacketCounters: Equatable {
    /// The received packets of devices.
    var packets = 0
    var otherEvents = 0
    /// The events that violate the format of the management interface, or that the kernel could not deliver.
    var malformedEvents = 0
    /// The packets with malformed AD structures. Their other structures are used.
    var malformedPackets = 0
    /// The packets that contain a structure twice that may occur once.
    var repetitions = 0
}

extension BluetoothError {
    /// Why a scan uses D-Bus after this error of a source, as the end of a sentence.
    fileprivate var reasonOfFallback: String {
        switch kind {
        case .unauthorized: "this process lacks CAP_NET_ADMIN, which the kernel's management socket needs"
        default: detail.map { $0.prefix(1).lowercased() + $0.dropFirst() } ?? "the management socket cannot be used"
        }
    }
}

extension Diagnosis.ScanSourceStatus {
    static let management = Self(source: .management, reason: "this process has the permission to use it")
    static let requiredDBus = Self(source: .dbus, reason: "the scan requires it")

    /// The status of a scan over D-Bus after an error of the source.
    static func dbus(after failure: BluetoothError?) -> Self {
        Self(source: .dbus, reason: failure?.reasonOfFallback ?? "the management socket cannot be used")
    }
}
