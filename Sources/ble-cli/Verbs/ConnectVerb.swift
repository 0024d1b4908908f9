import Rx
import RxBluetooth

/// Connects, shows all that the peripheral has, with the values that can be read, and disconnects.
struct ConnectVerb: Verb {
    let target: Target

    func run(in session: Session) -> Observable<Never> {
        Connecting(session: session, target: target)
            .use { catalogue in
                let items = Self.items(of: catalogue)
                guard session.options.json else { return items.do(onNext: { try session.output.line($0.line) }) }
                let time = session.scheduler.now
                return items.toArray().asObservable().do(onNext: {
                    try session.output.line(TreeJSON.object($0, at: time).text)
                })
                .flatMap { Observable.from($0) }
            }
            .ignoreElements()
    }

    /// Everything from the top to the leaves, each with its value read when its turn comes.
    private static func items(of catalogue: Catalogue) -> Observable<TreeItem> {
        Observable.just(TreeItem.peripheral(catalogue.peripheral))
            .concat(
                Observable.from(catalogue.entries).concatMap { entry in
                    Observable.just(TreeItem.service(entry.service))
                        .concat(Observable.from(entry.characteristics).concatMap { items(of: $0) })
                })
    }

    private static func items(of characteristic: Characteristic) -> Observable<TreeItem> {
        let item: Observable<TreeItem> =
            characteristic.properties.contains(.read)
            ? value(characteristic.readValue()).map { .characteristic(characteristic, $0) }
            : .just(.characteristic(characteristic, nil))
        return item.concat(
            characteristic.discoverDescriptors().concatMap { descriptor in
                value(descriptor.readValue()).map { .descriptor(descriptor, $0) }
            })
    }

    /// A value, or why it cannot be read, which is part of the picture. Only a lost link ends it.
    private static func value(_ read: Single<[UInt8]>) -> Observable<TreeItem.Value> {
        read.asObservable().map { .success($0) }.catch { error in
            guard let error = error as? BluetoothError else { throw error }
            switch error.kind {
            case .disconnected, .notConnected, .daemonUnavailable, .busUnavailable, .closed: throw error
            default: return .just(.failure(error))
            }
        }
    }
}
