import DBus

extension RemoteCharacteristic {
    /// The interface as 5.66 has it.
    static let table = InterfaceTable<RemoteCharacteristic>(
        name: "org.bluez.GattCharacteristic1",
        properties: [
            PropertyRow("UUID", "s") { .string($0.server.uuid) },
            PropertyRow("Service", "o") { .objectPath($0.servicePath) },
            PropertyRow("Value", "ay") { .bytes($0.value) },
            PropertyRow("Notifying", "b") { $0.server.notifications == nil ? nil : .bool($0.isNotifying) },
            PropertyRow("Flags", "as") { .strings($0.server.flags) },
            PropertyRow("WriteAcquired", "b") {
                $0.server.has("write-without-response") ? .bool($0.writing?.isOpen == true) : nil
            },
            PropertyRow("NotifyAcquired", "b") {
                $0.server.has("notify") ? .bool($0.notifications?.isOpen == true) : nil
            },
            PropertyRow("MTU", "q") { ($0.device.link?.mtu).map(Value.uint16) },
        ],
        methods: [
            MethodRow("ReadValue", in: [ArgumentRow("options", "a{sv}")], out: [ArgumentRow("value", "ay")]) {
                (characteristic, call) throws(DBusError) in try characteristic.afterReceivingPackets.read(call)
            },
            MethodRow("WriteValue", in: [ArgumentRow("value", "ay"), ArgumentRow("options", "a{sv}")]) {
                (characteristic, call) throws(DBusError) in try characteristic.afterReceivingPackets.write(call)
            },
            MethodRow(
                "AcquireWrite", in: [ArgumentRow("options", "a{sv}")], out: [ArgumentRow("fd", "h"), ArgumentRow("mtu", "q")]
            ) { (characteristic, call) throws(DBusError) in try characteristic.afterReceivingPackets.acquireWrite(call) },
            MethodRow(
                "AcquireNotify", in: [ArgumentRow("options", "a{sv}")], out: [ArgumentRow("fd", "h"), ArgumentRow("mtu", "q")]
            ) { (characteristic, call) throws(DBusError) in try characteristic.afterReceivingPackets.acquireNotify(call) },
            MethodRow("StartNotify") { (characteristic, call) throws(DBusError) in
                try characteristic.afterReceivingPackets.startNotify(call)
            },
            MethodRow("StopNotify") { (characteristic, call) throws(DBusError) in
                try characteristic.afterReceivingPackets.stopNotify(call)
            },
        ])

    static let tableWithHandle = table.preceded(by: PropertyRow("Handle", "q") { .uint16($0.server.handle) })
}
