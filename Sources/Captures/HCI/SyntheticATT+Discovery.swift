/// Makes the packets of a service discovery. Each response contains one attribute.
extension SyntheticATT {
    /// A service with its characteristics, in the order of their handles.
    package struct Service: Sendable {
        package var uuid: AttributeUUID
        package var handle: UInt16
        package var isPrimary: Bool
        package var characteristics: [Characteristic]

        package init(uuid: AttributeUUID, handle: UInt16, isPrimary: Bool, characteristics: [Characteristic]) {
            (self.uuid, self.handle, self.isPrimary) = (uuid, handle, isPrimary)
            self.characteristics = characteristics
        }

        /// The last handle that is known of the service.
        fileprivate var lastHandle: UInt16 {
            guard let last = characteristics.last else { return handle }
            return last.descriptors.last?.handle ?? last.valueHandle
        }
    }

    /// A characteristic with its descriptors, in the order of their handles.
    package struct Characteristic: Sendable {
        package var uuid: AttributeUUID
        package var handle: UInt16
        package var properties: UInt8
        package var descriptors: [(uuid: AttributeUUID, handle: UInt16)]

        package init(
            uuid: AttributeUUID, handle: UInt16, properties: UInt8, descriptors: [(uuid: AttributeUUID, handle: UInt16)]
        ) {
            (self.uuid, self.handle, self.properties) = (uuid, handle, properties)
            self.descriptors = descriptors
        }

        package var valueHandle: UInt16 { handle == .max ? handle : handle + 1 }
    }

    /// Returns the packets of a discovery of all services.
    package func discovery(_ services: [Service]) -> [ATTPacket] {
        let ends = services.indices.map { index in
            let next = index + 1 < services.count ? services[index + 1].handle : 0
            return next > services[index].handle ? next - 1 : services[index].lastHandle
        }
        var packets: [ATTPacket] = []
        for isPrimary in [true, false] {
            let entries = zip(services, ends).filter { $0.0.isPrimary == isPrimary }.map { service, end in
                (service.handle, end, Self.numbers(service.handle, end) + service.uuid.bytes)
            }
            packets += search(
                .readByGroupTypeRequest, .readByGroupTypeResponse, isPrimary ? 0x2800 : 0x2801, 1...UInt16.max, entries)
        }
        for (service, end) in zip(services, ends) where service.handle <= end {
            let entries = service.characteristics.map { characteristic in
                (
                    characteristic.handle, characteristic.valueHandle,
                    Self.numbers(characteristic.handle) + [characteristic.properties]
                        + Self.numbers(characteristic.valueHandle) + characteristic.uuid.bytes
                )
            }
            packets += search(.readByTypeRequest, .readByTypeResponse, 0x2803, service.handle...end, entries)
            for characteristic in service.characteristics { packets += descriptors(of: characteristic) }
        }
        return packets
    }

    /// Returns requests that continue after each entry, and the error at the end of the range.
    private func search(
        _ request: ATTCode, _ response: ATTCode, _ type: UInt16, _ range: ClosedRange<UInt16>,
        _ entries: [(handle: UInt16, last: UInt16, bytes: [UInt8])]
    ) -> [ATTPacket] {
        var packets: [ATTPacket] = []
        var start = Int(range.lowerBound)
        func ask() { packets.append(ATTPacket(request, Self.numbers(UInt16(start), range.upperBound, type))) }
        for entry in entries where start <= Int(range.upperBound) {
            ask()
            packets.append(ATTPacket(response, [UInt8(entry.bytes.count)] + entry.bytes))
            start = Int(entry.last) + 1
        }
        guard start <= Int(range.upperBound) else { return packets }
        ask()
        return packets + failure(of: request, UInt16(start), 0x0A)
    }

    private func descriptors(of characteristic: Characteristic) -> [ATTPacket] {
        guard let last = characteristic.descriptors.last?.handle else { return [] }
        return characteristic.descriptors.flatMap { descriptor in
            let format: UInt8 = descriptor.uuid.bytes.count == 2 ? 1 : 2
            return [
                ATTPacket(.findInformationRequest, Self.numbers(descriptor.handle, max(descriptor.handle, last))),
                ATTPacket(
                    .findInformationResponse, [format] + Self.numbers(descriptor.handle) + descriptor.uuid.bytes),
            ]
        }
    }

    private static func numbers(_ numbers: UInt16...) -> [UInt8] {
        numbers.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }
}
