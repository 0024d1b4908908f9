extension BluetoothError.Operation {
    /// Returns the operation on a target as a phrase, for example “Reading 2A37 of C0:FF:EE:00:00:01”.
    ///
    /// A target is an address, an attribute such as “2A37 of” an address, “service 180D of” an address, or a complete
    /// phrase that begins with “the”.
    func phrase(on target: String?) -> String {
        guard let target else { return phraseWithoutTarget }
        let isPhrase = target.hasPrefix("the ")
        return switch self {
        case .waitUntilReady: "Waiting until \(target) can be used"
        case .readState: isPhrase ? "Reading \(target)" : "Reading the state of \(target)"
        case .scan: "Scanning with \(target)"
        case .listPeripherals: "Listing the known devices of \(target)"
        case .connect: "Connecting to \(target)"
        case .disconnect: "Disconnecting from \(target)"
        case .discover where isPhrase: "Discovering \(target)"
        case .discover where target.hasPrefix("service "): "Discovering the characteristics of \(target)"
        case .discover where target.contains(" of "): "Discovering the descriptors of \(target)"
        case .discover: "Discovering the services of \(target)"
        case .read: "Reading \(target)"
        case .write: "Writing \(target)"
        case .readDescriptor: isPhrase ? "Reading \(target)" : "Reading descriptor \(target)"
        case .writeDescriptor: isPhrase ? "Writing \(target)" : "Writing descriptor \(target)"
        case .readRSSI: "Reading the RSSI of \(target)"
        case .exclusiveAccess: "Using \(target) exclusively"
        case .pair: "Pairing with \(target)"
        case .trust: "Changing the trust setting of \(target)"
        case .forget: "Forgetting \(target)"
        case .notify: "Receiving notifications from \(target)"
        case .advertise: "Advertising with \(target)"
        case .readLink: "Reading the facts of the link to \(target)"
        case .updateLink: "Changing the timing of the link to \(target)"
        case .openChannel: "Opening the channel with \(target)"
        case .publishChannel: "Listening on \(target)"
        case .sendData: "Sending over the channel with \(target)"
        case .receiveData: "Receiving over the channel with \(target)"
        case .setPower: "Switching the power of \(target)"
        case .setAlias: "Changing the name of \(target)"
        case .publish: "Publishing \(target)"
        }
    }

    private var phraseWithoutTarget: String {
        switch self {
        case .waitUntilReady: "Waiting until Bluetooth can be used"
        case .readState: "Reading the state of Bluetooth"
        case .scan: "Scanning"
        case .listPeripherals: "Listing the known devices"
        case .connect: "Connecting"
        case .disconnect: "Disconnecting"
        case .discover: "Discovering services"
        case .read: "Reading a value"
        case .write: "Writing a value"
        case .readDescriptor: "Reading a descriptor"
        case .writeDescriptor: "Writing a descriptor"
        case .readRSSI: "Reading the RSSI"
        case .exclusiveAccess: "Using a connection exclusively"
        case .pair: "Pairing"
        case .trust: "Changing a trust setting"
        case .forget: "Forgetting a device"
        case .notify: "Receiving notifications"
        case .advertise: "Advertising"
        case .readLink: "Reading the facts of a link"
        case .updateLink: "Changing the timing of a link"
        case .openChannel: "Opening a channel"
        case .publishChannel: "Listening for channels"
        case .sendData: "Sending over a channel"
        case .receiveData: "Receiving over a channel"
        case .setPower: "Switching the power of an adapter"
        case .setAlias: "Changing the name of an adapter"
        case .publish: "Publishing services"
        }
    }
}
