import ble_cli

/// The program's entry point.
@main
enum Main {
    static func main() { CommandLineTool.main() }
}
