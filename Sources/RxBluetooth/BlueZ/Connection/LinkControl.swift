import DBus

/// Requests to the controller of a link's adapter, for what bluetoothd does not offer.
extension Link {
    /// Reads the facts of the link. Without a controller, all of them are unknown.
    func readFacts(_ emitter: Emitter<LinkFacts>) {
        guard let controller = client.settings.controller else {
            return emitter.finish(LinkFacts(unknownBecause: "the manager was made without a HostController"))
        }
        let answer = awaitAnswer(emitter, .readLink) { (facts: LinkFacts) in emitter.finish(facts) }
        controller.readLink(to: presentAddress, on: "hci\(key.adapter)", deadline: deadlines.rssi, answer)
    }

    /// Requests other parameters for the link.
    func request(_ parameters: ConnectionParameters, _ emitter: Emitter<Never>) throws(BluetoothError) {
        guard let controller = client.settings.controller else {
            throw BluetoothError(.unsupported, detail: "The manager was made without a HostController")
        }
        let answer = awaitAnswer(emitter, .updateLink) { (_: Bool) in emitter.complete() }
        let kind = client.mirror.devices[key]?.addressKind ?? .public
        controller.loadConnectionParameters(
            parameters, for: presentAddress, kind, on: "hci\(key.adapter)", deadline: deadlines.rssi
        ) { error in answer(error.map { .failure($0) } ?? .success(true)) }
    }

    /// The address that the controller knows, which may differ from the one in the path after bonding (Q62).
    private var presentAddress: BluetoothAddress { client.mirror.devices[key]?.address ?? key.address }

    /// Returns a function for the controller's answer, on any thread.
    ///
    /// The stream fails at the deadline, or when the link ends. Later answers are ignored.
    private func awaitAnswer<Element: Sendable, Answer: Sendable>(
        _ emitter: Emitter<Element>, _ operation: BluetoothError.Operation, _ done: @escaping (Answer) -> Void
    ) -> @Sendable (Result<Answer, BluetoothError>) -> Void {
        let target = target
        let deadline = client.bus.schedule(after: deadlines.rssi) {
            emitter.fail(BluetoothError(.timedOut, operation: operation, target: target))
        }
        streams.add(emitter, during: operation, target) { _ in deadline.cancel() }
        return client.bus.callback { result in
            guard emitter.isActive else { return }
            switch result {
            case .success(let answer): done(answer)
            case .failure(let error): emitter.fail(error.during(operation, target))
            }
        }
    }
}
