import RxBluetoothMocks

/// A fault during a cycle of the soak test. Each fault can be ended at any time.
enum SoakFault: CaseIterable {
    case drop, outOfRange, reset, crash, power, blocked, replug, newFirmware
    case aborted, refused, hangsInConnect, hangsInRead, hangsInNotify, late, afterwards, failsStop

    /// The fault of calls to bluetoothd; nil for faults of the adapter, of bluetoothd or of a peripheral.
    private var rule: Fault? {
        switch self {
        case .aborted:
            Fault("Device1.Connect", calls: .first(2), .error("org.bluez.Error.Failed", "le-connection-abort-by-local"))
        case .refused: Fault("Device1.Connect", .error("org.bluez.Error.Failed", "le-connection-refused"))
        case .hangsInConnect: Fault("Device1.Connect", calls: .first(1), .never)
        case .hangsInRead: Fault("GattCharacteristic1.ReadValue", calls: .first(1), .lost)
        case .hangsInNotify: Fault("GattCharacteristic1.StartNotify", calls: .first(1), .never)
        case .late: Fault("GattCharacteristic1.*", .late(.milliseconds(700)))
        case .afterwards:
            Fault(
                "GattCharacteristic1.StartNotify",
                .errorAfterwards("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e"))
        case .failsStop:
            Fault("Adapter1.StopDiscovery", calls: .first(1), .error("org.bluez.Error.InProgress", "In Progress"))
        default: nil
        }
    }

    var isRule: Bool { rule != nil }

    func begin(_ bluez: SimulatedBlueZ, on address: String) {
        if let rule { return bluez.add(rule) }
        switch self {
        case .drop: bluez.dropLink(to: address)
        case .outOfRange: bluez.setInRange(false, address)
        case .reset: bluez.reset(address)
        case .crash: bluez.crash()
        case .power: bluez.setPower(false)
        case .blocked: bluez.setBlocked(true)
        case .replug: bluez.replugAdapter(as: 0)
        case .newFirmware: bluez.changeServices(of: address, to: SoakRunner.services)
        default: break
        }
    }

    func end(_ bluez: SimulatedBlueZ, on address: String) {
        switch self {
        case .outOfRange: bluez.setInRange(true, address)
        case .crash: bluez.start()
        case .power: bluez.setPower(true)
        case .blocked: bluez.setBlocked(false)
        default: bluez.removeFaults()
        }
    }
}
