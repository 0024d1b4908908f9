import Glibc

/// Which steps have helped with which symptom.
///
/// Successes count less with time, so that gentler steps get a chance again.
struct StepMemory: Sendable {
    private struct Key: Hashable {
        let symptom: SilenceSymptom
        let step: RecoveryStep
    }

    private var successes: [Key: (weight: Double, time: Duration)] = [:]
    /// The number of rounds in a row that began with a remembered step.
    private var uses: [SilenceSymptom: Int] = [:]

    private static let halfLife = Duration.seconds(86_400)
    private static let mostUses = 7

    /// Returns the steps in the order in which to try them: first the one that has helped most, then the normal order.
    mutating func ordered(_ steps: [RecoveryStep], for symptom: SilenceSymptom, at now: Duration) -> [RecoveryStep] {
        let best = steps.max { weight(of: $0, for: symptom, at: now) < weight(of: $1, for: symptom, at: now) }
        guard let best, weight(of: best, for: symptom, at: now) > 0.25, uses[symptom, default: 0] < Self.mostUses else {
            uses[symptom] = 0
            return steps
        }
        uses[symptom, default: 0] += 1
        return [best] + steps.filter { $0 != best }
    }

    mutating func helped(_ step: RecoveryStep, _ symptom: SilenceSymptom, at now: Duration) {
        // The latest success counts more than older ones of other steps.
        for other in RecoveryStep.allCases where other != step {
            successes[Key(symptom: symptom, step: other)]?.weight /= 2
        }
        let weight = weight(of: step, for: symptom, at: now)
        successes[Key(symptom: symptom, step: step)] = (min(4, weight) + 1, now)
    }

    mutating func failed(_ step: RecoveryStep, _ symptom: SilenceSymptom) {
        successes[Key(symptom: symptom, step: step)]?.weight /= 2
    }

    private func weight(of step: RecoveryStep, for symptom: SilenceSymptom, at now: Duration) -> Double {
        guard let (weight, time) = successes[Key(symptom: symptom, step: step)] else { return 0 }
        return weight * exp2(-((now - time) / Self.halfLife))
    }
}
