import DBus
import Rx

/// A central that uses the services which a client of the simulated bluetoothd has registered.
///
/// It has one link to one adapter, with one ATT request at a time, like a real central. Its methods may be called from
/// any thread. Their effects happen in the bus's context, in order.
public final class SimulatedCentral: Sendable {
    /// An answer that a central waits for.
    public final class Response: Sendable {
        private let state = Guarded(Result<[UInt8], CentralLink.ATTFailure>?.none)

        init() {}

        /// Whether no answer has arrived yet.
        public var isOpen: Bool { state.withLock { $0 == nil } }
        /// The value that was read, or empty after a write; nil without an answer, and after an error.
        public var value: [UInt8]? { state.withLock { try? $0?.get() } }
        /// The ATT error; nil without an answer, and after success.
        public var error: UInt8? {
            state.withLock { if case .failure(let failure)? = $0 { failure.code } else { nil } }
        }

        func end(_ result: Result<[UInt8], CentralLink.ATTFailure>) { state.withLock { $0 = result } }
    }

    /// A notified or indicated value.
    public struct Update: Hashable, Sendable {
        /// The UUID of the characteristic, with 32 digits.
        public let characteristic: String
        /// The bytes, which the MTU may have cut off.
        public let value: [UInt8]
    }

    private let simulation: SimulatedBlueZ
    private let address: String
    private let adapter: Int
    private let mtu: Int
    private let received = ReceivedUpdates()
    private let updated: (@Sendable (Update) -> Void)?
    // Guard: used only in the context of the simulation.
    private let link = LinkPlace()

    private final class ReceivedUpdates: Sendable {
        let all = Guarded([Update]())
    }

    // Guard: used only in the context of the simulation.
    private final class LinkPlace: @unchecked Sendable {
        // Guard: used only in the context of the simulation.
        var link: CentralLink?
    }

    init(
        _ simulation: SimulatedBlueZ, _ address: String, adapter: Int, mtu: Int,
        updated: (@Sendable (Update) -> Void)? = nil
    ) {
        self.simulation = simulation
        self.address = address
        self.adapter = adapter
        self.mtu = mtu
        self.updated = updated
    }

    /// The values that the central has received so far.
    public var updates: [Update] { received.all.withLock { $0 } }

    /// Connects again after ``disconnect()``, with new subscriptions.
    public func connect() {
        simulation.control { [self] environment, daemon in
            guard let adapter = daemon?.adapter(adapter), link.link?.isUp != true,
                let device = adapter.linked(to: environment.radio.described(address))
            else { return }
            // The link does not retain the central, which retains the link.
            let new = CentralLink(adapter.applications, device, mtu: mtu) { [received, updated] attribute, value in
                let update = Update(characteristic: attribute.characteristic, value: value)
                received.all.withLock { $0.append(update) }
                updated?(update)
            }
            link.link = new
            adapter.applications.add(new)
            device.link?.centrals.append(new)
        }
    }

    /// Ends the link at once. Requests in progress get no answer, and subscriptions end.
    public func disconnect() {
        perform { link in link.device.linkEnded() }
    }

    /// Returns the UUIDs of the characteristics that the central discovers, in the order of their handles.
    public func discover(_ done: @escaping @Sendable ([String]) -> Void) {
        perform { link in
            done(link.manager.attributes.filter { $0.descriptor == nil }.map(\.characteristic))
        }
    }

    /// Reads a whole value, in as many requests as the MTU requires.
    ///
    /// With `offset`, reads one part that begins there.
    public func read(
        _ characteristic: String, descriptor: String? = nil, index: Int = 0, offset: Int? = nil
    ) -> Response {
        respond { link, done in
            let attribute = link.manager.attribute(characteristic, descriptor, index: index)
            if let offset { link.read(attribute, at: offset, done) } else { link.readAll(attribute, done) }
        }
    }

    /// Writes a value with response.
    ///
    /// A value that does not fit into a packet is prepared in parts and executed.
    public func write(
        _ value: [UInt8], to characteristic: String, descriptor: String? = nil, index: Int = 0
    ) -> Response {
        respond { [mtu] link, done in
            let attribute = link.manager.attribute(characteristic, descriptor, index: index)
            guard value.count > mtu - 3 else { return link.write(value, to: attribute, done) }
            for start in stride(from: 0, to: value.count, by: mtu - 5) {
                let part = Array(value[start..<min(start + mtu - 5, value.count)])
                link.prepare(part, at: start, to: attribute) { _ in }
            }
            link.execute(done)
        }
    }

