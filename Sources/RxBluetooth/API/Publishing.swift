public import Rx

extension BluetoothManager {
    /// Publishes services of this computer, so that centrals can discover and use them.
    ///
    /// Emits a ``PublishedServices`` when bluetoothd has registered the services, and does not complete. Cold: each
    /// subscription registers the services once more, and disposing unregisters them. Delivers on the manager's queue,
    /// where the functions of ``LocalCharacteristic`` also run.
    ///
    /// To let centrals find and connect to this computer, also call ``advertise(_:)`` with a connectable advertisement.
    ///
    ///     manager.publish([LocalService(0x180F, characteristics: [level])])
    ///         .subscribe(onNext: { published in … })
    ///
    /// The services stay registered while the adapter is off. If bluetoothd stops, or the adapter or the bus is lost,
    /// the streams of the ``PublishedServices`` complete. With `resumes`, the services are then registered again as
    /// soon as possible, and the stream emits another ``PublishedServices``.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/invalidArgument`` before anything is sent, if there is no service, a service or
    ///   descriptor is one that bluetoothd has itself, an included service does not come first, a characteristic has no
    ///   properties, or a value is longer than 512 bytes.
    /// - ``BluetoothError/Kind/registrationFailed(_:)`` if bluetoothd rejects the services.
    /// - ``BluetoothError/Kind/timedOut`` if bluetoothd does not answer within ``Deadlines/operation``.
    /// - ``BluetoothError/Kind/overflow`` if ``LocalCharacteristic/updates`` fill a buffer that fails.
    /// - ``BluetoothError/Kind/daemonUnavailable`` or a similar error if Bluetooth cannot be used. Without `resumes`,
    ///   also later.
    ///
    /// Source: BlueZ, `gatt-api.txt`, `RegisterApplication`.
    ///
    /// - Parameters:
    ///   - services: The services, in the order of their handles.
    ///   - resumes: Whether the stream waits until Bluetooth can be used, at the start and later. Default: true.
    public func publish(_ services: [LocalService], resumes: Bool = true) -> Observable<PublishedServices> {
        let (access, selection) = (access, selection)
        let registration: Observable<PublishedServices> = access.operation(.publish) {
            (client, emitter) throws(BluetoothError) in
            try client.publishing.start(services, selection, emitter)
        }
        // Runs the functions of the description as long as the services are registered.
        let served = registration.flatMapLatest { published in
            Observable.merge(.just(published), published.serve(services))
        }
        guard resumes else { return served }
        return Observable.deferred {
            let failures = Guarded(0)
            return Observable.deferred { access.waitUntilUsable(selection) }
                .flatMap { _ in served.do(onNext: { _ in failures.withLock { $0 = 0 } }) }
                .retry(when: { errors in
                    errors.flatMap { error -> Observable<Int> in
                        guard let error = error as? BluetoothError, error.isOutage else { throw error }
                        let count = failures.withLock { failures in
                            failures += 1
                            return failures
                        }
                        // After the first failure there is no pause: the retry waits until Bluetooth is usable.
                        var backoff = Backoff(first: .milliseconds(250), longest: .seconds(30))
                        return access.pause(count == 1 ? .zero : backoff.pause(after: count - 1))
                    }
                })
                .catch { throw ($0 as? BluetoothError)?.during(.publish, nil) ?? $0 }
        }
    }
}

/// Services that bluetoothd has registered: their requests and subscribers, and the values to send.
///
/// All streams complete when the services are no longer published, also because the manager is closed or released. The
/// object does not keep the manager alive, but the subscription that has emitted it does. All methods may be called on
/// any thread.
public final class PublishedServices: Sendable {
    private let access: AccessReference
    private let application: Confined<PublishedApplication>

    init(_ access: BlueZAccess, _ application: Confined<PublishedApplication>) {
        self.access = AccessReference(access)
        self.application = application
    }

