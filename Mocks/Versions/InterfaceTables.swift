/// The interfaces that depend on the version, as the daemon serves them.
struct InterfaceTables {
    let adapter: InterfaceTable<DaemonAdapter>
    let device: InterfaceTable<DaemonDevice>
    let service: InterfaceTable<RemoteService>
    let characteristic: InterfaceTable<RemoteCharacteristic>
    let descriptor: InterfaceTable<RemoteDescriptor>
    /// The indices of the device's properties that change with every packet.
    let deviceIndex: DaemonDevice.Index

    init(_ differences: VersionDifferences) {
        let features = differences.features
        adapter = DaemonAdapter.table.with(features)
        device = DaemonDevice.table.with(features)
        service = RemoteService.table.with(features)
        characteristic = RemoteCharacteristic.table.with(features)
        descriptor = RemoteDescriptor.table.with(features)
        deviceIndex = DaemonDevice.Index(in: device)
    }
}
