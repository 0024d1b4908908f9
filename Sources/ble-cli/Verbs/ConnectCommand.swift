import ArgumentParser
import Rx
import RxBluetooth
import RxBluetoothSupport

/// The command `ble-cli connect`.
struct ConnectCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect", abstract: "Connect to a device, print its services and values, and disconnect.",
        discussion: """
            Prints services, characteristics and descriptors with their names, handles, properties, and the values \
            that can be read. If a value cannot be read, the reason is printed in its place.

            EXAMPLES:
              ble-cli connect "Heart rate strap"
              ble-cli connect C0:FF:EE:00:00:01 --json
              ble-cli connect Strap --keep
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .target) var target: String
    @OptionGroup var link: KeepOption

    func verb() throws(CLIError) -> any Verb {
        ConnectVerb(target: try Target(parsing: target), keepsLink: link.keep)
    }
}

/// Connects, prints the GATT tree of the peripheral with all readable values, and disconnects.
struct ConnectVerb: LinkVerb {
    let target: Target
    var keepsLink = false

    func run(in context: CommandContext) -> Observable<Never> {
        DeviceConnector(context: context, target: target, keepsLink: keepsLink)
            .use { Self.show($0, in: context) }
            .ignoreElements()
    }

    /// Prints the tree with all readable values.
    static func show(_ tree: GATTTree, in context: CommandContext) -> Observable<GATTTreeItem> {
        let items = items(of: tree)
        guard context.options.json else {
            return items.do(onNext: { item in
                let line = item.line
                try context.output.prose(line, indent: line.prefix { $0 == " " }.count + 4)
            })
        }
        return printingOneObject(items, in: context)
    }

    /// Prints all items as one JSON object at the end; after an error or a dispose, the items so far.
    private static func printingOneObject(
        _ items: Observable<GATTTreeItem>, in context: CommandContext
    ) -> Observable<GATTTreeItem> {
        let time = context.scheduler.now
        let seen = Guarded<[GATTTreeItem]?>([])
        let show: @Sendable (Bool) throws -> Void = { isComplete in
            let items = seen.withLock { seen in
                defer { seen = nil }
                return seen
            }
            guard let items, !items.isEmpty else { return }
            try context.output.line(GATTTreeJSON.object(items, at: time, isComplete: isComplete).text)
        }
        return items.do(
            onNext: { item in seen.withLock { $0?.append(item) } }, onError: { _ in try show(false) },
            onCompleted: { try show(true) }, onDispose: { try? show(false) })
    }

    /// Emits the items of the tree from the root to the leaves, and reads their values one by one.
    static func items(of tree: GATTTree) -> Observable<GATTTreeItem> {
        Observable.just(GATTTreeItem.peripheral(tree.peripheral))
            .concat(
                Observable.from(tree.services).concatMap { node in
                    Observable.just(GATTTreeItem.service(node.service))
                        .concat(Observable.from(node.characteristics).concatMap { items(of: $0) })
                })
    }

    private static func items(of characteristic: Characteristic) -> Observable<GATTTreeItem> {
        let item: Observable<GATTTreeItem> =
            characteristic.properties.contains(.read)
            ? value(characteristic.readValue()).map { .characteristic(characteristic, $0) }
            : .just(.characteristic(characteristic, nil))
        return item.concat(
            characteristic.discoverDescriptors().concatMap { descriptor in
                value(descriptor.readValue()).map { .descriptor(descriptor, $0) }
            })
    }

    /// Emits a value, or the error of reading the value, which is printed instead.
    ///
    /// A lost link ends the stream with an error.
    private static func value(_ read: Single<[UInt8]>) -> Observable<GATTTreeItem.ReadResult> {
        read.asObservable().map { .success($0) }.catch { error in
            guard let error = error as? BluetoothError else { throw error }
            switch error.kind {
            case .disconnected, .notConnected, .daemonUnavailable, .busUnavailable, .closed: throw error
            default: return .just(.failure(error))
            }
        }
    }
}