    /// Observes the reads that neither a function nor a value of the description answers.
    ///
    /// These are ``LocalCharacteristic/onRead`` and ``LocalCharacteristic/value``.
    ///
    /// Emits the reads that are still open first, then each new one. Answer each with ``ATTRequest/respond(with:)`` or
    /// ``ATTRequest/respond(withError:)``. Cold; never fails. Delivers on the manager's queue.
    public func observeDidReceiveRead() -> Observable<ATTRequest> { stream { $0.observeReads($1) } }

    /// Observes the writes that ``LocalCharacteristic/onWrite`` does not answer.
    ///
    /// Works like ``observeDidReceiveRead()``.
    public func observeDidReceiveWrite() -> Observable<ATTRequest> { stream { $0.observeWrites($1) } }

    /// Observes the subscriptions of centrals to notifications or indications.
    ///
    /// Emits for each central that subscribes. bluetoothd does not name the central. Cold; never fails. Delivers on the
    /// manager's queue.
    public func observeOnSubscribe() -> Observable<LocalSubscription> { stream { $0.subscriptions.add($1) } }

    /// Observes the end of the subscriptions to a characteristic.
    ///
    /// Emits when the last central has unsubscribed or its link was lost; bluetoothd does not report earlier ones. The
    /// subscription of a bonded central outlives its link. Cold; never fails. Delivers on the manager's queue.
    public func observeOnUnsubscribe() -> Observable<LocalSubscription> { stream { $0.unsubscriptions.add($1) } }

    /// Observes whether a central is subscribed to a characteristic.
    ///
    /// Emits the present state first, then each change. Completes at once if there is no such characteristic, or if it
    /// can neither notify nor indicate. Cold; never fails. Delivers on the manager's queue.
    ///
    /// - Parameters:
    ///   - characteristic: The UUID; of several characteristics, the first is observed.
    ///   - service: The UUID of the service. Default: nil, any.
    public func observeIsSubscribed(
        _ characteristic: BluetoothUUID, of service: BluetoothUUID? = nil
    ) -> Observable<Bool> {
        stream { application, emitter in
            guard let notifier = application.notifier(of: characteristic, service) else { return emitter.complete() }
            notifier.observe(emitter)
        }
    }

    /// Notifies or indicates a value to the subscribed centrals.
    ///
    /// Emits true when bluetoothd has received the value or, for a characteristic that only indicates, when a central
    /// has confirmed it. Emits false if the value is not sent: no central is subscribed, the last one unsubscribes, the
    /// services are no longer published, or the buffer drops it. Cold: each subscription sends the value once. To send
    /// the next value only after the last one, subscribe one after another, for example with `concatMap`. Delivers on
    /// the manager's queue.
    ///
    /// bluetoothd cuts a value off at the ``Central/maximumUpdateValueLength`` of each central.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/invalidArgument`` for more than 512 bytes.
    /// - ``BluetoothError/Kind/attributeNotFound`` if no such characteristic can notify or indicate.
    /// - ``BluetoothError/Kind/overflow`` if the buffer is full and its ``ValueBuffer/overflow`` is
    ///   ``ValueBuffer/Overflow/fail``.
    /// - ``BluetoothError/Kind/timedOut`` if a value is neither received nor confirmed within ``Deadlines/operation``.
    ///
    /// - Parameters:
    ///   - value: The bytes, at most 512.
    ///   - characteristic: The UUID; of several characteristics, the first sends the value.
    ///   - service: The UUID of the service. Default: nil, any.
    public func updateValue(
        _ value: [UInt8], for characteristic: BluetoothUUID, of service: BluetoothUUID? = nil
    ) -> Single<Bool> {
        stream(ifGone: false) { application, emitter in
            guard let notifier = application.notifier(of: characteristic, service) else {
                return emitter.fail(BluetoothError(.attributeNotFound).during(.publish, "\(characteristic)"))
            }
            notifier.send(value, emitter)
        }
        .asSingle()
    }

