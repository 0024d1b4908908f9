// Runs the benchmark cases of Rx.

// Table: usage
//
//     rxbench            every case, as a table of nanoseconds
//     rxbench CASE N     only one case, N times, for counting with valgrind
//     rxbench --list     the names of the cases

@main
enum Main {
    static let cases = Case.events + Case.subscriptions + Case.virtualTime

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.isEmpty { return printTable() }
        if arguments == ["--list"] { return cases.forEach { print($0.name) } }
        guard arguments.count == 2, let name = arguments.first, let count = arguments.last.flatMap({ Int($0) }),
            count > 0, let found = cases.first(where: { $0.name == name })
        else {
            print("Usage: rxbench [CASE N | --list], where N is a positive whole number.")
            return
        }
        found.run(count, Sum())
    }

    private static func printTable() {
        let clock = ContinuousClock()
        print(column("case", 14) + column("ns", 10, right: true))
        for one in cases {
            // The best of five runs is used, because disturbances only make a run longer.
            var best = Duration.seconds(3600)
            for _ in 0..<5 {
                let sum = Sum()
                best = min(best, clock.measure { one.run(one.count, sum) })
            }
            let tenths = Int(best / .nanoseconds(1) * 10) / one.count / one.share
            print(column(one.name, 14) + column("\(tenths / 10).\(tenths % 10)", 10, right: true))
        }
    }

    private static func column(_ text: String, _ width: Int, right: Bool = false) -> String {
        let space = String(repeating: " ", count: max(1, width - text.count))
        return right ? space + text : text + space
    }
}
