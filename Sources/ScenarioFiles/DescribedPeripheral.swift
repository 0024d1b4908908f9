package import RxBluetoothMocks

/// The description of a peripheral in a form that can be written to a scenario file.
///
/// A `SimulatedPeripheral` has closures, which cannot be written.
package struct DescribedPeripheral: Sendable {
    /// The values that a characteristic notifies in turn while a client is subscribed.
    package struct Notifications: Sendable {
        package var interval: Duration
        package var values: [[UInt8]]

        package init(every interval: Duration, _ values: [[UInt8]]) {
            self.interval = interval
            self.values = values
        }
    }

    package struct Descriptor: Sendable {
        package var uuid: String
        package var value: [UInt8]

        package init(_ uuid: String, _ value: [UInt8]) {
            self.uuid = uuid
            self.value = value
        }
    }

    package struct Characteristic: Sendable {
        package var uuid: String
        /// The bits of the Characteristic Properties field. A scenario has five of them, from read to indicate.
        package var properties: UInt8
        package var value: [UInt8] = []
        package var notifications: Notifications?
        package var descriptors: [Descriptor] = []
        /// The security that reading needs; nil for none.
        package var protection: Protection?
        /// A remark for readers of the file, for example why there is no value.
        package var comment: String?

        package init(_ uuid: String, properties: UInt8) {
            self.uuid = uuid
            self.properties = properties
        }
    }

    package enum Protection: String, Sendable {
        case encryption, authentication
    }

    package struct Service: Sendable {
        package var uuid: String
        package var isPrimary: Bool
        package var characteristics: [Characteristic] = []

        package init(_ uuid: String, isPrimary: Bool = true) {
            self.uuid = uuid
            self.isPrimary = isPrimary
        }
    }

    package var name: String
    package var address: String
    package var isRandom: Bool
    /// A remark for readers of the file.
    package var comment: String?
    package var advertisement: SimulatedAdvertisement?
    package var mtu: UInt16?
    package var services: [Service] = []

    package init(_ name: String, address: String, isRandom: Bool) {
        self.name = name
        self.address = address
        self.isRandom = isRandom
    }
}
