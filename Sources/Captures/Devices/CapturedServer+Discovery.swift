/// Reads the responses of a service discovery. Source: Core Specification 5.4, Vol 3, Part F, 3.4.3 and 3.4.4.
extension CapturedServer {
    /// The UUIDs of declarations. Source: Core Specification 5.4, Vol 3, Part G, 3.
    private enum Declaration {
        static let primaryService = AttributeUUID(0x2800)
        static let secondaryService = AttributeUUID(0x2801)
        static let include = AttributeUUID(0x2802)
        static let characteristic = AttributeUUID(0x2803)
    }

    /// Adds what a response says. Returns false if it is malformed.
    mutating func addDiscovery(_ response: ATTPacket, _ request: ATTPacket) -> Bool {
        var asked = ByteCursor(request.parameters)
        guard asked.take(4) != nil else { return false }
        var body = ByteCursor(response.parameters)
        switch response.code {
        case .findByTypeValueResponse:
            guard let type = asked.take(2).flatMap({ AttributeUUID($0) }) else { return false }
            let value = asked.takeRest()
            guard type == Declaration.primaryService, let uuid = AttributeUUID(value) else { return true }
            while let start = body.uint16(), let end = body.uint16() {
                addService(uuid, start, end, isPrimary: true)
            }
            return body.count == 0
        case .findInformationResponse:
            guard let format = body.uint8(), format == 1 || format == 2 else { return false }
            while let handle = body.uint16() {
                guard let uuid = body.take(format == 1 ? 2 : 16).flatMap({ AttributeUUID($0) }) else { return false }
                addType(uuid, of: handle)
            }
            return body.count == 0
        default: break
        }
        guard let type = AttributeUUID(asked.takeRest()), let length = body.uint8(), length > 2 else { return false }
        while body.count > 0 {
            guard let entry = body.take(Int(length)) else { return false }
            let isRead =
                response.code == .readByGroupTypeResponse
                ? addGroup(entry, type) : addAttribute(entry, type)
            guard isRead else { return false }
        }
        return true
    }

    private mutating func addService(_ uuid: AttributeUUID, _ start: UInt16, _ end: UInt16, isPrimary: Bool) {
        guard services[start] != nil || services.count < Self.mostAttributes else { return }
        services[start] = Service(uuid: uuid, start: start, end: max(start, end), isPrimary: isPrimary)
    }

    private mutating func addType(_ uuid: AttributeUUID, of handle: UInt16) {
        if types[handle] != nil || types.count < 4 * Self.mostAttributes { types[handle] = uuid }
    }

    private mutating func addGroup(_ entry: ArraySlice<UInt8>, _ type: AttributeUUID) -> Bool {
        var entry = ByteCursor(entry)
        guard let start = entry.uint16(), let end = entry.uint16(), let uuid = AttributeUUID(entry.takeRest()) else {
            return false
        }
        addService(uuid, start, end, isPrimary: type != Declaration.secondaryService)
        return true
    }

    private mutating func addAttribute(_ entry: ArraySlice<UInt8>, _ type: AttributeUUID) -> Bool {
        var entry = ByteCursor(entry)
        guard let handle = entry.uint16() else { return false }
        switch type {
        case Declaration.characteristic:
            guard let properties = entry.uint8(), let valueHandle = entry.uint16(),
                let uuid = AttributeUUID(entry.takeRest())
            else { return false }
            guard characteristics[handle] != nil || characteristics.count < Self.mostAttributes else { return true }
            characteristics[handle] = Characteristic(uuid: uuid, properties: properties, valueHandle: valueHandle)
            addType(Declaration.characteristic, of: handle)
            addType(uuid, of: valueHandle)
        case Declaration.include: break
        default:
            addType(type, of: handle)
            setValue(entry.takeRest(), of: handle)
        }
        return true
    }
}
