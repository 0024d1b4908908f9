import Dispatch
import Foundation
import Synchronization

/// Sends mutated D-Bus messages to all code of this package that reads such messages.
///
/// With `--packets`, it passes mutated events of the management socket to the code that reads them instead.
///
///     fuzz [--packets] [--count N] [--seed N] [--first N] [--jobs N] [--trace]
///
/// After a crash, the last line of the output shows where to continue with `--first`. `--trace` prints each case before
/// it runs, so the last printed case is the one that crashed.
@main
enum Main {
    static func main() {
        let options: Options
        do { options = try Options(CommandLine.arguments.dropFirst()) } catch {
            say("fuzz: \(error)")
            exit(64)
        }
        let begin = ContinuousClock.now
        if options.isOfPackets { return runPackets(options) }
        let tally = run(options)
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        for line in tally.lines { print(line) }
        print(
            "\(tally.cases) cases from seed \(options.seed) in \(String(format: "%.1f", seconds)) s: "
                + "\(Int(Double(tally.cases) / seconds)) a second, no crash; \(clock() / CLOCKS_PER_SEC) s of the processor, at most \(peakMemory) resident"
        )
        for finding in tally.findings { print("FOUND: \(finding)") }
        exit(tally.findings.isEmpty ? 0 : 1)
    }

    /// Runs all batches, and returns the sum. The number of threads does not affect the sum.
    private static func run(_ options: Options) -> Tally {
        let batch = 20 * Campaign.batch
        let parts = (options.count + batch - 1) / batch
        let sum = Mutex((next: 0, tally: Tally()))
        DispatchQueue.concurrentPerform(iterations: options.jobs) { _ in
            guard var campaign = try? Campaign(seed: options.seed) else { return say("fuzz: cannot make the corpus") }
            if options.isTracing { campaign.trace = { say("case \($0): \($1)") } }
            while true {
                let part = sum.withLock { sum in
                    defer { sum.next += 1 }
                    return sum.next
                }
                guard part < parts else { return }
                let first = options.first + part * batch
                let tally = campaign.run(first..<min(first + batch, options.first + options.count))
                let cases = sum.withLock { sum in
                    sum.tally += tally
                    return sum.tally.cases
                }
                if part % 25 == 0 { say("… \(cases) cases done; now after case \(first)") }
            }
        }
        return sum.withLock { $0.tally }
    }

    /// Runs the packets in parts of a million, and exits with a failure if a check failed.
    private static func runPackets(_ options: Options) {
        let campaign = PacketCampaign(seed: options.seed)
        let part = 1_000_000
        let sum = Mutex(PacketTally())
        DispatchQueue.concurrentPerform(iterations: (options.count + part - 1) / part) { number in
            let first = options.first + number * part
            let tally = campaign.run(first..<min(first + part, options.first + options.count))
            sum.withLock { $0 += tally }
        }
        let tally = sum.withLock { $0 }
        print("\(tally.text) from seed \(options.seed), no crash; at most \(peakMemory) resident")
        for finding in tally.findings { print("FOUND: \(finding)") }
        exit(tally.findings.isEmpty ? 0 : 1)
    }

    /// The peak memory of this process as text, from the kernel.
    private static var peakMemory: String {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.map { $0.dropFirst(6).trimmingCharacters(in: .whitespaces) } ?? "an unknown amount"
    }

    private static func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}

/// The options of the command line.
struct Options {
    var count = 100_000
    var seed: UInt64 = 1
    var first = 0
    var jobs = 1
    var isTracing = false
    var isOfPackets = false

    struct Wrong: Error, CustomStringConvertible { let description: String }

    init(_ words: some Sequence<String>) throws {
        var words = words.makeIterator()
        func number(_ word: String) throws -> Int {
            guard let text = words.next(), let number = Int(text), number >= 0 else {
                throw Wrong(description: "\(word) requires a whole number.")
            }
            return number
        }
        while let word = words.next() {
            switch word {
            case "--count": count = try number(word)
            case "--seed": seed = UInt64(try number(word))
            case "--first":
                // Rounds down to the start of a batch, because each batch begins with a new client.
                first = try number(word) / Campaign.batch * Campaign.batch
            case "--jobs": jobs = max(1, try number(word))
            case "--trace": isTracing = true
            case "--packets": isOfPackets = true
            default: throw Wrong(description: "“\(word)” is not an option.")
            }
        }
    }
}
