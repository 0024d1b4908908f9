import DBus

/// The pending requests for the RSSI of a link. They share one read of the controller.
///
/// bluetoothd only reports the RSSI of advertisements.
final class RSSIRequests {
    private unowned let link: Link
    private let waiting = EmitterList<Int>()
    /// The number of the latest request. Late answers to earlier requests are ignored.
    private var request = 0
    private var deadline: BusTask?

    init(_ link: Link) { self.link = link }

    /// Reads the RSSI for a subscriber. If a request is in progress, its answer is shared.
    func add(_ emitter: Emitter<Int>) {
        guard let controller = link.client.settings.controller else {
            return emitter.fail(
                BluetoothError(.unsupported, detail: "The manager was made without a HostController")
                    .during(.readRSSI, link.target))
        }
        waiting.add(emitter)
        if deadline == nil { send(controller) }
    }

    private func send(_ controller: any HostController) {
        request += 1
        let (client, request, limit) = (link.client, request, link.deadlines.rssi)
        deadline = client.bus.schedule(after: limit) { [weak self] in
            self?.answered(request, .failure(BluetoothError(.timedOut)))
        }
        // The controller uses the present address, which may differ from the one in the path after bonding (Q62).
        let address = client.mirror.devices[link.key]?.address ?? link.key.address
        controller.readRSSI(
            of: address, on: "hci\(link.key.adapter)", deadline: limit,
            client.bus.callback { [weak self] in self?.answered(request, $0) })
    }

    private func answered(_ request: Int, _ result: Result<Int, BluetoothError>) {
        guard request == self.request, let deadline else { return }
        deadline.cancel()
        self.deadline = nil
        // If the link is down, the answer is ignored. The request fails with the cause of the loss when that is known.
        guard link.isConnected else { return }
        for emitter in waiting.removeAll() {
            switch result {
            case .success(let strength): emitter.finish(strength)
            case .failure(let error): emitter.fail(error.during(.readRSSI, link.target))
            }
        }
    }

    /// Fails the request, because the link has ended.
    func fail(_ cause: BluetoothError) {
        deadline?.cancel()
        deadline = nil
        waiting.fail(cause.during(.readRSSI, link.target))
    }
}
