extension String {
    /// The text without control sequences for colours, which depend on the environment of the tests (NO_COLOR).
    var withoutColours: String {
        var text = ""
        var rest = self[...]
        while let start = rest.firstRange(of: "\u{1B}[") {
            let end = rest[start.upperBound...].drop { $0.isNumber || $0 == ";" }
            text += rest[..<start.lowerBound]
            if end.first != "m" { text += rest[start] }
            rest = end.first == "m" ? end.dropFirst() : rest[start.upperBound...]
        }
        return text + rest
    }
}
