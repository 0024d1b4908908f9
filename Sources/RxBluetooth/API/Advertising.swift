import DBus
public import Rx

/// What this computer is to say of itself, so that others see it in their scans.
///
/// There is room for 31 bytes, of which flags take 3; the name goes into the answer to a scan, which has room for as many.
/// Source: BlueZ, `advertising-api.txt`, `LEAdvertisement1`.
public struct Advertisement: Hashable, Sendable {
    /// The name. Default nil: none.
    public var localName: String?
    /// The services that are listed. Default: none.
    public var services: [BluetoothUUID]
    /// Data of manufacturers, by company number. Default: none.
    public var manufacturerData: [UInt16: [UInt8]]
    /// Data of services. Default: none.
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// What the computer looks like, as the Bluetooth SIG numbers it. Default nil: it is not said.
    public var appearance: UInt16?
    /// Whether others may connect to this computer. Default: not, it is a broadcast.
    public var isConnectable: Bool

    /// Makes an advertisement.
    public init(
        localName: String? = nil, services: [BluetoothUUID] = [], manufacturerData: [UInt16: [UInt8]] = [:],
        serviceData: [BluetoothUUID: [UInt8]] = [:], appearance: UInt16? = nil, isConnectable: Bool = false
    ) {
        self.localName = localName
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.appearance = appearance
        self.isConnectable = isConnectable
    }

    /// As bluetoothd reads it. A property that is not there is not advertised.
    var properties: [String: Value] {
        var properties: [String: Value] = ["Type": .string(isConnectable ? "peripheral" : "broadcast")]
        if let localName { properties["LocalName"] = .string(localName) }
        if !services.isEmpty { properties["ServiceUUIDs"] = .strings(services.map(\.longText)) }
        if !manufacturerData.isEmpty {
            properties["ManufacturerData"] = .dictionary(
                key: "q", value: "v",
                manufacturerData.sorted { $0.key < $1.key }
                    .map { Value.Entry(.uint16($0.key), .variant(.bytes($0.value))) })
        }
        if !serviceData.isEmpty {
            properties["ServiceData"] = .properties(
                Dictionary(uniqueKeysWithValues: serviceData.map { ($0.key.longText, .bytes($0.value)) }))
        }
        if let appearance { properties["Appearance"] = .uint16(appearance) }
        return properties
    }
}

extension BluetoothManager {
    /// Advertises, so that others see this computer in their scans.
    ///
    /// Emits once bluetoothd has taken the advertisement, and does not complete. Cold: subscribing advertises and disposing ends
    /// it, and each subscription is an advertisement of its own; bluetoothd has room for a few. Fails with
    /// ``BluetoothError/Kind/noFreeSlot`` where it has none left (Q113), with ``BluetoothError/Kind/invalidArgument`` where the
    /// advertisement is too long or makes no sense, and when Bluetooth cannot be used or ceases to be (Q114). No setting of the adapter is
    /// changed: an advertisement needs no discoverable adapter (Q35).
    /// Source: BlueZ, `advertising-api.txt`, `RegisterAdvertisement`.
    ///
    /// - Parameter advertisement: What to say.
    public func advertise(_ advertisement: Advertisement) -> Observable<Void> {
        access.stream { [selection] client, emitter in
            client.onStateKnown { client in
                guard emitter.isActive else { return }
                do throws(BluetoothError) {
                    client.advertise(
                        advertisement, selection, on: try client.poweredAdapter(selection), emitter)
                } catch {
                    emitter.fail(error.during(.advertise, nil))
                }
            }
        }
    }
}

extension BlueZClient {
    fileprivate func advertise(
        _ advertisement: Advertisement, _ selection: AdapterSelection, on adapter: UInt16, _ emitter: Emitter<Void>
    ) {
        advertisementCount += 1
        let advertising = Advertising(
            advertisement, selection, on: adapter, number: advertisementCount, of: self, emitter)
        advertisements.append(advertising)
        advertising.start()
    }

    /// Ends all advertisements.
    func failAdvertisements(_ error: BluetoothError) {
        for advertising in advertisements { advertising.end(error) }
    }

    /// Ends the advertisements of adapters that cannot be used any more, or that are not the ones to work with.
    func endAdvertisements() {
        for advertising in advertisements {
            if let error = state(of: advertising.adapter)?.error {
                advertising.end(error)
            } else if choice(advertising.selection) != advertising.adapter {
                advertising.end(BluetoothError(.noAdapter))
            }
        }
    }
}
