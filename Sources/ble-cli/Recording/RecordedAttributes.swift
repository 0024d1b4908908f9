import BluetoothCaptures
import Rx
import RxBluetooth

/// The attributes of a connected device, for the packets of its discovery and of its exchanges.
struct RecordedAttributes: Sendable {
    let peripheral: Peripheral
    private let tree: GATTTree
    private let descriptors: [Characteristic: [Descriptor]]
    private let synthesis: SyntheticATT

    /// Discovers the descriptors of a tree, emits the attributes once, and completes.
    static func discover(_ tree: GATTTree) -> Observable<RecordedAttributes> {
        Observable.from(tree.services.flatMap(\.characteristics))
            .concatMap { characteristic in
                characteristic.discoverDescriptors().toArray().map { (characteristic, $0) }
            }
            .reduce([Characteristic: [Descriptor]]()) { descriptors, found in
                descriptors.merging([found.0: found.1]) { $1 }
            }
            .map { RecordedAttributes(tree, $0) }
    }

    private init(_ tree: GATTTree, _ descriptors: [Characteristic: [Descriptor]]) {
        peripheral = tree.peripheral
        self.tree = tree
        self.descriptors = descriptors
        synthesis = SyntheticATT(mtu: tree.peripheral.mtu)
    }

    /// The characteristics that notify or indicate.
    var notifying: [Characteristic] {
        tree.services.flatMap(\.characteristics).filter { !$0.properties.isDisjoint(with: [.notify, .indicate]) }
    }

    /// The packets of the exchange of the MTU, and of the discovery.
    var discovery: [ATTPacket] {
        let services = tree.services.compactMap { node -> SyntheticATT.Service? in
            guard let uuid = AttributeUUID(text: node.service.uuid.longText) else { return nil }
            return SyntheticATT.Service(
                uuid: uuid, handle: node.service.handle, isPrimary: node.service.isPrimary,
                characteristics: node.characteristics.compactMap(attribute))
        }
        return synthesis.exchangeMTU() + synthesis.discovery(services)
    }

    private func attribute(_ characteristic: Characteristic) -> SyntheticATT.Characteristic? {
        guard let uuid = AttributeUUID(text: characteristic.uuid.longText) else { return nil }
        let descriptors = (descriptors[characteristic] ?? []).compactMap { descriptor in
            AttributeUUID(text: descriptor.uuid.longText).map { (uuid: $0, handle: descriptor.handle) }
        }
        return SyntheticATT.Characteristic(
            uuid: uuid, handle: characteristic.handle,
            properties: UInt8(truncatingIfNeeded: characteristic.properties.rawValue), descriptors: descriptors)
    }

    /// Returns the packets of an exchange; none if it is with another device.
    func packets(of exchange: AttributeExchange.Kind) -> [ATTPacket] {
        switch exchange {
        case .read(let characteristic, let result):
            guard characteristic.peripheral == peripheral else { return [] }
            return read(characteristic.valueHandle, result)
        case .descriptorRead(let descriptor, let result):
            guard descriptor.characteristic.peripheral == peripheral else { return [] }
            return read(descriptor.handle, result)
        case .written(let characteristic, let value, let type, let error):
            guard characteristic.peripheral == peripheral else { return [] }
            if type == .withoutResponse { return synthesis.command(characteristic.valueHandle, value) }
            return write(characteristic.valueHandle, value, error)
        case .descriptorWritten(let descriptor, let value, let error):
            guard descriptor.characteristic.peripheral == peripheral else { return [] }
            return write(descriptor.handle, value, error)
        case .notificationsSwitched(let characteristic, let isOn):
            guard let descriptor = descriptors[characteristic]?.first(where: { $0.uuid == 0x2902 }) else { return [] }
            let bit: UInt8 = characteristic.properties.contains(.notify) ? 1 : 2
            return synthesis.write(descriptor.handle, [isOn ? bit : 0, 0])
        case .notified(let characteristic, let value):
            guard characteristic.peripheral == peripheral else { return [] }
            return synthesis.notified(
                characteristic.valueHandle, value, isIndication: !characteristic.properties.contains(.notify))
        }
    }

    private func read(_ handle: UInt16, _ result: Result<[UInt8], BluetoothError>) -> [ATTPacket] {
        switch result {
        case .success(let value): synthesis.read(handle, value)
        case .failure(let error): synthesis.read(handle, failing: error.recordedCode)
        }
    }

    private func write(_ handle: UInt16, _ value: [UInt8], _ error: BluetoothError?) -> [ATTPacket] {
        let code = error?.recordedCode
        return synthesis.write(handle, value, failing: code, isAnswered: error == nil || code != nil)
    }
}

extension Characteristic {
    /// The handle of the value. bluetoothd does not report it; it follows that of the declaration.
    fileprivate var valueHandle: UInt16 { handle == .max ? handle : handle + 1 }
}

extension BluetoothError {
    /// The error code of ATT; nil if the device has not responded.
    fileprivate var recordedCode: UInt8? {
        switch kind {
        case .timedOut, .disconnected, .notConnected, .closed, .daemonUnavailable, .busUnavailable: nil
        // bluetoothd may not report the code of this error. The default is “insufficient encryption”.
        case .needsPairing: attCode ?? 0x0F
        default: attCode ?? 0x0E
        }
    }
}
