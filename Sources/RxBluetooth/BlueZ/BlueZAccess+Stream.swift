import Rx

extension BlueZAccess {
    /// A cold stream whose work happens in the bus's context: `begin` runs there for each subscription, and whatever it
    /// hands to ``Emitter/onEnd(_:)`` undoes it there. Elements are delivered on the manager's scheduler.
    func stream<Element: Sendable>(
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        Self.stream({ () throws(BluetoothError) in self }, begin).observe(on: settings.scheduler)
    }

    /// The same for somebody who does not keep the manager alive by himself; the subscription does. It still delivers in the
    /// bus's context.
    static func stream<Element: Sendable>(
        _ access: @escaping @Sendable () throws(BluetoothError) -> BlueZAccess,
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        Observable<Element>.create { observer in
            do throws(BluetoothError) {
                let access = try access()
                let handle = try access.client()
                let emitter = handle.client.sibling(Emitter<Element> { observer.on($0) })
                let isGivenUp = Guarded(false)
                handle.perform { client in
                    // What was given up before its turn is never begun (S57).
                    if !isGivenUp.withLock({ $0 }) { begin(client, emitter.value) }
                }
                return Disposables.create {
                    isGivenUp.withLock { $0 = true }
                    withExtendedLifetime(access) { handle.perform { _ in emitter.value.dispose() } }
                }
            } catch {
                observer.onError(error)
                return Disposables.create()
            }
        }
    }
}
