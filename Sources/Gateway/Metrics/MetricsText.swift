/// Metrics in the text format of Prometheus.
///
/// Source: Prometheus, exposition formats, text format 0.0.4.
struct MetricsText {
    /// The kinds of metrics.
    enum Kind: String { case counter, gauge }

    /// The text so far.
    private(set) var text = ""

    /// Adds a metric without labels.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        add(name, kind, help, [([], value)])
    }

    /// Adds a metric with one sample for each set of labels.
    mutating func add(
        _ name: String, _ kind: Kind, _ help: String,
        _ samples: [(labels: [(name: String, value: String)], value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            text += name
            if !sample.labels.isEmpty {
                text +=
                    "{" + sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
            }
            text += " \(Self.number(sample.value))\n"
        }
    }

    /// Returns the value of a label with the characters escaped that end it.
    static func escaped(_ value: String) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns a number without a fraction if it has none.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }
}
