import DBus

/// A request with its attribute.
struct OpenRequest: Sendable {
    let request: ATTRequest
    let attribute: LocalAttribute
}

/// The requests of centrals to published services.
extension PublishedApplication {
    /// How many requests wait for answers at most. A central has one request at a time, but any number of writes
    /// without response.
    static let highestOpenCount = 256

    /// A request that waits for an answer of the user.
    struct Open {
        let open: OpenRequest
        let call: IncomingCall
        let deadline: BusTask
    }

    func received(_ call: IncomingCall, isRead: Bool, _ attribute: LocalAttribute) {
        let parsed: LocalRequest
        do throws(DBusError) { parsed = try LocalRequest(call.message, isRead: isRead) } catch {
            client.mirror.recordRejection()
            return call.fail(DBusError(name: "org.bluez.Error.InvalidArguments", message: "Invalid arguments"))
        }
        if parsed.isPreparation { return call.reply() }
        if isRead { return read(call, parsed, attribute) }
        if let flaw = parsed.flaw { return call.fail(flaw.dbusError) }
        ask(call, parsed, attribute) { result in
            switch result {
            case .success: call.reply()
            case .failure(let error): call.fail(error.dbusError)
            }
        }
    }

    /// Answers a read. The parts of a long value come from the value of the first part.
    private func read(_ call: IncomingCall, _ parsed: LocalRequest, _ attribute: LocalAttribute) {
        let key = LongReads.Key(device: parsed.device, attribute: attribute)
        if parsed.offset > 0, let value = longReads[key] { return Self.reply(call, value, from: parsed.offset) }
        if let value = staticValue(of: attribute) { return Self.reply(call, value, from: parsed.offset) }
        ask(call, parsed, attribute) { [weak self] result in
            switch result {
            case .success(let value):
                self?.longReads.begin(value, key, packetLength: parsed.packetLength)
                Self.reply(call, value, from: parsed.offset)
            case .failure(let error): call.fail(error.dbusError)
            }
        }
    }

    private static func reply(_ call: IncomingCall, _ value: [UInt8], from offset: Int) {
        guard offset <= value.count else { return call.fail(ATTError.invalidOffset.dbusError) }
        call.reply { (body) throws(DBusError) in body.bytes(Array(value.dropFirst(offset))) }
    }

    /// The value of an attribute that no function of the user answers; nil if there is none.
    private func staticValue(of attribute: LocalAttribute) -> [UInt8]? {
        let characteristic = services[attribute.serviceIndex].characteristics[attribute.characteristicIndex]
        guard let index = attribute.descriptorIndex else {
            return characteristic.onRead == nil ? characteristic.value : nil
        }
        let descriptor = characteristic.descriptors[index]
        return descriptor.onRead == nil ? descriptor.value : nil
    }

    /// Passes a request on to the user, and the answer to `answered`.
    private func ask(
        _ call: IncomingCall, _ parsed: LocalRequest, _ attribute: LocalAttribute,
        _ answered: @escaping (Result<[UInt8], ATTError>) -> Void
    ) {
        guard open.count < Self.highestOpenCount else {
            droppedCount += 1
            client.eventLog.info(.requestDropped(total: droppedCount))
            return call.fail(ATTError.unlikelyError.dbusError)
        }
        let done = client.bus.callback { [weak self] (result: Result<[UInt8], ATTError>) in
            self?.close(call)
            answered(result)
        }
        let central = parsed.device.map { device in
            Central(
                address: device.address, peripheral: client.mirror.devices[device]?.peripheral,
                maximumUpdateValueLength: max(parsed.mtu ?? 23, 23) - 3)
        }
        let operation: ATTRequest.Operation =
            parsed.isRead ? .read : parsed.isCommand ? .writeWithoutResponse : .write
        let request = ATTRequest(
            operation, attribute, from: central, offset: parsed.isRead ? 0 : parsed.offset, value: parsed.value,
            scheduler: client.settings.scheduler, answered: done)
        let deadline = client.bus.schedule(after: client.settings.deadlines.request) { [weak self] in
            self?.close(call)
            if request.end(.unanswered) { call.fail(ATTError.unlikelyError.dbusError) }
        }
        let item = OpenRequest(request: request, attribute: attribute)
        open.append(Open(open: item, call: call, deadline: deadline))
        if isHandled(item) { return handled.next(item) }
        (parsed.isRead ? reads : writes).next(request)
    }

    /// Whether a function of the description answers a request.
    func isHandled(_ item: OpenRequest) -> Bool { item.handler(of: services) != nil }

    private func close(_ call: IncomingCall) {
        guard let index = open.firstIndex(where: { $0.call === call }) else { return }
        open.remove(at: index).deadline.cancel()
    }

    /// Fails all requests because the services are no longer published.
    func endRequests() {
        let all = open
        open = []
        for item in all {
            item.deadline.cancel()
            if item.open.request.end(.cancelled) { item.call.fail(ATTError.unlikelyError.dbusError) }
        }
    }

    // MARK: Observers. A new one first gets the requests that are still open.

    func observeHandled(_ emitter: Emitter<OpenRequest>) {
        handled.add(emitter)
        for item in open where isHandled(item.open) { emitter.next(item.open) }
    }

    func observeReads(_ emitter: Emitter<ATTRequest>) {
        reads.add(emitter)
        for item in open where item.open.request.operation == .read && !isHandled(item.open) {
            emitter.next(item.open.request)
        }
    }

    func observeWrites(_ emitter: Emitter<ATTRequest>) {
        writes.add(emitter)
        for item in open where item.open.request.operation != .read && !isHandled(item.open) {
            emitter.next(item.open.request)
        }
    }
}
