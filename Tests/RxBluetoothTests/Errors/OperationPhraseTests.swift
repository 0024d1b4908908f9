import Testing

@testable import RxBluetooth

/// The phrases of operations and their targets, as errors and diagnoses show them.
struct OperationPhraseTests {
    struct Row: Sendable, CustomStringConvertible {
        let operation: BluetoothError.Operation
        let target: String?
        let description: String

        init(_ operation: BluetoothError.Operation, _ target: String?, _ description: String) {
            (self.operation, self.target, self.description) = (operation, target, description)
        }
    }

    private static let device = "C0:FF:EE:00:00:01"

    static let rows = [
        Row(.readState, nil, "Reading the state of Bluetooth"),
        Row(.readState, device, "Reading the state of \(device)"),
        Row(.readState, "the name of \(device)", "Reading the name of \(device)"),
        Row(.readState, "the MTU of \(device)", "Reading the MTU of \(device)"),
        Row(.scan, nil, "Scanning"),
        Row(.scan, "hci0", "Scanning with hci0"),
        Row(.listPeripherals, nil, "Listing the known devices"),
        Row(.listPeripherals, "hci0", "Listing the known devices of hci0"),
        Row(.connect, nil, "Connecting"),
        Row(.connect, device, "Connecting to \(device)"),
        Row(.disconnect, nil, "Disconnecting"),
        Row(.disconnect, device, "Disconnecting from \(device)"),
        Row(.discover, nil, "Discovering services"),
        Row(.discover, device, "Discovering the services of \(device)"),
        Row(
            .discover, "service 180D of \(device)", "Discovering the characteristics of service 180D of \(device)"),
        Row(
            .discover, "the services included in service 180D of \(device)",
            "Discovering the services included in service 180D of \(device)"),
        Row(.discover, "2A37 of \(device)", "Discovering the descriptors of 2A37 of \(device)"),
        Row(.read, nil, "Reading a value"),
        Row(.read, "2A37 of \(device)", "Reading 2A37 of \(device)"),
        Row(.read, "the battery level of \(device)", "Reading the battery level of \(device)"),
        Row(.write, nil, "Writing a value"),
        Row(.write, "2A39 of \(device)", "Writing 2A39 of \(device)"),
        Row(.readDescriptor, nil, "Reading a descriptor"),
        Row(.readDescriptor, "2901 of 2A37 of \(device)", "Reading descriptor 2901 of 2A37 of \(device)"),
        Row(.writeDescriptor, nil, "Writing a descriptor"),
        Row(.writeDescriptor, "2901 of 2A37 of \(device)", "Writing descriptor 2901 of 2A37 of \(device)"),
        Row(.readRSSI, nil, "Reading the RSSI"),
        Row(.readRSSI, device, "Reading the RSSI of \(device)"),
        Row(.exclusiveAccess, nil, "Using a connection exclusively"),
        Row(.exclusiveAccess, device, "Using \(device) exclusively"),
        Row(.pair, nil, "Pairing"),
        Row(.pair, device, "Pairing with \(device)"),
        Row(.trust, nil, "Changing a trust setting"),
        Row(.trust, device, "Changing the trust setting of \(device)"),
        Row(.forget, nil, "Forgetting a device"),
        Row(.forget, device, "Forgetting \(device)"),
        Row(.notify, nil, "Receiving notifications"),
        Row(.notify, "2A37 of \(device)", "Receiving notifications from 2A37 of \(device)"),
        Row(.advertise, nil, "Advertising"),
        Row(.advertise, "hci0", "Advertising with hci0"),
        Row(.readLink, nil, "Reading the facts of a link"),
        Row(.readLink, device, "Reading the facts of the link to \(device)"),
        Row(.updateLink, nil, "Changing the timing of a link"),
        Row(.updateLink, device, "Changing the timing of the link to \(device)"),
        Row(.openChannel, nil, "Opening a channel"),
        Row(.openChannel, "PSM 128 of \(device)", "Opening the channel with PSM 128 of \(device)"),
        Row(.publishChannel, nil, "Listening for channels"),
        Row(.publishChannel, "PSM 128", "Listening on PSM 128"),
        Row(.sendData, nil, "Sending over a channel"),
        Row(.sendData, "PSM 128 of \(device)", "Sending over the channel with PSM 128 of \(device)"),
        Row(.receiveData, nil, "Receiving over a channel"),
        Row(.receiveData, "PSM 128 of \(device)", "Receiving over the channel with PSM 128 of \(device)"),
        Row(.setPower, nil, "Switching the power of an adapter"),
        Row(.setPower, "hci0", "Switching the power of hci0"),
        Row(.setAlias, nil, "Changing the name of an adapter"),
        Row(.setAlias, "hci0", "Changing the name of hci0"),
        Row(.waitUntilReady, nil, "Waiting until Bluetooth can be used"),
        Row(.waitUntilReady, "hci0", "Waiting until hci0 can be used"),
    ]

    @Test(arguments: rows)
    func `An operation and its target are an English phrase`(row: Row) {
        #expect(row.operation.phrase(on: row.target) == row.description)
        let error = BluetoothError(.poweredOff, operation: row.operation, target: row.target)
        #expect(error.summary == "\(row.description): the Bluetooth adapter is off.")
    }

    @Test func `An error without an operation begins with its target or its cause`() {
        #expect(BluetoothError(.poweredOff, target: "hci0").summary == "hci0: the Bluetooth adapter is off.")
        #expect(BluetoothError(.poweredOff).summary == "the Bluetooth adapter is off.")
    }
}

/// The advice for a link that was lost during an operation.
struct LostLinkAdviceTests {
    @Test(arguments: [BluetoothError.DisconnectReason.unknown, .remote, .local])
    func `An operation on an attribute suggests pairing only if it may have needed one`(
        reason: BluetoothError.DisconnectReason
    ) {
        for operation in [BluetoothError.Operation.read, .write, .readDescriptor, .writeDescriptor, .notify] {
            let error = BluetoothError(.disconnected(reason), operation: operation)
            #expect(error.advice?.hasPrefix("Connect again") == true)
            #expect(error.advice?.contains("pair") == false && !error.isPairingSuspected)
            let possible = error.withPairingClue(.possible)
            #expect(possible.advice?.contains("pair with") == true && possible.isPairingSuspected)
        }
        let discovery = BluetoothError(.disconnected(reason), operation: .discover).withPairingClue(.possible)
        #expect(discovery.advice?.contains("pair with") == false)
    }
}
