import CArguments

/// The arguments of the command line.
///
/// A C function reads the arguments, because `CommandLine.arguments` is empty without /proc, and under libfaketime.
package enum CommandLineArguments {
    /// All arguments without the program's name.
    package static let all: [String] = {
        guard arguments_count() > 0, let list = unsafe arguments_list() else {
            return Array(CommandLine.arguments.dropFirst())
        }
        return (1..<max(1, Int(arguments_count()))).compactMap {
            unsafe list[$0].map { unsafe String(cString: $0) }
        }
    }()
}
