public import Rx

/// How much fits into a packet.
extension Peripheral {
    /// The smallest MTU, which every LE link has to begin with: 23 bytes.
    public static let smallestMTU = 23

    /// Tells the largest ATT packet of the connection, in bytes: 23 until bluetoothd and the peripheral have agreed on more
    /// (S82).
    ///
    /// Emits the present one first, then each change, and never completes. Fails with ``BluetoothError/Kind/notConnected`` outside
    /// a connection, and with the error of the connection when that ends; an operation that fails does not concern it. Cold; nothing is
    /// sent for it. Source: BlueZ, `gatt-api.txt`, `MTU`, from 5.62 on; before, it stays 23 (Q101).
    public func observeMTU() -> Observable<Int> {
        stream { [self] client, emitter in
            do throws(BluetoothError) {
                try client.link(key).mtu.observe(emitter)
            } catch {
                emitter.fail(error.during(.readState, "the MTU of \(address)"))
            }
        }
    }

    /// The most bytes that one ``Characteristic/writeValue(_:type:)`` takes over the present link: for writes without response
    /// what fits into one packet, which is ``mtu`` less 3 and at most 512; for writes with response always 512, for bluetoothd sends
    /// these in parts (Q99).
    public func maximumWriteValueLength(for type: Characteristic.WriteType) -> Int {
        switch type {
        case .withResponse: Characteristic.longestValue
        case .withoutResponse: Self.payload(of: mtu)
        }
    }

    /// What a packet holds beside its three bytes of opcode and handle.
    static func payload(of mtu: Int) -> Int { min(Characteristic.longestValue, mtu - 3) }
}
