import Foundation

/// Starts this program again as a gateway, for each write point.
struct CrashTest {
    private let root = FileManager.default.temporaryDirectory.appendingPathComponent("gateway-crash-\(UUID())")

    /// Prints the counts, and returns whether nothing was lost.
    func run(atMost limit: Int) throws -> Bool {
        defer { try? FileManager.default.removeItem(at: root) }
        let all = try countPoints()
        var counts = (points: 0, stored: 0, duplicates: 0, problems: 0, damaged: 0, lost: 0)
        for point in points(of: all, atMost: limit) {
            counts.points += 1
            let verdict = try check(point, damagesLog: counts.points % 10 == 0)
            counts.damaged += verdict.isDamageReported ? 1 : 0
            counts.lost += verdict.reportedLosses
            counts.stored += verdict.storedCount
            counts.duplicates += verdict.duplicateCount
            for problem in verdict.problems.prefix(5) { print("point \(point): \(problem)") }
            counts.problems += verdict.problems.count
        }
        print(
            """
            killed at \(counts.points) of \(all) write points: \(counts.stored) readings were stored before, \
            \(counts.duplicates) duplicates with equal ids, \(counts.problems) problems; \
            \(counts.damaged) damaged logs were reported, with \(counts.lost) lost readings
            """)
        return counts.problems == 0 && counts.points >= 50 && counts.stored > 0 && counts.damaged > 0
    }

    /// Also the first and the last points, at which the file is created and closed.
    private func points(of all: Int, atMost limit: Int) -> [Int] {
        let edge = min(all, limit / 5)
        let stride = max(1, all / (limit - 2 * edge))
        let inner = Array(Swift.stride(from: edge + 1, to: all - edge, by: stride))
        return Array(1...edge) + inner + Array((all - edge + 1)...all)
    }

    private func countPoints() throws -> Int {
        let folder = try makeFolder("count")
        let output = try start(["run", folder.path], expectsKill: false)
        let verdict = try Verdict(String(contentsOf: folder.appendingPathComponent("events"), encoding: .utf8))
        guard verdict.problems.isEmpty, let count = Int(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw CrashTestError("the run without a kill failed: \(verdict.problems.prefix(3))")
        }
        return count
    }

    private func check(_ point: Int, damagesLog: Bool) throws -> Verdict {
        let folder = try makeFolder("\(point)")
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try start(["run", folder.path, "\(point)"], expectsKill: true)
        if damagesLog { try damageLog(folder, point) }
        _ = try start(["recover", folder.path], expectsKill: false)
        return try Verdict(String(contentsOf: folder.appendingPathComponent("events"), encoding: .utf8))
    }

    /// Flips three bytes in the middle of the log, as a worn memory card does.
    private func damageLog(_ folder: URL, _ point: Int) throws {
        let log = folder.appendingPathComponent("readings.db-wal")
        guard var bytes = try? Data(contentsOf: log), bytes.count > 20_000 else { return }
        for number in 0..<3 { bytes[bytes.count / 3 + (point * 7 + number * 4_099) % (bytes.count / 3)] ^= 0x10 }
        try bytes.write(to: log)
    }

    private func makeFolder(_ name: String) throws -> URL {
        let folder = root.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func start(_ arguments: [String], expectsKill: Bool) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let wasKilled = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
        guard wasKilled == expectsKill, expectsKill || process.terminationStatus == 0 else {
            throw CrashTestError("\(arguments) ended with \(process.terminationStatus)")
        }
        return output
    }
}

struct CrashTestError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
