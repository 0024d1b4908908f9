import DBus

/// An attribute of a registered application, as bluetoothd serves it to centrals.
final class PublishedAttribute {
    /// The bus name of the client that serves the attribute.
    let client: String
    let path: ObjectPath
    let interface: String
    let service: String
    let characteristic: String
    /// The UUID of the descriptor; nil for the value of a characteristic.
    let descriptor: String?
    let flags: [String]
    /// How many centrals receive the values. bluetoothd calls StopNotify when the number becomes 0.
    var subscriberCount = 0

    init(
        _ object: RegisteredApplication.RegisteredObject, of client: String, service: String, characteristic: String,
        descriptor: String? = nil
    ) {
        self.client = client
        path = object.path
        interface = object.interface
        self.service = service
        self.characteristic = characteristic
        self.descriptor = descriptor
        flags = object.flagNames
    }

    /// Whether the attribute offers an operation, also if the link must be protected.
    func offers(_ operation: String) -> Bool { flags.contains { $0 == operation || $0.hasSuffix("-" + operation) } }

    /// Returns the ATT error of an operation over a link that is not encrypted; nil if the operation is permitted.
    ///
    /// Source: BlueZ 5.66, src/shared/gatt-server.c, check_permissions.
    func refusal(of operation: String) -> UInt8? {
        let isOffered =
            operation == "write" ? offers("write") || flags.contains("write-without-response") : offers(operation)
        guard isOffered else { return operation == "read" ? 0x02 : 0x03 }
        if flags.contains("encrypt-\(operation)") { return 0x0F }
        let protected = ["encrypt-authenticated-\(operation)", "secure-\(operation)"]
        return protected.contains(where: flags.contains) ? 0x05 : nil
    }

    var isReliable: Bool { flags.contains("reliable-write") }
}

extension RegisteredApplication {
    /// The attributes of the application, in the order of their objects.
    func attributes(of client: String) -> [PublishedAttribute] {
        services.flatMap { service in
            service.characteristics.flatMap { characteristic -> [PublishedAttribute] in
                guard let uuid = service.object.uuid, let name = characteristic.object.uuid else { return [] }
                let value = PublishedAttribute(characteristic.object, of: client, service: uuid, characteristic: name)
                return [value]
                    + characteristic.descriptors.map {
                        PublishedAttribute(
                            $0, of: client, service: uuid, characteristic: name, descriptor: $0.uuid)
                    }
            }
        }
    }
}
