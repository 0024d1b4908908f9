public import Rx

/// Something that bluetoothd asks about a pairing, for a person to answer once.
///
/// It is open until it is answered, until ``PairingPolicy/timeout`` is over, or until bluetoothd takes it back because the pairing
/// has ended otherwise; see ``outcome``. It may be answered from any thread.
public final class PairingRequest: Sendable {
    /// What is asked. Source: BlueZ, `agent-api.txt`.
    public enum Question: Hashable, Sendable {
        /// Whether the device shows the same number, of six digits.
        case confirmation(UInt32)
        /// The passkey that the device shows. Answer with ``Answer/passkey(_:)``.
        case passkey
        /// The PIN of a classic device. Answer with ``Answer/pinCode(_:)``.
        case pinCode
        /// Whether to pair with no more ado: the device, or an attribute that is protected, began it.
        case authorization
        /// Whether the device may use a service of this machine.
        case service(BluetoothUUID)
        /// Nothing: the passkey is to be typed on the device, and so many of its six digits are typed already. It is answered
        /// before it is emitted; each further digit is another request.
        case displayPasskey(UInt32, entered: UInt16)
        /// Nothing: the PIN is to be typed on the device. It is answered before it is emitted.
        case displayPinCode(String)
    }

    /// An answer.
    public enum Answer: Hashable, Sendable {
        /// Yes.
        case accept
        /// The passkey, from 0 to 999999.
        case passkey(UInt32)
        /// The PIN, from 1 to 16 bytes of UTF-8.
        case pinCode(String)
        /// No.
        case reject
    }

    /// How a request ended.
    public enum Outcome: Hashable, Sendable {
        /// Somebody answered it, with yes or no.
        case answered(Answer)
        /// Nobody answered in time, or nobody was there to be asked. It was rejected.
        case unanswered
        /// bluetoothd took it back, or is gone, or the manager was closed.
        case cancelled
    }

    static let highestPasskey: UInt32 = 999_999

    /// The device that it is about.
    public let peripheral: Peripheral
    /// What is asked.
    public let question: Question
    private let scheduler: any SchedulerType
    private let answered: @Sendable (Answer) -> Void
    private let state = BehaviorSubject<Outcome?>(value: nil)
    private let isOver = Guarded(false)

    /// - Parameter answered: Called once, on any thread, with an answer that fits.
    init(
        _ question: Question, about peripheral: Peripheral, scheduler: any SchedulerType,
        answered: @escaping @Sendable (Answer) -> Void
    ) {
        self.question = question
        self.peripheral = peripheral
        self.scheduler = scheduler
        self.answered = answered
    }

    /// Answers. Tells whether the request was still open; only the first answer counts.
    ///
    /// Throws ``BluetoothError/Kind/invalidArgument`` where the answer does not fit the question; the request is then still open.
    @discardableResult
    public func answer(_ answer: Answer) throws(BluetoothError) -> Bool {
        if let flaw = question.flaw(of: answer) {
            throw BluetoothError(
                .invalidArgument, operation: .pair, target: peripheral.address.description, dbusMessage: flaw)
        }
        guard end(.answered(answer)) else { return false }
        answered(answer)
        return true
    }

    /// Emits how the request ended, and completes: at once where it has. Never fails. Delivered where the manager delivers.
    public var outcome: Single<Outcome> {
        state.compactMap { $0 }.take(1).observe(on: scheduler).asSingle()
    }

    /// Ends the request. Tells whether it was open.
    @discardableResult
    func end(_ outcome: Outcome) -> Bool {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst { state.onNext(outcome) }
        return isFirst
    }
}

extension PairingRequest.Question {
    /// Whether bluetoothd only shows something, and wants no answer.
    var isDisplay: Bool {
        switch self {
        case .displayPasskey, .displayPinCode: true
        case .confirmation, .passkey, .pinCode, .authorization, .service: false
        }
    }

    /// Why an answer does not fit; nil where it does.
    func flaw(of answer: PairingRequest.Answer) -> String? {
        switch (self, answer) {
        case (_, .reject): nil
        case (.passkey, .passkey(let passkey)):
            passkey <= PairingRequest.highestPasskey ? nil : "A passkey is a number from 0 to 999999"
        case (.pinCode, .pinCode(let text)):
            (1...16).contains(text.utf8.count) && !text.utf8.contains(0) ? nil : "A PIN has 1 to 16 characters"
        case (.passkey, _): "The passkey is asked for"
        case (.pinCode, _): "The PIN is asked for"
        case (_, .accept): nil
        case (_, .passkey), (_, .pinCode): "The question is answered by yes or no"
        }
    }
}
