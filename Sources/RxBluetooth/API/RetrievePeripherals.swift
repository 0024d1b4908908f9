public import Rx

extension BluetoothManager {
    /// The peripherals with these addresses that bluetoothd knows now, in the order of the addresses (S89). One that it does not
    /// know is left out; nothing is scanned for. Fails when Bluetooth cannot be used.
    public func retrievePeripherals(withAddresses addresses: [BluetoothAddress]) -> Single<[Peripheral]> {
        retrieve { client, adapter in
            addresses.compactMap { client.mirror.devices[DeviceKey(adapter: adapter, address: $0)]?.peripheral }
        }
    }

    /// The peripherals that are connected now, by this program or another, by address (S33, S89). Their links are theirs;
    /// ``Peripheral/connect(options:)`` shares one. Fails when Bluetooth cannot be used.
    ///
    /// - Parameter services: Only peripherals that offer one of these, or where their services are not read yet, advertised one.
    ///   Default, and empty: all.
    public func retrieveConnectedPeripherals(withServices services: [BluetoothUUID] = []) -> Single<[Peripheral]> {
        retrieve { client, adapter in
            client.mirror.devices.values.filter { $0.key.adapter == adapter && $0.isConnected && $0.offers(services) }
                .sorted { $0.key.address < $1.key.address }
                .compactMap(\.peripheral)
        }
    }

    private func retrieve(
        _ find: @escaping @Sendable (BlueZClient, UInt16) -> [Peripheral]
    ) -> Single<[Peripheral]> {
        access.operation(.readState) { [selection] (client, emitter) throws(BluetoothError) in
            emitter.finish(find(client, try client.chooseAdapter(selection)))
        }
        .asSingle()
    }
}

extension DeviceRecord {
    fileprivate func offers(_ wanted: [BluetoothUUID]) -> Bool {
        let present = isResolved ? services.values.compactMap(\.uuid) : advertisement.serviceUUIDs
        return wanted.isEmpty || wanted.contains(where: present.contains)
    }
}
