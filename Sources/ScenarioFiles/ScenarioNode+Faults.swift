import RxBluetoothMocks

/// Reads faults: rules that make calls fail or misbehave.
extension ScenarioNode {
    func fault(_ known: inout KnownPeripherals) throws(ScenarioFileError) -> Fault {
        let kinds = ["late", "never", "lost", "twice", "swapped", "error", "error-afterwards", "meanwhile"]
        let parts = try parts(
            "method", "path", "property", "calls", "text", "after", "late", "never", "lost", "twice", "swapped",
            "error",
            "error-afterwards", "meanwhile")
        let given = kinds.filter { parts[$0] != nil }
        guard given.count == 1, let part = parts[given[0]] else {
            throw error(
                given.isEmpty ? "a fault has no effect" : "a fault has the effects \(given.joined(separator: ", "))",
                "one of \(kinds.joined(separator: ", "))")
        }
        let text = try parts["text"].or("") { e throws(ScenarioFileError) in try e.text() }
        let delay = try parts["after"].or(.zero) { e throws(ScenarioFileError) in try e.time() }
        if let stray = parts["text"], !given[0].hasPrefix("error") {
            throw stray.error("text without error or error-afterwards", "text with error or error-afterwards only")
        }
        if let stray = parts["after"], given[0] != "meanwhile" {
            throw stray.error("after without meanwhile", "after with meanwhile only")
        }
        let effect: Fault.Effect
        switch given[0] {
        case "late": effect = .late(try part.time())
        case "error": effect = .error(try part.errorName(), text)
        case "error-afterwards": effect = .errorAfterwards(try part.errorName(), text)
        case "meanwhile":
            let event = try part.action(&known)
            effect = .meanwhile(after: delay, event)
        default:
            guard try part.truth() else { throw part.wrong("true, or no such key") }
            effect = ["never": .never, "lost": .lost, "twice": .twice][given[0]] ?? .swapped
        }
        return Fault(
            try required("method", in: parts).text(),
            at: try parts["path"].or("*") { e throws(ScenarioFileError) in try e.text() },
            property: try parts["property"].or(nil) { e throws(ScenarioFileError) in try e.text() },
            calls: try parts["calls"].or(.all) { e throws(ScenarioFileError) in try e.calls() }, effect)
    }

    /// Reads which calls have the fault: `all`; `3` for only the third; `first 3`; `from 3` and later.
    private func calls() throws(ScenarioFileError) -> Fault.Calls {
        let words = try text().split(separator: " ")
        if words == ["all"] { return .all }
        guard let number = words.last.flatMap({ Int($0) }), number > 0 else {
            throw wrong("all, 3, first 3 or from 3, with a number of 1 or more")
        }
        switch words.dropLast() {
        case []: return .only(number)
        case ["first"]: return .first(number)
        case ["from"]: return .from(number)
        default: throw wrong("all, 3, first 3 or from 3, with a number of 1 or more")
        }
    }

    private func errorName() throws(ScenarioFileError) -> String {
        let text = try text()
        let elements = text.split(separator: ".", omittingEmptySubsequences: false)
        let isName =
            elements.count > 1
            && elements.allSatisfy { element in
                !element.isEmpty && element.first?.isNumber == false
                    && element.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            }
        guard isName, text.utf8.count <= 255 else { throw wrong("an error name such as org.bluez.Error.Failed") }
        return text
    }
}
