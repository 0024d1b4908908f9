/// The names of units in a Characteristic Presentation Format.
///
/// Source: Assigned Numbers, 3.5.
enum UnitName {
    static func of(_ uuid: UInt16) -> String? { names[uuid] }

    // Table: units by UUID. Units that hardly a device has are missing.
    private static let names: [UInt16: String] = [
        0x2700: "none", 0x2701: "metre", 0x2702: "kilogram", 0x2703: "second", 0x2704: "ampere", 0x2705: "kelvin",
        0x2706: "mole", 0x2707: "candela", 0x2710: "square metre", 0x2711: "cubic metre", 0x2712: "metre per second",
        0x2713: "metre per second squared", 0x2715: "kilogram per cubic metre", 0x2720: "radian", 0x2721: "steradian",
        0x2722: "hertz", 0x2723: "newton", 0x2724: "pascal", 0x2725: "joule", 0x2726: "watt", 0x2727: "coulomb",
        0x2728: "volt", 0x2729: "farad", 0x272A: "ohm", 0x272B: "siemens", 0x272C: "weber", 0x272D: "tesla",
        0x272E: "henry", 0x272F: "degree Celsius", 0x2730: "lumen", 0x2731: "lux", 0x2732: "becquerel", 0x2733: "gray",
        0x2734: "sievert", 0x2735: "katal", 0x2760: "minute", 0x2761: "hour", 0x2762: "day", 0x2763: "degree",
        0x2764: "minute of angle", 0x2765: "second of angle", 0x2766: "hectare", 0x2767: "litre", 0x2768: "tonne",
        0x2780: "bar", 0x2781: "millimetre of mercury", 0x2783: "nautical mile",
        0x2785: "knot", 0x2786: "neper", 0x2787: "bel", 0x2741: "newton metre", 0x2743: "radian per second",
        0x27A0: "yard", 0x27A5: "pound per square inch", 0x27B5: "per cubic metre", 0x27B6: "watt per square metre",
        0x27B7: "millilitre per kilogram and minute", 0x27BE: "lumen per watt", 0x27BF: "lumen hour",
        0x27C0: "lux hour", 0x27C1: "gram per second", 0x27C2: "litre per second", 0x27C8: "volt ampere",
        0x27A2: "inch", 0x27A3: "foot", 0x27A4: "mile", 0x27A6: "kilometre per hour", 0x27A7: "mile per hour",
        0x27A8: "revolution per minute", 0x27A9: "gram calorie", 0x27AA: "kilogram calorie", 0x27AB: "kilowatt hour",
        0x27AC: "degree Fahrenheit", 0x27AD: "percent", 0x27AE: "per mille", 0x27AF: "beat per minute",
        0x27B0: "ampere hour", 0x27B1: "milligram per decilitre", 0x27B2: "millimole per litre", 0x27B3: "year",
        0x27B4: "month", 0x27B8: "pound", 0x27B9: "metabolic equivalent", 0x27BA: "step per minute",
        0x27BC: "stroke per minute", 0x27C3: "decibel", 0x27C4: "part per million", 0x27C5: "part per billion",
    ]
}
