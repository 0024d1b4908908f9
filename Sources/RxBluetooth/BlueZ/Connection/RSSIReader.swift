import DBus

/// The question to the controller how strong a link is received. bluetoothd is not asked: it knows the strength of
/// advertisements only.
final class RSSIReader {
    private unowned let link: Link
    private let waiting = EmitterList<Int>()
    /// Counts the questions; an answer to one that is over concerns nobody.
    private var request = 0
    private var deadline: BusTask?

    init(_ link: Link) { self.link = link }

    /// Asks for somebody; who comes while a question is under way gets its answer.
    func add(_ emitter: Emitter<Int>) {
        guard let controller = link.client.settings.controller else {
            return emitter.fail(
                BluetoothError(.unsupported, dbusMessage: "The manager was made without a HostController")
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
        // After a bond the device may have another address than its path has (Q62), and the controller goes by that.
        let address = client.mirror.devices[link.key]?.address ?? link.key.address
        controller.readRSSI(
            of: address, on: "hci\(link.key.adapter)", deadline: limit,
            client.bus.callback { [weak self] in self?.answered(request, $0) })
    }

    private func answered(_ request: Int, _ result: Result<Int, BluetoothError>) {
        guard request == self.request, let deadline else { return }
        deadline.cancel()
        self.deadline = nil
        // The link is down, and why is still being found out; that is then the reason for this too.
        guard link.isConnected else { return }
        for emitter in waiting.removeAll() {
            switch result {
            case .success(let strength): emitter.finish(strength)
            case .failure(let error): emitter.fail(error.during(.readRSSI, link.target))
            }
        }
    }

    /// The link is over.
    func fail(_ cause: BluetoothError) {
        deadline?.cancel()
        deadline = nil
        waiting.fail(cause.during(.readRSSI, link.target))
    }
}
