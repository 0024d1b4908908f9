/// The unit of a measured value.
///
/// The raw value is a stable name for files and JSON; ``symbol`` is for people.
public enum MeasurementUnit: String, Hashable, Sendable, CaseIterable {
    /// A number without a unit, for example a count or an index.
    case none
    /// Degrees Celsius.
    case celsius
    /// Degrees Fahrenheit.
    case fahrenheit
    /// Kelvin.
    case kelvin
    /// Kelvin in a second.
    case kelvinPerSecond
    /// Hundredths: percent.
    case percent
    /// Hectopascal.
    case hectopascal
    /// Pascal.
    case pascal
    /// Kilopascal.
    case kilopascal
    /// Millimetres of mercury.
    case millimetreOfMercury
    /// Parts per million.
    case partsPerMillion
    /// Parts per billion.
    case partsPerBillion
    /// Micrograms in a cubic metre.
    case microgramPerCubicMetre
    /// Kilograms in a cubic metre.
    case kilogramPerCubicMetre
    /// Particles in a cubic metre.
    case perCubicMetre
    /// Lux.
    case lux
    /// Lux hours.
    case luxHour
    /// Lumen.
    case lumen
    /// Lumen hours.
    case lumenHour
    /// Lumen per watt.
    case lumenPerWatt
    /// Candela.
    case candela
    /// Watts in a square metre.
    case wattPerSquareMetre
    /// Volt.
    case volt
    /// Ampere.
    case ampere
    /// Ampere hours.
    case ampereHour
    /// Ohm.
    case ohm
    /// Watt.
    case watt
    /// Volt-ampere.
    case voltAmpere
    /// Watt hours.
    case wattHour
    /// Kilowatt hours.
    case kilowattHour
    /// Kilovolt-ampere hours.
    case kilovoltAmpereHour
    /// Joule.
    case joule
    /// Kilojoule.
    case kilojoule
    /// Kilocalories.
    case kilocalorie
    /// Kilocalories in an hour.
    case kilocaloriePerHour
    /// Kilocalories in a minute.
    case kilocaloriePerMinute
    /// Microsiemens in a centimetre.
    case microsiemensPerCentimetre
    /// Tesla.
    case tesla
    /// Hertz.
    case hertz
    /// Decibel.
    case decibel
    /// Decibel of sound pressure.
    case decibelOfSound
    /// Decibel above one milliwatt.
    case decibelMilliwatt
    /// Seconds.
    case second
    /// Minutes.
    case minute
    /// Hours.
    case hour
    /// Days.
    case day
    /// Years.
    case year
    /// Metres.
    case metre
    /// Kilometres.
    case kilometre
    /// Millimetres.
    case millimetre
    /// Inches.
    case inch
    /// Degrees of an angle.
    case degree
    /// Radians.
    case radian
    /// Degrees in a second.
    case degreePerSecond
    /// Metres in a second.
    case metrePerSecond
    /// Kilometres in an hour.
    case kilometrePerHour
    /// Metres in a second squared.
    case metrePerSecondSquared
    /// The acceleration of gravity: 9.80665 m/s².
    case standardGravity
    /// Kilograms.
    case kilogram
    /// Grams.
    case gram
    /// Grams in a second.
    case gramPerSecond
    /// Pounds.
    case pound
    /// Jin, a weight of 500 grams.
    case jin
    /// Newton.
    case newton
    /// Newton metres.
    case newtonMetre
    /// Litres.
    case litre
    /// Millilitres.
    case millilitre
    /// Cubic metres.
    case cubicMetre
    /// Cubic metres in an hour.
    case cubicMetrePerHour
    /// Litres in a second.
    case litrePerSecond
    /// Kilograms in a square metre, the unit of the body mass index.
    case kilogramPerSquareMetre
    /// Beats in a minute.
    case beatsPerMinute
    /// Revolutions, steps or strokes in a minute.
    case perMinute
    /// Kilograms in a litre.
    case kilogramPerLitre
    /// Moles in a litre.
    case molePerLitre
    /// Milligrams in a decilitre.
    case milligramPerDecilitre
    /// Milligrams in a decilitre and a minute, the unit of a trend of glucose.
    case milligramPerDecilitreMinute
    /// Millilitres in a kilogram and a minute, the unit of VO2 max.
    case millilitrePerKilogramMinute
    /// The metabolic equivalent of a task.
    case metabolicEquivalent
    /// Density relative to water.
    case specificGravity
    /// Becquerel in a cubic metre.
    case becquerelPerCubicMetre
    /// Microsievert.
    case microsievert
    /// Microsievert in an hour.
    case microsievertPerHour