    /// Writes a value without response.
    public func writeWithoutResponse(_ value: [UInt8], to characteristic: String, index: Int = 0) {
        perform { link in
            link.writeCommand(value, to: link.manager.attribute(characteristic, nil, index: index))
        }
    }

    /// Prepares a write at any offset.
    @discardableResult
    public func prepare(_ value: [UInt8], at offset: Int, to characteristic: String, index: Int = 0) -> Response {
        respond { link, done in
            let attribute = link.manager.attribute(characteristic, nil, index: index)
            link.prepare(value, at: offset, to: attribute, done)
        }
    }

    /// Executes the prepared writes, or discards them.
    public func execute(discarding: Bool = false) -> Response {
        respond { link, done in link.execute(discarding: discarding, done) }
    }

    /// Subscribes to notifications, or to indications.
    @discardableResult
    public func subscribe(
        to characteristic: String, indications: Bool = false, index: Int = 0
    ) -> Response {
        configure(indications ? 2 : 1, characteristic, index)
    }

    /// Ends the subscription to a characteristic.
    @discardableResult
    public func unsubscribe(from characteristic: String, index: Int = 0) -> Response {
        configure(0, characteristic, index)
    }

    private func configure(_ value: UInt16, _ characteristic: String, _ index: Int) -> Response {
        respond { link, done in
            link.subscribe(value, to: link.manager.attribute(characteristic, nil, index: index), done)
        }
    }

    /// Calls a request's `done` in the context of the simulation.
    func read(_ characteristic: String, index: Int, _ done: @escaping @Sendable (SimulatedAnswer) -> Void) {
        perform { link in
            link.readAll(link.manager.attribute(characteristic, nil, index: index)) { done(SimulatedAnswer($0)) }
        }
    }

    func write(
        _ value: [UInt8], to characteristic: String, index: Int, _ done: @escaping @Sendable (SimulatedAnswer) -> Void
    ) {
        perform { link in
            let attribute = link.manager.attribute(characteristic, nil, index: index)
            link.write(value, to: attribute) { done($0.map { _ in [] }.isSuccess ? .accepted : SimulatedAnswer($0)) }
        }
    }

    private func respond(_ work: @escaping @Sendable (CentralLink, @escaping CentralLink.Done) -> Void) -> Response {
        let response = Response()
        perform { link in work(link) { response.end($0) } }
        return response
    }

