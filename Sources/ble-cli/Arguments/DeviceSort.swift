/// The order of a list of devices.
enum DeviceSort: String, CaseIterable, Sendable {
    /// The strongest signal first; devices without an RSSI are last.
    case rssi
    /// By name, in upper and lower case alike; devices without a name are last.
    case name
    case address
    /// The order of discovery.
    case seen

    static func parse(_ text: String) throws(CLIError) -> DeviceSort {
        guard let sort = DeviceSort(rawValue: text.trimmed.lowercased()) else {
            let choices = allCases.map(\.rawValue).joined(separator: ", ")
            throw CLIError(.usage, "“\(text)” is not an order. Give one of \(choices).")
        }
        return sort
    }

    /// The order after this one, when the user changes the order step by step.
    var next: DeviceSort {
        let all = Self.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }
}
