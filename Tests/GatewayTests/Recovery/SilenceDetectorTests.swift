import SoakTesting
import Testing

@testable import Gateway

@Suite struct SilenceDetectorTests {
    /// Advertisements of a day at random times, with this mean rate per second, and what the detector does.
    struct Surroundings {
        var detector = SilenceDetector(RecoverySettings(), at: .zero)
        var dice: Dice
        var now = Duration.zero
        var alarms: [Duration] = []
        /// When the timer fires that a driver has set to an earlier deadline.
        var timer: Duration?

        init(seed: UInt64) { dice = Dice(seed: seed) }

        /// Passes a pause to the detector, with one timer as in a driver.
        mutating func wait(_ pause: Duration) {
            let end = now + pause
            while let time = timer ?? detector.deadline, time <= end {
                if detector.check(at: time) { alarms.append(time) }
                timer = detector.deadline
                if timer == nil { break }
            }
            now = end
        }

        /// Receives an advertisement. A fault counts as one that ended alone.
        mutating func hear() {
            if detector.deadline == nil {
                detector.resume(at: now, after: (now - detector.lastHeard, true))
            }
            detector.heard(at: now)
            timer = timer ?? detector.deadline
        }

        mutating func hear(rate: Double, for duration: Duration) {
            let end = now + duration
            while now < end {
                wait(.milliseconds(Int(Double.random(in: 0..<1, using: &dice).exponential / rate * 1000)))
                hear()
            }
        }

        /// Returns the time from the last advertisement to the alarm.
        mutating func silence() -> Duration {
            let count = alarms.count
            wait(.seconds(100))
            return alarms.count > count ? alarms[count] - detector.lastHeard : .seconds(100)
        }
    }

    @Test(arguments: [1.0, 1.5, 3, 20, 200], 1...3 as ClosedRange<UInt64>)
    func `Silence is detected within 15 s at one advertisement per second or more`(rate: Double, seed: UInt64) {
        var surroundings = Surroundings(seed: seed)
        surroundings.hear(rate: rate, for: .seconds(rate > 10 ? 300 : 3600))
        let silence = surroundings.silence()
        #expect(silence >= .seconds(10) && silence <= .seconds(15), "\(silence)")
    }

    @Test(arguments: [1.0, 2, 5]) func `Random gaps cause at most one alarm in a day`(rate: Double) {
        var surroundings = Surroundings(seed: 7)
        surroundings.hear(rate: rate, for: .seconds(86_400))
        #expect(surroundings.alarms.count <= 1)
    }

    @Test func `Repeated faults without recovery allow at most four times the silence`() {
        var settings = RecoverySettings()
        settings.maximumSilence = .seconds(100_000)
        var detector = SilenceDetector(settings, at: .zero)
        for second in 0..<600 { detector.heard(at: .seconds(second)) }
        var now = Duration.seconds(600)
        var factors: [Double] = []
        for _ in 0..<12 {
            let expected = max(settings.minimumSilence, .seconds(SilenceDetector.missingAdvertisements / detector.rate))
            factors.append(detector.allowedSilence / expected)
            now = detector.deadline ?? now
            let isSilent = detector.check(at: now)
            #expect(isSilent)
            let silence = now - detector.lastHeard
            now += .seconds(1)
            detector.resume(at: now, after: (silence, false))
            detector.heard(at: now)
        }
        // The factor is 2 to the power of the doublings; a regular gap of up to 30 s may exceed the expected silence.
        #expect(factors.last ?? 0 > 3.9 && factors.allSatisfy { $0 < 8 }, "\(factors)")
    }

    @Test(arguments: [20, 120, 600, 3600])
    func `A quiet device causes few alarms, and none when its interval is known`(seconds: Int) {
        var surroundings = Surroundings(seed: 1)
        for _ in 0..<(86_400 / seconds) {
            surroundings.wait(.seconds(seconds))
            surroundings.hear()
        }
        // The longest accepted silence is 60 s, so each longer gap is one alarm.
        #expect(surroundings.alarms.count <= (seconds > 60 ? 86_400 / seconds : 2))
    }

