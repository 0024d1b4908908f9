import DBus

/// The requests of bluetoothd to our agent.
extension Agent {
    func handle(_ call: IncomingCall) {
        // Every program on the bus can call the agent, but the agent accepts only calls from bluetoothd (Q17).
        guard let owner = client.owner, call.message.sender == owner else {
            return call.fail(
                DBusError(name: DBusError.Name.accessDenied, message: "Only bluetoothd may ask this agent"))
        }
        switch call.message.member {
        case "Release":
            released()
            call.reply()
        case "Cancel":
            cancelRequests()
            call.reply()
        default: handleRequest(call)
        }
    }

    private func handleRequest(_ call: IncomingCall) {
        let parsed: AgentQuestion?
        do throws(DBusError) { parsed = try AgentQuestion(call.message) } catch {
            client.mirror.recordRejection()
            return call.fail(Self.rejected)
        }
        guard let parsed else {
            return call.fail(DBusError(name: DBusError.Name.unknownMethod, message: "No such method of an agent"))
        }
        guard let peripheral = client.mirror.devices[parsed.device]?.peripheral else { return call.fail(Self.rejected) }
        if let link = client.links[parsed.device], link.pairing == nil { link.queue.pairingBegan() }
        if let answer = policy.answer(to: parsed.question, of: client.mirror.addresses(of: parsed.device)) {
            client.eventLog.debug(.pairingAnswered(peripheral, isAccepted: answer != .reject))
            Self.answer(call, answer)
            if answer == .reject { refused(parsed.device) }
            return
        }
        ask(parsed.question, peripheral, call)
    }

    private func ask(_ question: PairingRequest.Question, _ peripheral: Peripheral, _ call: IncomingCall) {
        guard !subscribers.isEmpty else {
            client.eventLog.info(.pairingUnanswered(peripheral))
            if question.isDisplay { return call.reply() }
            call.fail(Self.rejected)
            return refused(peripheral.key)
        }
        let bus = client.bus
        let answered = bus.callback { [weak self] (answer: PairingRequest.Answer) in
            self?.close(call)
            if answer == .reject { self?.refused(peripheral.key) }
        }
        let request = PairingRequest(question, about: peripheral, scheduler: client.settings.scheduler) { answer in
            Self.answer(call, answer)
            answered(answer)
        }
        if question.isDisplay {
            request.end(.answered(.accept))
            call.reply()
        } else {
            let deadline = bus.schedule(after: policy.timeout) { [weak self] in
                if let self, let item = open.first(where: { $0.call === call }) { end(item, .unanswered) }
            }
            open.append(Open(request: request, call: call, deadline: deadline))
        }
        subscribers.next(request)
    }

    /// Ends a request without an answer of the user, unless the user answers at the same time.
    func end(_ item: Open, _ ending: PairingRequest.Outcome) {
        close(item.call)
        guard item.request.end(ending) else { return }
        item.call.fail(ending == .cancelled ? Self.cancelled : Self.rejected)
        if ending == .unanswered { refused(item.request.peripheral.key) }
    }

    /// Fails the GATT operation that caused the refused pairing.
    ///
    /// bluetoothd would answer that operation only when the link is lost.
    private func refused(_ key: DeviceKey) {
        guard let link = client.links[key], link.pairing == nil else { return }
        let error = BluetoothError(.needsPairing).withWeakBond(client.mirror.isBonded(key))
        let isBattery = !link.state.isMadeByOtherProgram && link.isBatteryLevelSuspected
        link.queue.refuse(isBattery ? error.withPairingClue(.batteryLevel) : error)
    }

    private func close(_ call: IncomingCall) {
        guard let index = open.firstIndex(where: { $0.call === call }) else { return }
        open.remove(at: index).deadline.cancel()
    }

    private static func answer(_ call: IncomingCall, _ answer: PairingRequest.Answer) {
        switch answer {
        case .accept: call.reply()
        case .passkey(let passkey): call.reply { (body) throws(DBusError) in body.uint32(passkey) }
        case .pinCode(let text): call.reply { (body) throws(DBusError) in try body.string(text) }
        case .reject: call.fail(rejected)
        }
    }

    static let rejected = DBusError(name: "org.bluez.Error.Rejected", message: "Rejected")
    private static let cancelled = DBusError(name: "org.bluez.Error.Canceled", message: "Canceled")
}

/// A pairing request, read from a call of bluetoothd.
struct AgentQuestion {
    let device: DeviceKey
    let question: PairingRequest.Question

    /// Reads a call; nil if agents have no such method. Source: BlueZ, `agent-api.txt`.
    init?(_ call: Message) throws(DBusError) {
        guard call.interface == nil || call.interface == BlueZ.agent else { return nil }
        let member = call.member ?? ""
        let read = try call.read { (body) throws(DBusError) -> (ObjectPath, PairingRequest.Question)? in
            guard Self.members.contains(member) else { return nil }
            let path = try body.objectPath()
            switch member {
            case "RequestPinCode": return (path, .pinCode)
            case "DisplayPinCode": return (path, .displayPinCode(try body.string()))
            case "RequestPasskey": return (path, .passkey)
            case "DisplayPasskey": return (path, .displayPasskey(try body.uint32(), entered: try body.uint16()))
            case "RequestConfirmation": return (path, .confirmation(try body.uint32()))
            case "RequestAuthorization": return (path, .authorization)
            default:
                let text = try body.string()
                guard let uuid = BluetoothUUID(text) else { throw .malformed("“\(text)” is not a UUID.") }
                return (path, .service(uuid))
            }
        }
        guard let (path, question) = read else { return nil }
        guard case .device(let key) = ObjectKey(path) else { throw .malformed("“\(path)” is not a device.") }
        device = key
        self.question = question
    }

    private static let members: Set<String> = [
        "RequestPinCode", "DisplayPinCode", "RequestPasskey", "DisplayPasskey", "RequestConfirmation",
        "RequestAuthorization", "AuthorizeService",
    ]
}
