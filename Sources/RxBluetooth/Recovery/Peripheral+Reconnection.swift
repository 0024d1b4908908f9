import Rx

extension Peripheral {
    /// A connection under supervision; refused while there is another.
    func reconnecting(_ options: ConnectOptions, _ policy: Reconnection) -> Observable<Peripheral> {
        Observable.deferred { [self] in
            guard let access = present else { throw BluetoothError(.closed) }
            if let limit = policy.limit, limit <= .zero {
                let error = BluetoothError(.invalidArgument, dbusMessage: "Reconnection.limit must be longer than zero")
                throw error.during(.connect, address.description)
            }
            let reconnector = Reconnector(self, access, options, policy)
            guard claim(reconnector) else {
                throw BluetoothError(.alreadyConnected, operation: .connect, target: address.description)
            }
            return reconnector.run()
                // Before the error is told, so that who hears it may connect again at once (S15).
                .do(
                    onError: { [self] error in
                        release(reconnector, (error as? BluetoothError) ?? BluetoothError(.disconnected(.unknown)))
                    },
                    onDispose: { [self] in release(reconnector, BluetoothError(.disconnected(.requested))) })
        }
    }

    private func release(_ reconnector: Reconnector, _ cause: BluetoothError) {
        if free(reconnector) { reconnector.failResumptions(cause) }
    }

    /// What goes on when the link comes up again, where it belongs to a supervised connection (S78): the stream is subscribed
    /// to anew each time, and its failures by a lost link are not told. `link` is the connection that it belongs
    /// to; nil for whichever there is.
    func resumingAfterReconnect<Element: Sendable>(
        _ stream: Observable<Element>, link: UInt64? = nil
    ) -> Observable<Element> {
        Observable.deferred { [self] in
            guard let reconnector, link == nil || link == reconnector.number else { return stream }
            let epoch = Guarded(UInt64(0))
            return Observable.deferred {
                let current = reconnector.epoch
                epoch.withLock { $0 = current }
                return stream
            }
            .retry(when: { errors in
                errors.flatMap { try reconnector.resumption(after: $0, in: epoch.withLock { $0 }) }
            })
        }
    }
}