    @Test func `Bursts with regular pauses count as pauses, not as a high rate`() {
        var surroundings = Surroundings(seed: 1)
        for _ in 0..<500 {
            for _ in 0..<60 {
                surroundings.wait(.milliseconds(100))
                surroundings.hear()
            }
            surroundings.wait(.seconds(40))
        }
        #expect(surroundings.alarms.count <= 3, "\(surroundings.alarms)")
    }

    @Test func `A sudden fall of the rate causes few alarms`() {
        var surroundings = Surroundings(seed: 3)
        surroundings.hear(rate: 10, for: .seconds(7200))
        let before = surroundings.alarms.count
        surroundings.hear(rate: 0.1, for: .seconds(4 * 3600))
        #expect(surroundings.alarms.count - before <= 8, "\(surroundings.alarms)")
        surroundings.hear(rate: 10, for: .seconds(7200))
        let silence = surroundings.silence()
        #expect(silence <= .seconds(15), "\(silence)")
    }

    @Test func `Day and night cause no alarms, and both are learned`() {
        var surroundings = Surroundings(seed: 4)
        for day in 0..<3 {
            for step in 0..<48 {
                let phase = Double(step) / 48
                surroundings.hear(rate: 0.5 + 12 * phase * (1 - phase), for: .seconds(1800))
            }
            #expect(surroundings.alarms.count <= 2 * (day + 1), "\(surroundings.alarms)")
        }
    }

    @Test func `A new detector waits 30 s for the first advertisement`() throws {
        let detector = SilenceDetector(RecoverySettings(), at: .seconds(5))
        let deadline = try #require(detector.deadline)
        #expect(deadline > .seconds(25) && deadline < .seconds(40))
    }

    @Test func `A fault is reported once, and the clock starts again afterwards`() {
        var detector = SilenceDetector(RecoverySettings(), at: .zero)
        let results = [20, 60, 90].map { detector.check(at: .seconds($0)) }
        #expect(results == [false, true, false] && detector.deadline == nil)
        detector.resume(at: .seconds(100), after: (.seconds(100), false))
        #expect(detector.lastHeard == .seconds(100))
        #expect((detector.deadline ?? .zero) > .seconds(110))
    }

    @Test func `While a connection is made, the longest silence is allowed`() {
        var surroundings = Surroundings(seed: 5)
        surroundings.hear(rate: 5, for: .seconds(600))
        surroundings.detector.isDisturbed = true
        let silence = surroundings.silence()
        #expect(silence == .seconds(60))
    }

    @Test func `After a silence of weeks, the detector works again within minutes`() {
        var surroundings = Surroundings(seed: 6)
        surroundings.hear(rate: 3, for: .seconds(3600))
        surroundings.wait(.seconds(50 * 86_400))
        surroundings.hear(rate: 3, for: .seconds(900))
        let silence = surroundings.silence()
        #expect(silence <= .seconds(15), "\(silence)")
    }

    @Test func `The limits of the settings apply`() throws {
        var settings = RecoverySettings()
        settings.minimumSilence = .seconds(3)
        settings.maximumSilence = .seconds(5)
        var detector = SilenceDetector(settings, at: .zero)
        #expect(detector.deadline == .seconds(5))
        for number in 1...4000 { detector.heard(at: .milliseconds(100 * number)) }
        let isSilent = detector.check(at: .seconds(400))
        #expect(!isSilent)
        let deadline = try #require(detector.deadline)
        #expect(deadline >= .seconds(403) && deadline < .seconds(404))
    }
}

extension Double {
    /// The random number of an exponential distribution for a number from 0 to 1.
    fileprivate var exponential: Double {
        // -ln(1 - x) by its series would be slow near 1, so halves of the rest are removed first.
        var (rest, sum) = (1 - self, 0.0)
        while rest < 0.5 {
            rest *= 2
            sum += 0.693_147_180_559_945
        }
        let t = (1 - rest) / (1 + rest)
        let square = t * t
        return sum + 2 * t * (1 + square / 3 + square * square / 5 + square * square * square / 7)
    }
}
