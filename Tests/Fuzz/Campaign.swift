import DBus

/// A series of cases: mutated messages for clients. The seed and its number determine a case.
struct Campaign {
    let corpus: Corpus
    let seed: UInt64
    /// A closure that runs before each case, with the number of the case and the name of its template.
    var trace: ((Int, String) -> Void)?
    /// The number of cases in a batch.
    ///
    /// Each batch begins with a new client, so a case depends only on earlier cases of its batch.
    static let batch = 1_000

    init(seed: UInt64) throws(DBusError) {
        corpus = try Corpus()
        self.seed = seed
    }

    /// Runs cases, with a new client at each multiple of ``batch``.
    func run(_ cases: Range<Int>) -> Tally {
        let recorder = TallyLog()
        var client: FuzzClient?
        for number in cases {
            if number % Self.batch == 0 { client = nil }
            var dice = Dice(seed: seed, case: number)
            let template = corpus.pick(&dice)
            trace?(number, template.name)
            guard let message = mutant(of: template, &dice, recorder) else { continue }
            ReaderChecks.read(message, recorder)
            feed(message, template.route, &client, recorder)
        }
        return recorder.tally
    }

    private func mutant(of template: Corpus.Template, _ dice: inout Dice, _ recorder: TallyLog) -> Message? {
        let kind = dice.roll(3)
        switch kind {
        case 0: recorder.tally.wire += 1
        case 1: recorder.tally.values += 1
        default: recorder.tally.both += 1
        }
        var bytes = template.bytes
        if kind > 0 {
            var mutator = ValueMutator(dice: dice)
            let body = mutator.mutate(template.body)
            dice = mutator.dice
            do throws(DBusError) { bytes = try template.head.message(body).bytes } catch {
                recorder.tally.unwritable += 1
                return nil
            }
        }
        if kind != 1 {
            var mutator = WireMutator(dice: dice)
            bytes = mutator.mutate(bytes, with: mutator.dice.pick(corpus.templates).bytes)
            dice = mutator.dice
        }
        guard let message = received(bytes, recorder) else {
            recorder.tally.refused += 1
            return nil
        }
        recorder.tally.accepted += 1
        if bytes != template.bytes { recorder.tally.different += 1 }
        return message
    }

    /// Reads a message as a connection does. Compares it with what libdbus reads, if libdbus accepts it.
    private func received(_ bytes: [UInt8], _ recorder: TallyLog) -> Message? {
        guard let reference = Message(bytes: bytes) else {
            guard let message = Message(received: bytes) else { return nil }
            recorder.tally.lenient += 1
            return message
        }
        // libdbus ignores bytes after the message; on a socket they are the next message.
        guard let message = Message(received: reference.serial == 0 ? bytes : reference.bytes) else {
            recorder.find("a message that only libdbus accepts: \(bytes)")
            return nil
        }
        let values = try? message.read { (body) throws(DBusError) in try body.values() }
        let expected = try? reference.read { (body) throws(DBusError) in try body.values() }
        if values != expected, "\(String(describing: values))" != "\(String(describing: expected))" {
            recorder.find("a message that libdbus reads differently: \(bytes)")
        }
        if message.path != reference.path || message.member != reference.member || message.error != reference.error
            || message.sender != reference.sender || message.replySerial != reference.replySerial
        {
            recorder.find("a header that libdbus reads differently: \(bytes)")
        }
        return message
    }

    private func feed(_ message: Message, _ route: Corpus.Route, _ client: inout FuzzClient?, _ recorder: TallyLog) {
        if case .answer(let member) = route, member == "GetManagedObjects" || member == "GetNameOwner" {
            return FuzzClient(corpus, recorder, holding: [member]).start(member, message)
        }
        if client?.isIntact != true {
            client = FuzzClient(corpus, recorder)
            client?.begin()
        }
        switch route {
        case .signal: client?.signal(message)
        case .answer(to: "Connect"):
            client?.connection(message)
            client = nil
        case .answer(to: "Get"):
            client?.loss(corpus.loss, message)
            client = nil
        case .answer(let member): client?.operation(member, message)
        }
    }
}
