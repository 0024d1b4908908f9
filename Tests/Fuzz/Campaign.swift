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
        guard let message = Message(bytes: bytes) else {
            recorder.tally.refused += 1
            return nil
        }
        recorder.tally.accepted += 1
        if bytes != template.bytes { recorder.tally.different += 1 }
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
