extension YAMLValue {
    /// Reports texts such as `${NAME}`, which other programs replace with a variable of the environment.
    package func reportVariables() {
        switch node.content {
        case .scalar(let text):
            guard let start = text.firstRange(of: "${"), text[start.upperBound...].contains("}") else { return }
            report(
                "“\(Self.quoted(text))” has a variable, which is not replaced",
                "write the value, or name a file with it")
        case .sequence(let elements):
            for element in elements { YAMLValue(element, name, mistakes).reportVariables() }
        case .mapping(let pairs):
            for pair in pairs { YAMLValue(pair.value, name, mistakes).reportVariables() }
        }
    }
}