    /// Runs work with the link. Without a link, nothing happens.
    private func perform(_ work: @escaping @Sendable (CentralLink) -> Void) {
        simulation.control { [link] _, _ in
            if let link = link.link, link.isUp { work(link) }
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

extension SimulatedAnswer {
    fileprivate init(_ result: Result<[UInt8], CentralLink.ATTFailure>) {
        switch result {
        case .success(let value): self = .value(value)
        case .failure(let failure): self = .error(failure.code)
        }
    }
}

extension SimulatedBlueZ {
    /// Connects a central to an adapter, so that it can use the services that clients have registered.
    ///
    /// bluetoothd shows the central as a connected device. If a peripheral has the address, it becomes the central.
    ///
    /// - Parameters:
    ///   - address: The address of the central.
    ///   - mtu: The MTU of the link, from 23 to 517. Default: 23, the default of LE.
    ///   - adapter: The number of the adapter. Default: 0.
    ///   - file: The file of the call, for the error of a mistake.
    ///   - line: The line of the call.
    public func connectCentral(
        _ address: String = "DA:00:00:00:00:01", mtu: Int = 23, adapter: Int = 0, file: StaticString = #fileID,
        line: UInt = #line
    ) -> SimulatedCentral {
        if !(23...517).contains(mtu) { names.fail("The MTU \(mtu) is not possible.", file, line) }
        return central(address, mtu: max(23, min(517, mtu)), adapter: adapter, file, line)
    }

    private func central(
        _ address: String, mtu: Int, adapter: Int, _ file: StaticString, _ line: UInt,
        updated: (@Sendable (SimulatedCentral.Update) -> Void)? = nil
    ) -> SimulatedCentral {
        if !names.contains(address) { add(SimulatedPeripheral("", address: address), file: file, line: line) }
        let central = SimulatedCentral(self, address, adapter: adapter, mtu: mtu, updated: updated)
        central.connect()
        return central
    }

    /// Shows the services that clients have registered with an adapter as a peripheral.
    ///
    /// Another manager, which uses another adapter, can then use them as a central. The peripheral has the services and
    /// characteristics of that moment, without their descriptors. It is connected to the adapter under its own address.
    ///
    /// - Parameters:
    ///   - address: The address of the peripheral.
    ///   - adapter: The number of the adapter that the services are registered with. Default: 0.
    ///   - mtu: The MTU of the link. Default: 247.
    ///   - file: The file of the call, for the error of a mistake.
    ///   - line: The line of the call.
    /// - Returns: The central that passes requests on to the adapter.
    @discardableResult
    public func showPublishedServices(
        as address: String, adapter: Int = 0, mtu: Int = 247, file: StaticString = #fileID, line: UInt = #line
    ) -> SimulatedCentral {
        let own = "DA" + address.dropFirst(2)
        let central = central(own, mtu: mtu, adapter: adapter, file, line) { [weak self] update in
            self?.hold(update.value, for: address, update.characteristic, 0, notifying: true)
        }
        control { [self] environment, daemon in
            guard let attributes = daemon?.adapter(adapter)?.applications.attributes else { return }
            let peripheral = SimulatedPeripheral(address: address, showing: attributes, through: central)
            guard names.add(peripheral, file, line) else { return }
            environment.radio.add(peripheral)
        }
        return central
    }
}

extension SimulatedPeripheral {
    /// Makes a peripheral that passes requests on to registered services.
    fileprivate init(address: String, showing attributes: [PublishedAttribute], through central: SimulatedCentral) {
        self.init("Published", address: address) { SimulatedAdvertisement(every: .milliseconds(100), rssi: -50) }
        var counts: [String: Int] = [:]
        for attribute in attributes where attribute.descriptor == nil {
            let index = counts[attribute.characteristic, default: 0]
            counts[attribute.characteristic] = index + 1
            let characteristic = SimulatedCharacteristic(showing: attribute, index, through: central)
            if services.last?.uuid == attribute.service {
                services[services.count - 1].characteristics.append(characteristic)
            } else {
                services.append(SimulatedService(attribute.service) { characteristic })
            }
        }
    }
}

extension SimulatedCharacteristic {
    fileprivate init(showing attribute: PublishedAttribute, _ index: Int, through central: SimulatedCentral) {
        self.init(attribute.characteristic)
        let uuid = attribute.characteristic
        if attribute.offers("read") {
            behaviours.append(.read { _ in .deferred { central.read(uuid, index: index, $0) } })
        }
        if attribute.flags.contains("write-without-response") {
            behaviours.append(.writeWithoutResponse { central.writeWithoutResponse($0, to: uuid, index: index) })
        }
        if attribute.offers("write") {
            behaviours.append(.write { value in .deferred { central.write(value, to: uuid, index: index, $0) } })
        }
        let indicates = !attribute.offers("notify")
        guard !indicates || attribute.offers("indicate") else { return }
        let notifications = SimulatedNotifications(switched: { isOn in
            if isOn {
                central.subscribe(to: uuid, indications: indicates, index: index)
            } else {
                central.unsubscribe(from: uuid, index: index)
            }
        })
        behaviours.append(SimulatedBehaviour(kind: indicates ? .indicate(notifications) : .notify(notifications)))
    }
}

extension DaemonAdapter {
    /// Returns the device of a central, with a link that the central has established; nil if the adapter is off.
    fileprivate func linked(to deviceState: SimulatedDeviceState) -> DaemonDevice? {
        guard isPowered else { return nil }
        let device: DaemonDevice
        if let known = devices[deviceState.address] {
            device = known
        } else {
            device = add(DaemonDevice(deviceState.address, on: self))
            device.appear()
        }
        if device.link == nil { device.established(ConnectionAttempt(nil), with: deviceState) }
        return device
    }
}
