import DBus

/// Cases, each told by its number and the seed alone, fed to clients.
struct Campaign {
    let corpus: Corpus
    let seed: UInt64
    /// Told of each case before it is fed.
    var trace: ((Int, String) -> Void)?
    /// After so many cases a client is made afresh, so that a case can be repeated without all before it.
    static let stretch = 1_000

    init(seed: UInt64) throws(DBusError) {
        corpus = try Corpus()
        self.seed = seed
    }

    /// Runs the stretch of cases to which the case `first` belongs, up to `end`.
    func run(_ cases: Range<Int>) -> Tally {
        let recorder = TallyLog()
        var world: FuzzClient?
        for number in cases {
            if number % Self.stretch == 0 { world = nil }
            var dice = Dice(seed: seed, case: number)
            let template = corpus.pick(&dice)
            trace?(number, template.name)
            guard let message = mutant(of: template, &dice, recorder) else { continue }
            ReaderChecks.read(message, recorder)
            feed(message, template.route, &world, recorder)
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

    private func feed(_ message: Message, _ route: Corpus.Route, _ world: inout FuzzClient?, _ recorder: TallyLog) {
        if case .answer(let member) = route, member == "GetManagedObjects" || member == "GetNameOwner" {
            return FuzzClient(corpus, recorder, holding: [member]).start(member, message)
        }
        if world?.isIntact != true {
            world = FuzzClient(corpus, recorder)
            world?.begin()
        }
        switch route {
        case .signal: world?.signal(message)
        case .answer(to: "Connect"):
            world?.connection(message)
            world = nil
        case .answer(to: "Get"):
            world?.loss(corpus.loss, message)
            world = nil
        case .answer(let member): world?.operation(member, message)
        }
    }
}