    /// The symbol that is written after a value, for example `°C`; empty for ``none``.
    public var symbol: String {
        switch self {
        case .none, .specificGravity: ""
        case .celsius: "°C"
        case .fahrenheit: "°F"
        case .kelvin: "K"
        case .kelvinPerSecond: "K/s"
        case .percent: "%"
        case .hectopascal: "hPa"
        case .pascal: "Pa"
        case .kilopascal: "kPa"
        case .millimetreOfMercury: "mmHg"
        case .partsPerMillion: "ppm"
        case .partsPerBillion: "ppb"
        case .microgramPerCubicMetre: "µg/m³"
        case .kilogramPerCubicMetre: "kg/m³"
        case .perCubicMetre: "/m³"
        case .lux: "lx"
        case .luxHour: "lx·h"
        case .lumen: "lm"
        case .lumenHour: "lm·h"
        case .lumenPerWatt: "lm/W"
        case .candela: "cd"
        case .wattPerSquareMetre: "W/m²"
        case .volt: "V"
        case .ampere: "A"
        case .ampereHour: "Ah"
        case .ohm: "Ω"
        case .watt: "W"
        case .voltAmpere: "VA"
        case .wattHour: "Wh"
        case .kilowattHour: "kWh"
        case .kilovoltAmpereHour: "kVAh"
        case .joule: "J"
        case .kilojoule: "kJ"
        case .kilocalorie: "kcal"
        case .kilocaloriePerHour: "kcal/h"
        case .kilocaloriePerMinute: "kcal/min"
        case .microsiemensPerCentimetre: "µS/cm"
        case .tesla: "T"
        case .hertz: "Hz"
        case .decibel: "dB"
        case .decibelOfSound: "dB SPL"
        case .decibelMilliwatt: "dBm"
        case .second: "s"
        case .minute: "min"
        case .hour: "h"
        case .day: "d"
        case .year: "a"
        case .metre: "m"
        case .kilometre: "km"
        case .millimetre: "mm"
        case .inch: "in"
        case .degree: "°"
        case .radian: "rad"
        case .degreePerSecond: "°/s"
        case .metrePerSecond: "m/s"
        case .kilometrePerHour: "km/h"
        case .metrePerSecondSquared: "m/s²"
        case .standardGravity: "g₀"
        case .kilogram: "kg"
        case .gram: "g"
        case .gramPerSecond: "g/s"
        case .pound: "lb"
        case .jin: "jin"
        case .newton: "N"
        case .newtonMetre: "Nm"
        case .litre: "l"
        case .millilitre: "ml"
        case .cubicMetre: "m³"
        case .cubicMetrePerHour: "m³/h"
        case .litrePerSecond: "l/s"
        case .kilogramPerSquareMetre: "kg/m²"
        case .beatsPerMinute: "bpm"
        case .perMinute: "/min"
        case .kilogramPerLitre: "kg/l"
        case .molePerLitre: "mol/l"
        case .milligramPerDecilitre: "mg/dl"
        case .milligramPerDecilitreMinute: "mg/dl/min"
        case .millilitrePerKilogramMinute: "ml/kg/min"
        case .metabolicEquivalent: "MET"
        case .becquerelPerCubicMetre: "Bq/m³"
        case .microsievert: "µSv"
        case .microsievertPerHour: "µSv/h"
        }
    }
}
