import Rx
import RxBluetooth

/// Shows bluetoothd's pairing requests on the terminal, and sends the user's answers.
final class PairingQuestions: Sendable {
    private let context: CommandContext
    private let keyboard: any Keyboard
    private let peripheral: Peripheral
    private let state = Guarded(PromptState())

    private struct PromptState {
        /// The passkey or PIN that was shown last. bluetoothd repeats the request for each typed digit.
        var shown: String?
        var isDeclined = false
    }

    init(context: CommandContext, keyboard: any Keyboard, peripheral: Peripheral) {
        self.context = context
        self.keyboard = keyboard
        self.peripheral = peripheral
    }

    /// Whether the user declined, or gave no answer.
    var isDeclined: Bool { state.withLock(\.isDeclined) }

    /// Answers all pairing requests while subscribed. Never ends by itself.
    func answers() -> Observable<Never> {
        context.manager.pairingRequests.flatMap { [self] request in
            // Stops waiting for the user if bluetoothd cancels the request.
            answer(request).take(until: request.outcome.asObservable())
        }
        .catch { _ in .never() }
    }

    private func answer(_ request: PairingRequest) -> Observable<Never> {
        guard request.peripheral === peripheral else { return reply(request, .reject) }
        switch request.question {
        case .passkey:
            return prompt("Type the passkey of \(peripheral), and press Enter:", request) { text in
                guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                    return nil
                }
                return UInt32(text).map { .passkey($0) }
            }
        case .pinCode:
            return prompt("Type the PIN of \(peripheral), and press Enter:", request) { text in
                (1...16).contains(text.utf8.count) ? .pinCode(text) : nil
            }
        case .confirmation(let number):
            return prompt("Does \(peripheral) show \(Self.digits(number))? Type yes or no, and press Enter:", request) {
                switch $0.lowercased() {
                case "y", "yes": .accept
                case "n", "no": .reject
                default: nil
                }
            }
        case .displayPasskey(let number, _): show(Self.digits(number))
        case .displayPinCode(let text): show(text)
        // Accepts without a prompt, because the user has started this pairing.
        case .authorization: return reply(request, .accept)
        case .service: return reply(request, .reject)
        }
        return .empty()
    }

    private func show(_ text: String) {
        let isNew = state.withLock { state in
            defer { state.shown = text }
            return state.shown != text
        }
        if isNew { context.note("Type \(text) on \(peripheral).") }
    }

    /// Prompts until the user types a valid answer. An empty line, or the end of the input, declines.
    private func prompt(
        _ question: String, _ request: PairingRequest,
        _ parse: @escaping @Sendable (String) -> PairingRequest.Answer?
    ) -> Observable<Never> {
        context.note(question)
        return keyboard.line().asObservable().observe(on: context.scheduler).flatMap { [self] line in
            let text = line?.trimmed ?? ""
            guard let answer = text.isEmpty ? .reject : parse(text) else { return prompt(question, request, parse) }
            if answer == .reject, request.peripheral === peripheral { state.withLock { $0.isDeclined = true } }
            return reply(request, answer)
        }
    }

    private func reply(_ request: PairingRequest, _ answer: PairingRequest.Answer) -> Observable<Never> {
        do { try request.answer(answer) } catch { context.note("\(error)") }
        return .empty()
    }

    private static func digits(_ number: UInt32) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}
