import RxBluetooth

// Commands of the broker.
extension Gateway {
    func receivedCommand(_ message: ReceivedMessage) {
        counts.commands += 1
        guard !instances.givesWay else { return leave(message) }
        let address = topics.device(ofCommand: message.topic)
        if let address {
            connections.receiveCommand(message, for: address)
            guard !connections.isDescribed(address) else { return }
        }
        // A retained message is ignored, whoever it is for.
        guard !message.isRetained, !message.payload.isEmpty else { return }
        if address == nil { answer(message) }
        counts.unknownDevices += 1
        guard counts.unknownReports.take(at: loop.monotonicTime) else { return }
        let cause = address == nil ? "has no address of a device" : "is for a device that is not in “devices”"
        report(.warning, "a command is not executed: its topic \(message.topic) \(cause)")
    }

    /// Counts a command that another gateway with the same name executes. An answer would contradict its result.
    private func leave(_ message: ReceivedMessage) {
        guard !message.isRetained, !message.payload.isEmpty else { return }
        counts.leftCommands += 1
        guard counts.leftReports.take(at: loop.monotonicTime) else { return }
        let host = instances.other?.host ?? "another machine"
        report(
            .warning,
            "a command to \(message.topic) is left to the gateway with the same name on “\(host)”; give each gateway a "
                + "name of its own")
    }

    /// Answers a command with another text in the place of the address.
    private func answer(_ message: ReceivedMessage) {
        guard let topic = topics.result(ofCommand: message.topic) else { return }
        let failure = CommandFailure(
            kind: "unknown-device", text: "The topic of the command has no address, such as A4C138000001")
        let result = CommandResult(
            BluetoothAddress(0), id: GATTCommand.identifier(ofPayload: message.payload), failure: failure,
            time: loop.scheduler.now)
        delivery.publish(Publication(topic: topic, payload: result.payload))
    }
}
