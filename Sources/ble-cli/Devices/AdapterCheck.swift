import Rx
import RxBluetooth

/// Completes where the adapter that was asked for is there, or none was asked for. Fails where others are there.
/// Where there is none at all, the verb itself tells why.
struct AdapterCheck: Verb {
    func run(in context: CommandContext) -> Observable<Never> {
        let selection = context.options.adapter
        guard selection != .automatic else { return .empty() }
        return context.manager.adapters.take(1)
            .do(onNext: { adapters in
                guard !adapters.isEmpty, !adapters.contains(where: \.isSelected) else { return }
                let present = adapters.map { adapter in
                    adapter.address.map { "\(adapter.name) (\($0))" } ?? adapter.name
                }
                throw CLIError(
                    .notFound,
                    "There is no adapter \(selection.text). There is \(present.joined(separator: ", ")).")
            })
            .ignoreElements()
    }
}

extension AdapterSelection {
    /// Reads an adapter's name or address.
    init(parsing text: String) throws(CLIError) {
        let trimmed = text.trimmed
        guard !trimmed.isEmpty else {
            throw CLIError(
                .usage,
                "The adapter is empty. Give a name such as hci1, its number, or an address; see ble-cli adapters.")
        }
        self =
            BluetoothAddress(trimmed).map { .address($0) } ?? Int(trimmed).map { .number($0) } ?? .named(trimmed)
    }

    fileprivate var text: String {
        switch self {
        case .automatic: "at all"
        case .named(let name): "“\(name)”"
        case .address(let address): address.description
        }
    }
}