    /// Returns a stream that works with the application while it is registered.
    ///
    /// - Parameter element: The last element if the application is not registered any more. Default: none.
    private func stream<Element: Sendable>(
        ifGone element: Element? = nil, _ begin: @escaping @Sendable (PublishedApplication, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        let stream: Observable<Element> = access.stream { [application] client, emitter in
            guard let application = application.value(in: client.bus), application.isActive else {
                return element.map(emitter.finish) ?? emitter.complete()
            }
            begin(application, emitter)
        }
        // Without a manager, nothing is published any more.
        return stream.catch { error in
            guard (error as? BluetoothError)?.kind == .closed else { throw error }
            return element.map(Observable.just) ?? .empty()
        }
    }
}

/// A characteristic to which a central has subscribed or unsubscribed.
public struct LocalSubscription: Hashable, Sendable {
    /// The UUID of the service.
    public let service: BluetoothUUID
    /// The UUID of the characteristic.
    public let characteristic: BluetoothUUID

    init(_ attribute: LocalAttribute) {
        service = attribute.service
        characteristic = attribute.characteristic
    }
}

// MARK: - The functions of the description
extension PublishedServices {
    /// Answers requests with the functions of the description, and sends their updates. Emits nothing.
    fileprivate func serve(_ services: [LocalService]) -> Observable<PublishedServices> {
        let requests: Observable<OpenRequest> = stream { $0.observeHandled($1) }
        var parts = [requests.flatMap { $0.answer(by: services) }]
        for (index, service) in services.enumerated() {
            for (number, characteristic) in service.characteristics.enumerated() {
                guard let updates = characteristic.updates else { continue }
                parts.append(send(updates, index, number))
            }
        }
        return .merge(parts)
    }

    private func send(
        _ updates: Observable<[UInt8]>, _ service: Int, _ characteristic: Int
    ) -> Observable<PublishedServices> {
        let isSubscribed: Observable<Bool> = stream { application, emitter in
            guard let notifier = application.notifier(service, characteristic) else { return emitter.complete() }
            notifier.observe(emitter)
        }
        return isSubscribed.flatMapLatest { $0 ? updates : .empty() }
            .flatMap { [application] value -> Observable<PublishedServices> in
                application.perform { application in
                    application.notifier(service, characteristic)?.send(value, nil)
                }
                return .empty()
            }
    }
}

extension PublishedApplication {
    /// Returns the sender of a characteristic; nil if it can neither notify nor indicate.
    fileprivate func notifier(_ service: Int, _ characteristic: Int) -> UpdateSender? {
        objects.characteristics
            .first { $0.serviceIndex == service && $0.characteristicIndex == characteristic }
            .flatMap { notifiers[$0] }
    }
}

extension OpenRequest {
    /// The function of the description that answers this request; nil if there is none.
    func handler(of services: [LocalService]) -> (@Sendable (ATTRequest) -> Single<[UInt8]>)? {
        let characteristic = services[attribute.serviceIndex].characteristics[attribute.characteristicIndex]
        let descriptor = attribute.descriptorIndex.map { characteristic.descriptors[$0] }
        if request.operation == .read { return descriptor == nil ? characteristic.onRead : descriptor?.onRead }
        guard let write = descriptor == nil ? characteristic.onWrite : descriptor?.onWrite else { return nil }
        return { request in write(request).andThen(Single<[UInt8]>.just([])) }
    }

    /// Answers the request. Emits nothing and never fails.
    fileprivate func answer(by services: [LocalService]) -> Observable<PublishedServices> {
        guard let handler = handler(of: services) else { return .empty() }
        let answers = handler(request).asObservable().take(until: request.outcome.asObservable())
            .do(
                onNext: { [request] value in
                    guard (try? request.respond(with: value)) == nil else { return }
                    request.respond(withError: .invalidValueLength)
                },
                onError: { [request] error in request.respond(withError: error as? ATTError ?? .unlikelyError) })
        return answers.flatMap { _ in Observable<PublishedServices>.empty() }.catch { _ in .empty() }
    }
}
