/// A row of bars, one for each of the latest RSSI values.
enum Sparkline {
    private static let bars = Array("▁▂▃▄▅▆▇█")
    private static let plainBars = Array("_.-:=+*#")
    /// The smallest difference in dB between the lowest and the highest bar. Smaller ones are noise.
    private static let smallestRange = 10

    /// Returns the latest values as bars, the newest last, in exactly this width.
    ///
    /// The weakest value has the lowest bar and the strongest the highest. The RSSI as a number is beside them.
    static func text(_ values: [Int], width: Int, isUnicode: Bool) -> String {
        let shown = values.suffix(max(0, width))
        let bars = isUnicode ? bars : plainBars
        let (weakest, strongest) = (values.min() ?? 0, values.max() ?? 0)
        let range = max(strongest - weakest, smallestRange)
        let lowest = weakest - (range - (strongest - weakest)) / 2
        let line = shown.map { value in
            let part = (value - lowest) * bars.count / range
            return bars[min(max(0, part), bars.count - 1)]
        }
        return String(repeating: " ", count: max(0, width - shown.count)) + String(line)
    }
}
