import FoundationEssentials
import Rx
import RxBluetooth
import RxBluetoothSupport

/// The services of a connected peripheral with their characteristics, in the order of their handles.
struct GATTTree: Sendable {
    struct ServiceNode: Sendable {
        let service: Service
        let characteristics: [Characteristic]
    }

    let peripheral: Peripheral
    let services: [ServiceNode]
    /// The services that bluetoothd hides, because it uses them itself.
    let hiddenServices: [ClaimedService]

    /// Discovers the tree, emits it once, and completes.
    static func discover(_ peripheral: Peripheral) -> Observable<GATTTree> {
        peripheral.discoverServices()
            .concatMap { service in
                service.discoverCharacteristics().toArray().map { ServiceNode(service: service, characteristics: $0) }
            }
            .toArray()
            .asObservable()
            .flatMap { services in
                peripheral.hiddenServices()
                    .map { GATTTree(peripheral: peripheral, services: services, hiddenServices: $0) }
            }
    }

    /// Returns the characteristics that arguments name. Throws if one is missing or ambiguous.
    func characteristics(_ arguments: [CharacteristicArgument]) throws(CLIError) -> [Characteristic] {
        var found: [Characteristic] = []
        for argument in arguments { found.append(try characteristic(argument)) }
        return found
    }

    /// Returns the characteristic that an argument names. Throws if none or more than one matches.
    ///
    /// - Parameter descriptors: The descriptors that the argument could name instead, for the error text.
    func characteristic(
        _ argument: CharacteristicArgument, or descriptors: [Descriptor] = []
    ) throws(CLIError) -> Characteristic {
        let all = services.flatMap(\.characteristics)
        let matching = all.filter { argument.matches($0.uuid, $0.handle) }
        if matching.isEmpty, case .named(_, let name) = argument {
            return try characteristic(.part(name), or: descriptors)
        }
        guard let first = matching.first else {
            let present =
                switch argument {
                case .handle: (all.map(\.handle) + descriptors.map(\.handle)).sorted().map(AttributeHandle.text)
                case .uuid: all.map(\.uuid.description)
                case .named, .part: all.map { $0.uuid.name ?? $0.uuid.description }
                }
            let list = present.isEmpty ? "It has none." : "It has \(present.joined(separator: ", "))."
            let kind = descriptors.isEmpty ? "characteristic" : "characteristic or descriptor"
            let hidden = hiddenServices.first { service in
                service.attributes.contains { argument.matches($0, 0) }
            }
            let reason = hidden.map { ": \($0.reason)" } ?? ""
            throw CLIError(.notFound, "\(peripheral) has no \(kind) \(argument)\(reason). \(list)")
        }
        guard matching.count == 1 else {
            let list = matching.map { characteristic -> String in
                let handle = AttributeHandle.text(characteristic.handle)
                guard case .part = argument else { return "\(handle) (service \(characteristic.service.uuid))" }
                return "\(handle) “\(characteristic.uuid.name ?? "")”"
            }
            throw CLIError(
                .usage,
                "\(peripheral) has \(matching.count) characteristics \(argument). Give the handle of one: "
                    + "\(list.joined(separator: ", ")).")
        }
        return first
    }
}

/// An item of the GATT tree, which is printed as one line.
enum GATTTreeItem: Sendable {
    /// The bytes of a value, or why the value was not read.
    typealias ReadResult = Result<[UInt8], ReadFailure>

    /// Why a value was not read.
    enum ReadFailure: Error {
        /// Reading the value failed.
        case failed(BluetoothError)
        /// The value was not requested, because the time limit was over. The text has no full stop.
        case notRequested(BluetoothError, text: String)

        var error: BluetoothError {
            switch self {
            case .failed(let error), .notRequested(let error, _): error
            }
        }
    }

    case peripheral(Peripheral)
    case service(Service)
    /// A characteristic with the result of reading its value; nil if the value is not readable.
    case characteristic(Characteristic, ReadResult?)
    case descriptor(Descriptor, ReadResult)

    /// Why the value was not read; nil if it was, or if there is none.
    var failure: ReadFailure? {
        switch self {
        case .characteristic(_, .failure(let failure)), .descriptor(_, .failure(let failure)): failure
        case .peripheral, .service, .characteristic, .descriptor: nil
        }
    }

    /// The item as text, with its handle in the form that `read`, `write` and `notify` accept.
    var line: String {
        switch self {
        case .peripheral(let peripheral):
            let name = peripheral.name.map { "  " + Sanitiser.clean($0) } ?? ""
            return peripheral.address.description + name
        case .service(let service):
            let kind = service.isPrimary ? "" : "  (secondary)"
            return "  " + Self.title(service.uuid, service.handle) + kind
        case .characteristic(let characteristic, let value):
            let properties = characteristic.properties.names.joined(separator: ", ")
            return "    " + Self.title(characteristic.uuid, characteristic.handle) + "  [\(properties)]"
                + (value.map { Self.text($0, of: characteristic.uuid) } ?? "")
        case .descriptor(let descriptor, let value):
            return "      " + Self.title(descriptor.uuid, descriptor.handle) + Self.text(value, of: descriptor.uuid)
        }
    }

