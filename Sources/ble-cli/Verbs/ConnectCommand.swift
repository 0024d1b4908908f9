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
            that can be read. If a value cannot be read, the reason is printed in its place. --timeout limits the \
            whole command: at its end, the values that were not requested are marked as not read.

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
        Observable.deferred {
            // After a lost link, the reading continues with the items that are not printed yet.
            let connector = DeviceConnector(
                context: context, target: target, keepsLink: keepsLink, joining: LinkJoining { true })
            return connector.useReading(until: CommandDeadline(in: context)) { tree, reading in
                reading.items(of: tree)
            }
            .showing(in: context)
            .ignoreElements()
        }
    }
}

extension Observable<GATTTreeItem> {
    /// Prints the items of a tree: each as a line, or all as one JSON object.
    func showing(in context: CommandContext) -> Observable<GATTTreeItem> {
        guard context.options.json else {
            return self.do(onNext: { item in
                let line = item.line
                try context.output.prose(line, indent: line.prefix { $0 == " " }.count + 4)
            })
        }
        return printingOneObject(in: context)
    }

    /// Prints all items as one JSON object at the end; after an error or a dispose, the items so far.
    private func printingOneObject(in context: CommandContext) -> Observable<GATTTreeItem> {
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
        return self.do(
            onNext: { item in seen.withLock { $0?.append(item) } }, onError: { _ in try show(false) },
            onCompleted: { try show(true) }, onDispose: { try? show(false) })
    }
}
