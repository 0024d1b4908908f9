import Rx
import RxBluetooth

/// Finds a device by its name after its private address has changed.
///
/// bluetoothd keeps the earlier address for 30 s, so a command may try to connect to it. Only a device with the same
/// name and a private address counts as the same device. A device that the command has heard has its present address,
/// and another one of the same name must not replace it if it connects slowly.
struct ChangedAddressSearch {
    let context: CommandContext
    /// The device with its earlier address.
    let earlier: DeviceCandidates.Candidate
    /// The time limit for finding, connecting and discovering together.
    let limit: Duration
    private let name: String

    /// How long to connect to the earlier address before the search begins. Most connections take less.
    private static let delay = Duration.seconds(2)

    /// Makes a search for a device that is only remembered.
    ///
    /// Nil if the device was heard, if the address is not private, or if the target is not the name or a part of it.
    init?(context: CommandContext, target: Target, earlier: DeviceCandidates.Candidate, limit: Duration) {
        guard !earlier.isHeard, earlier.peripheral.hasPrivateAddress, target.isPartOfName(of: earlier),
            let name = earlier.name
        else { return nil }
        self.context = context
        self.earlier = earlier
        self.limit = limit
        self.name = name
    }

    /// The search has found the device while the attempt to connect to the earlier address was under way.
    private struct AddressChanged: Error {
        let present: DeviceCandidates.Candidate
    }

    /// Connects to the earlier address, and to the present one instead if it is found before a link is made.
    ///
    /// If the attempt fails because the device does not answer, the search goes on until the time limit.
    ///
    /// - Parameters:
    ///   - attempt: The connection to the earlier address.
    ///   - onFailure: Called with the error of the attempt before the search goes on.
    ///   - connect: Returns the connection to the present address.
    func follow(
        _ attempt: Observable<Peripheral>, onFailure: @escaping @Sendable (BluetoothError) -> Void,
        connect: @escaping @Sendable (DeviceCandidates.Candidate) -> Observable<Peripheral>
    ) -> Observable<Peripheral> {
        Observable.deferred {
            let isConnected = Guarded(false)
            let found = context.timer(min(Self.delay, limit / 4)).flatMap { _ in find() }
                .flatMap { present -> Observable<Peripheral> in
                    guard let present else { return .never() }
                    throw AddressChanged(present: present)
                }
            return attempt.do(onNext: { _ in isConnected.withLock { $0 = true } })
                .amb(found)
                .catch { error in
                    if let changed = error as? AddressChanged { return connect(changed.present) }
                    guard let cause = error as? BluetoothError, cause.isOfUnansweredConnect,
                        !isConnected.withLock(\.self)
                    else { throw error }
                    onFailure(cause)
                    return find().flatMap { present -> Observable<Peripheral> in
                        guard let present else { throw error }
                        return connect(present)
                    }
                }
        }
    }

    /// Emits the device with its present address, or nil if it still has the earlier one, and completes.
    ///
    /// Emits nil also if the scan fails. Fails if several devices have the name. Never ends if no device is heard.
    private func find() -> Observable<DeviceCandidates.Candidate?> {
        let heard = context.manager.scanForPeripherals().share()
        let others = heard.filter { sighting in
            sighting.peripheral != earlier.peripheral && sighting.name == name && sighting.peripheral.hasPrivateAddress
        }
        let settled = others.take(1).flatMap { _ in context.timer(min(DeviceFinder.settling, limit / 4)) }
        let present = others.take(until: settled).toArray().asObservable()
            .map { sightings -> DeviceCandidates.Candidate? in
                let target = Target.part(name)
                return try DeviceCandidates(sightings, matching: target).choose(for: target)
            }
        let unchanged = heard.filter { $0.peripheral == earlier.peripheral }
            .map { _ -> DeviceCandidates.Candidate? in nil }
        // A connected device does not advertise, and its services may be read before the connection is ready.
        let connected = earlier.peripheral.isConnectedInBlueZ.filter { $0 }
            .map { _ -> DeviceCandidates.Candidate? in nil }
        return Observable<DeviceCandidates.Candidate?>.merge([present, unchanged, connected])
            .take(1)
            .catch { error in
                guard error is BluetoothError else { throw error }
                return .just(nil)
            }
    }
}

extension Peripheral {
    /// Whether the address is random, and not static: the device changes it about every 15 minutes.
    ///
    /// Source: Core Specification 5.4, Vol 6, Part B, 1.3.2.
    var hasPrivateAddress: Bool { addressKind == .random && address.number >> 47 == 0 }
}

extension BluetoothError {
    /// Whether no link was made because the device did not answer.
    fileprivate var isOfUnansweredConnect: Bool {
        switch kind {
        case .timedOut, .connectFailed, .peripheralGone: operation == .connect
        default: false
        }
    }
}
