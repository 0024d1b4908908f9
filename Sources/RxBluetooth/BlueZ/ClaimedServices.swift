package import Rx

/// A service that bluetoothd uses itself, and hides before 5.80 (Q109, Q122).
package struct ClaimedService: Sendable {
    let uuid: BluetoothUUID
    /// The UUIDs of the service and of its characteristics.
    package let attributes: Set<BluetoothUUID>
    /// Why the attributes are missing, without a full stop.
    package let reason: String

    /// Source: Core Specification 5.4, Vol 3, Part C, 12; HID Service 1.0, 2; Scan Parameters Service 1.0, 3.
    static let all = [
        ClaimedService(
            uuid: 0x1800, attributes: [0x1800, 0x2A00, 0x2A01, 0x2A02, 0x2A03, 0x2A04, 0x2AA6, 0x2AC9, 0x2BF5],
            reason: "bluetoothd keeps the GAP service (1800) to itself, and shows the device's name"),
        ClaimedService(
            uuid: 0x1812, attributes: [0x1812, 0x2A22, 0x2A32, 0x2A33, 0x2A4A, 0x2A4B, 0x2A4C, 0x2A4D, 0x2A4E],
            reason: "bluetoothd keeps the HID service (1812) to itself, and passes its reports to the kernel"),
        ClaimedService(
            uuid: 0x1813, attributes: [0x1813, 0x2A31, 0x2A4F],
            reason: "bluetoothd keeps the Scan Parameters service (1813) to itself"),
    ]
}

extension Peripheral {
    /// Emits the services that bluetoothd hides, once. They are known after the services have been discovered.
    package func hiddenServices() -> Observable<[ClaimedService]> {
        stream { [self] client, emitter in
            emitter.finish(client.mirror.devices[key]?.hiddenServices(client.version) ?? [])
        }
    }
}

extension DeviceRecord {
    /// The services of the device that bluetoothd hides, because it uses them itself.
    ///
    /// Each device has GAP. If a version that shows all of them shows GAP, another listed one is only advertised.
    func hiddenServices(_ version: BlueZVersion?) -> [ClaimedService] {
        if VersionBehaviour.showsClaimedServices(version), shows(0x1800) { return [] }
        return ClaimedService.all.filter { service in
            !shows(service.uuid) && (service.uuid == 0x1800 || listedServices.contains(service.uuid))
        }
    }

    /// Whether bluetoothd hides the battery service: it lists the service, and does not show it (Q109).
    ///
    /// Some versions also list what the device has advertised. Then the list is no evidence, unless bluetoothd reports
    /// a level, or hides GAP, too, which every device has.
    func hidesBattery(_ version: BlueZVersion?) -> Bool {
        guard listedServices.contains(0x180F), !shows(0x180F) else { return false }
        return battery.percentage != nil || !mayAdvertiseBattery || !VersionBehaviour.keepsAdvertisedServices(version)
            || hidesClaimedServices(version)
    }

    /// Whether bluetoothd is configured to hide the services that it uses itself, which its version shows by default.
    private func hidesClaimedServices(_ version: BlueZVersion?) -> Bool {
        VersionBehaviour.showsClaimedServices(version) && listedServices.contains(0x1800) && !services.isEmpty
            && !shows(0x1800)
    }

    private func shows(_ uuid: BluetoothUUID) -> Bool { services.values.contains { $0.uuid == uuid } }
}
