public import Rx

/// A request of bluetoothd during pairing, which the user answers once.
///
/// A request is open until it is answered, until ``PairingPolicy/timeout`` has passed, or until bluetoothd cancels the
/// request because the pairing ended; see ``outcome``. All methods may be called on any thread.
public final class PairingRequest: Sendable {
    /// The question of a request. Source: BlueZ, `agent-api.txt`.
    public enum Question: Hashable, Sendable {
        /// Does the device show this number? The number has six digits, from 000000 to 999999.
        case confirmation(UInt32)
        /// Which passkey does the device show? Answer with ``Answer/passkey(_:)``.
        case passkey
        /// Which PIN does the classic device have? Answer with ``Answer/pinCode(_:)``.
        case pinCode
        /// May the device pair without a passkey? The device or a protected attribute started the pairing.
        case authorization
        /// May the device use a service of this computer?
        case service(BluetoothUUID)
        /// Show this passkey, so that the user types it on the device. No answer is needed.
        ///
        /// `entered` counts the digits that were typed so far; bluetoothd sends a new request for each further digit.
        /// The manager answers the request before emitting it.
        case displayPasskey(UInt32, entered: UInt16)
        /// Show this PIN, so that the user types it on the device. No answer is needed.
        ///
        /// The manager answers the request before emitting it.
        case displayPinCode(String)
    }

    /// The answer to a request.
    public enum Answer: Hashable, Sendable {
        /// Yes. The pairing, or the use of the service, is accepted.
        case accept
        /// The passkey, from 0 to 999999.
        case passkey(UInt32)
        /// The PIN, from 1 to 16 bytes of UTF-8.
        case pinCode(String)
        /// No. The pairing, or the use of the service, is refused.
        case reject
    }

    /// How a request ended.
    public enum Outcome: Hashable, Sendable {
        /// The user answered, or the question only shows something and needs no answer.
        case answered(Answer)
        /// There was no answer in time, or no subscriber, so the request was rejected.
        case unanswered
        /// bluetoothd cancelled the request or stopped, or the manager was closed.
        case cancelled
    }

    static let highestPasskey: UInt32 = 999_999

    /// The device that the request is about.
    public let peripheral: Peripheral
    /// The question to the user.
    public let question: Question
    private let scheduler: any SchedulerType
    private let answered: @Sendable (Answer) -> Void
    private let state = BehaviorSubject<Outcome?>(value: nil)
    private let isOver = Guarded(false)

    /// Makes an open request.
    ///
    /// - Parameter answered: Called once with a valid answer, on any thread.
    init(
        _ question: Question, about peripheral: Peripheral, scheduler: any SchedulerType,
        answered: @escaping @Sendable (Answer) -> Void
    ) {
        self.question = question
        self.peripheral = peripheral
        self.scheduler = scheduler
        self.answered = answered
    }

    /// Answers the request. Only the first answer counts.
    ///
    /// - Parameter answer: The answer, which must fit ``question``. ``Answer/reject`` fits all questions.
    /// - Returns: Whether the request was still open.
    /// - Throws: ``BluetoothError/Kind/invalidArgument`` if the answer does not fit. The request stays open.
    @discardableResult
    public func answer(_ answer: Answer) throws(BluetoothError) -> Bool {
        if let flaw = question.flaw(of: answer) {
            throw BluetoothError(
                .invalidArgument, operation: .pair, target: peripheral.address.description, detail: flaw)
        }
        guard end(.answered(answer)) else { return false }
        answered(answer)
        return true
    }

    /// How the request ended.
    ///
    /// Emits once when the request has ended, and at once if it has already. Never fails. Delivers on the manager's
    /// queue.
    public var outcome: Single<Outcome> {
        state.compactMap { $0 }.take(1).observe(on: scheduler).asSingle()
    }

    /// Ends the request with an outcome. Returns whether the request was open.
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
    /// Whether the question only shows something and needs no answer.
    var isDisplay: Bool {
        switch self {
        case .displayPasskey, .displayPinCode: true
        case .confirmation, .passkey, .pinCode, .authorization, .service: false
        }
    }

    /// Returns why an answer does not fit the question; nil if it fits.
    func flaw(of answer: PairingRequest.Answer) -> String? {
        switch (self, answer) {
        case (_, .reject): nil
        case (.passkey, .passkey(let passkey)):
            passkey <= PairingRequest.highestPasskey ? nil : "A passkey is a number from 0 to 999999"
        case (.pinCode, .pinCode(let text)):
            (1...16).contains(text.utf8.count) && !text.utf8.contains(0) ? nil : "A PIN has 1 to 16 bytes of UTF-8"
        case (.passkey, _): "Answer with a passkey, or reject"
        case (.pinCode, _): "Answer with a PIN, or reject"
        case (_, .accept): nil
        case (_, .passkey), (_, .pinCode): "Accept or reject the request"
        }
    }
}
