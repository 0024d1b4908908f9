import Dispatch
import Foundation
import Synchronization

// Feeds mutated D-Bus messages to everything of this package that reads them.
//
//     fuzz [--count N] [--seed N] [--first N] [--jobs N] [--trace]
//
// A crash ends it; the last line that it printed tells near which case. `--first` begins there, and `--trace` prints each case
// before it is fed, so that the last one printed is the one that crashed.

@main
enum Main {
    static func main() {
        let options: Options
        do { options = try Options(CommandLine.arguments.dropFirst()) } catch {
            say("fuzz: \(error)")
            exit(64)
        }
        let begin = ContinuousClock.now
        let tally = run(options)
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        for line in tally.lines { print(line) }
        print(
            "\(tally.cases) cases from seed \(options.seed) in \(String(format: "%.1f", seconds)) s: "
                + "\(Int(Double(tally.cases) / seconds)) a second, no crash; at most \(mostMemory) resident")
        for finding in tally.findings { print("FOUND: \(finding)") }
        exit(tally.findings.isEmpty ? 0 : 1)
    }

    /// Runs all stretches, several at once where that was asked for. The sum does not depend on that.
    private static func run(_ options: Options) -> Tally {
        let stretch = 20 * Campaign.stretch
        let parts = (options.count + stretch - 1) / stretch
        let sum = Mutex((next: 0, tally: Tally()))
        DispatchQueue.concurrentPerform(iterations: options.jobs) { _ in
            guard var campaign = try? Campaign(seed: options.seed) else { return say("fuzz: no corpus") }
            if options.isTracing { campaign.trace = { say("case \($0): \($1)") } }
            while true {
                let part = sum.withLock { sum in
                    defer { sum.next += 1 }
                    return sum.next
                }
                guard part < parts else { return }
                let first = options.first + part * stretch
                let tally = campaign.run(first..<min(first + stretch, options.first + options.count))
                let cases = sum.withLock { sum in
                    sum.tally += tally
                    return sum.tally.cases
                }
                if part % 25 == 0 { say("… \(cases) cases done; now behind case \(first)") }
            }
        }
        return sum.withLock { $0.tally }
    }

    /// The most memory that this process had at once, as the kernel tells it.
    private static var mostMemory: String {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.map { $0.dropFirst(6).trimmingCharacters(in: .whitespaces) } ?? "an unknown amount"
    }

    private static func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}

/// What the command line says.
struct Options {
    var count = 100_000
    var seed: UInt64 = 1
    var first = 0
    var jobs = 1
    var isTracing = false

    struct Wrong: Error, CustomStringConvertible { let description: String }

    init(_ words: some Sequence<String>) throws {
        var words = words.makeIterator()
        func number(_ word: String) throws -> Int {
            guard let text = words.next(), let number = Int(text), number >= 0 else {
                throw Wrong(description: "\(word) needs a whole number.")
            }
            return number
        }
        while let word = words.next() {
            switch word {
            case "--count": count = try number(word)
            case "--seed": seed = UInt64(try number(word))
            case "--first":
                // Clients are made afresh at the beginning of a stretch.
                first = try number(word) / Campaign.stretch * Campaign.stretch
            case "--jobs": jobs = max(1, try number(word))
            case "--trace": isTracing = true
            default: throw Wrong(description: "“\(word)” is not known.")
            }
        }
    }
}
