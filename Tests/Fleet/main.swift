// Runs a fleet twice with one seed, and fails if the runs differ or break a promise of the sharing.
// Arguments: gateways, devices, seconds, seed. Default: 100 10000 3600 1.

let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) ?? 0 }
let numbers = arguments + [100, 10_000, 3600, 1].dropFirst(arguments.count)

func run() -> Fleet.Result {
    let start = ContinuousClock.now
    let fleet = Fleet(gateways: Int(numbers[0]), devices: Int(numbers[1]), seed: numbers[3])
    fleet.run(seconds: Int(numbers[2]))
    let result = fleet.result
    print(
        """
        \(numbers[0]) gateways, \(numbers[1]) devices, \(numbers[2]) s, seed \(numbers[3]): \(ContinuousClock.now - start)
          received \(result.receptions) advertisements; \(result.messages) messages, \(result.bytes) bytes
          \(result.links) links, \(result.unlinked) devices without; take-over within \(result.takeOver), \
        \(result.abandoned) abandoned
          at most \(result.handovers.values.max() ?? 0) handovers of a device, \(result.handovers.count) devices handed over
          \(result.disturbed) roles changed by short interruptions; \(result.discoveries) messages of discovery
          hash \(String(result.hash, radix: 16))
        """)
    return result
}

let (first, second) = (run(), run())
precondition(first == second, "two runs with one seed differ")
precondition((first.handovers.values.max() ?? 0) <= 1, "a still device was handed over more than once")
precondition(first.disturbed == 0, "a short interruption of a connection changed a role")
precondition(first.takeOver <= .seconds(5) && first.abandoned == 0, "a take-over was late")
