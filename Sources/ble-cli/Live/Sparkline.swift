/// A row of bars, one for each of the latest RSSI values.
enum Sparkline {
    private static let bars = Array("▁▂▃▄▅▆▇█")
    private static let plainBars = Array("_.-:=+*#")
    /// The RSSI in dBm of the lowest and the highest bar. All devices have this scale, so that they can be compared.
    private static let (weakest, strongest) = (-100, -40)

    /// Returns the latest values as bars, the newest last, in exactly this width.
    static func text(_ values: [Int], width: Int, isUnicode: Bool) -> String {
        let shown = values.suffix(max(0, width))
        let bars = isUnicode ? bars : plainBars
        let line = shown.map { value in
            let part = (value - weakest) * bars.count / (strongest - weakest)
            return bars[min(max(0, part), bars.count - 1)]
        }
        return String(repeating: " ", count: max(0, width - shown.count)) + String(line)
    }
}
