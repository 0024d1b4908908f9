import Rx
import RxBluetooth

/// What a connected peripheral has: its services with their characteristics, in the order of their handles.
struct GATTTree: Sendable {
    struct Entry: Sendable {
        let service: Service
        let characteristics: [Characteristic]
    }

    let peripheral: Peripheral
    let entries: [Entry]

    /// Emits it once and completes.
    static func discover(_ peripheral: Peripheral) -> Observable<GATTTree> {
        peripheral.discoverServices()
            .concatMap { service in
                service.discoverCharacteristics().toArray().map { Entry(service: service, characteristics: $0) }
            }
            .toArray()
            .map { GATTTree(peripheral: peripheral, entries: $0) }
            .asObservable()
    }

    /// The characteristic that a person means.
    func characteristic(_ choice: CharacteristicArgument) throws(CLIError) -> Characteristic {
        let all = entries.flatMap(\.characteristics)
        let fitting = all.filter { characteristic in
            switch choice {
            case .uuid(let uuid): characteristic.uuid == uuid
            case .handle(let handle): characteristic.handle == handle
            }
        }
        guard let first = fitting.first else {
            let present = all.map { characteristic -> String in
                if case .handle = choice {
                    AttributeHandle.text(characteristic.handle)
                } else {
                    characteristic.uuid.description
                }
            }
            let list = present.isEmpty ? "It has none." : "It has \(present.joined(separator: ", "))."
            throw CLIError(.notFound, "\(peripheral) has no characteristic \(choice). \(list)")
        }
        guard fitting.count == 1 else {
            let list = fitting.map { characteristic in
                "\(AttributeHandle.text(characteristic.handle)) (service \(characteristic.service.uuid))"
            }
            throw CLIError(
                .usage,
                "\(peripheral) has \(fitting.count) characteristics \(choice). Give the handle of one: "
                    + "\(list.joined(separator: ", ")).")
        }
        return first
    }
}