    private static func title(_ uuid: BluetoothUUID, _ handle: UInt16) -> String {
        let name = uuid.name.map { " " + $0 } ?? ""
        return "\(uuid)\(name)  \(AttributeHandle.text(handle))"
    }

    private static func text(_ value: ReadResult, of uuid: BluetoothUUID) -> String {
        switch value {
        case .success(let bytes): "  = " + ValueText.line(bytes, of: uuid)
        // The error of the value that needed pairing, or ended the link, is printed before.
        case .failure(.failed(let error)) where error.kind == .connectionStalled:
            error.detail == ReadingLinks.lossDetail
                ? "  ! Not read, because other values have ended the link." : "  ! Not read after the refused pairing."
        case .failure(.failed(let error)): "  ! " + Sanitiser.clean(CLIError(error).text)
        case .failure(.notRequested(_, let text)): "  ! \(text)."
        }
    }
}

/// The tree as one JSON object: services contain characteristics, which contain descriptors.
enum GATTTreeJSON {
    /// Returns the JSON object of a tree.
    ///
    /// A tree with values that were not requested is not complete.
    ///
    /// - Parameter isComplete: Whether `items` is the whole tree; false if the command ended earlier.
    static func object(_ items: [GATTTreeItem], at time: Date, isComplete: Bool) -> JSON {
        let isComplete = isComplete && !items.contains { if case .notRequested? = $0.failure { true } else { false } }
        var head: [(key: String, value: JSON)] = [("time", .string(Timestamp.text(time)))]
        var services: [JSONNode] = []
        for item in items {
            switch item {
            case .peripheral(let peripheral):
                head += [
                    ("adapter", .string(orNull: peripheral.adapterName)),
                    ("address", .string(peripheral.address.description)),
                    ("addressType", .string(orNull: peripheral.addressKind?.rawValue)),
                    ("name", .string(orNull: peripheral.name)),
                ]
            case .service(let service):
                let members = members(service.uuid, service.handle) + [("primary", .bool(service.isPrimary))]
                services.append(JSONNode(members, "characteristics"))
            case .characteristic(let characteristic, let value):
                let properties = JSON.array(characteristic.properties.names.map { .string($0) })
                let members = members(characteristic.uuid, characteristic.handle) + [("properties", properties)]
                services[services.count - 1].children.append(
                    JSONNode(members + Self.members(value, characteristic.uuid), "descriptors"))
            case .descriptor(let descriptor, let value):
                let members = members(descriptor.uuid, descriptor.handle) + members(value, descriptor.uuid)
                let last = services[services.count - 1].children.count - 1
                services[services.count - 1].children[last].children.append(JSONNode(members, nil))
            }
        }
        return .object(head + [("complete", .bool(isComplete)), ("services", .array(services.map(\.json)))])
    }

    private static func members(_ uuid: BluetoothUUID, _ handle: UInt16) -> [(key: String, value: JSON)] {
        [
            ("uuid", .string(uuid.description)), ("name", .string(orNull: uuid.name)),
            ("handle", .string(AttributeHandle.text(handle))),
        ]
    }

    private static func members(
        _ value: GATTTreeItem.ReadResult?, _ uuid: BluetoothUUID
    ) -> [(key: String, value: JSON)] {
        let (bytes, error): ([UInt8]?, CLIError?) =
            switch value {
            case .success(let bytes): (bytes, nil)
            case .failure(.failed(let error)): (nil, CLIError(error))
            case .failure(.notRequested(let error, let text)):
                (nil, CLIError(.timedOut, text + ". Give a longer --timeout.").caused(by: error))
            case nil: (nil, nil)
            }
        return [
            ("value", .string(orNull: bytes.map { HexBytes.text($0) })),
            ("decoded", bytes.flatMap { DecodedValue($0, of: uuid)?.json } ?? .null),
            ("error", error?.json ?? .null),
        ]
    }

    private struct JSONNode {
        var members: [(key: String, value: JSON)]
        /// The JSON key of the children; nil if the node cannot have children.
        var childrenKey: String?
        var children: [JSONNode] = []

        init(_ members: [(key: String, value: JSON)], _ childrenKey: String?) {
            self.members = members
            self.childrenKey = childrenKey
        }

        var json: JSON {
            .object(members + (childrenKey.map { [($0, JSON.array(children.map(\.json)))] } ?? []))
        }
    }
}
