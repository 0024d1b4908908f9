import Gateway

/// A broker that prints each message instead of sending it, for `--dry-run`.
final class PrintingBroker: Broker {
    var handler: ((BrokerEvent) -> Void)?
    private let loop: GatewayLoop

    init(loop: GatewayLoop) { self.loop = loop }

    func connect() { post(.connected(isSessionPresent: false)) }

    func subscribe(to filters: [String]) {}

    func publish(_ publication: Publication, token: UInt64) {
        let line = LogOutput.clean("\(publication.topic) \(String(decoding: publication.payload, as: UTF8.self))")
        // Without a reader, as with `head`, there is nothing left to do.
        guard LogOutput.write(line + "\n", to: LogOutput.standardOutput) else { ProgramFailure.exitProcess(0) }
        if publication.qualityOfService > 0 { post(.acknowledged(token)) }
    }

    func disconnect() { post(.closed(BrokerFailure(.requested, "the dry run has ended"))) }

    private func post(_ event: BrokerEvent) {
        let broker = loop.bound(self)
        loop.perform { broker.value.handler?(event) }
    }
}
