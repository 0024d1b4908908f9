import Rx

extension Peripheral {
    /// A connection under supervision; refused while there is another.
    func supervised(_ options: ConnectOptions, _ policy: Reconnection) -> Observable<Peripheral> {
        Observable.deferred { [self] in
            guard let access = present else { throw BluetoothError(.closed) }
            if let limit = policy.limit, limit <= .zero {
                let error = BluetoothError(.invalidArgument, dbusMessage: "Reconnection.limit must be longer than zero")
                throw error.during(.connect, address.description)
            }
            let supervision = Supervision(self, access, options, policy)
            guard claim(supervision) else {
                throw BluetoothError(.alreadyConnected, operation: .connect, target: address.description)
            }
            return supervision.run()
                // Before the error is told, so that who hears it may connect again at once (S15).
                .do(
                    onError: { [self] error in
                        release(supervision, (error as? BluetoothError) ?? BluetoothError(.disconnected(.unknown)))
                    },
                    onDispose: { [self] in release(supervision, BluetoothError(.disconnected(.requested))) })
        }
    }

    private func release(_ supervision: Supervision, _ cause: BluetoothError) {
        if free(supervision) { supervision.isOver(cause) }
    }

    /// What goes on when the link comes up again, where it belongs to a supervised connection (S78): the stream is subscribed
    /// to anew each time, and its failures by a lost link are not told. `link` is the connection that it belongs
    /// to; nil for whichever there is.
    func surviving<Element: Sendable>(_ stream: Observable<Element>, link: UInt64? = nil) -> Observable<Element> {
        Observable.deferred { [self] in
            guard let supervision, link == nil || link == supervision.number else { return stream }
            let epoch = Guarded(UInt64(0))
            return Observable.deferred {
                let current = supervision.epoch
                epoch.withLock { $0 = current }
                return stream
            }
            .retry(when: { errors in
                errors.flatMap { try supervision.revival(after: $0, in: epoch.withLock { $0 }) }
            })
        }
    }
}
