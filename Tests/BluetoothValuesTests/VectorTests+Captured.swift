@testable import BluetoothValues

// Payloads of devices, which the projects of other decoders publish as facts for their tests.

private func celsius(_ value: Double) -> SensorMeasurement { .init(.temperature, value, .celsius) }
private func humidity(_ value: Double) -> SensorMeasurement { .init(.humidity, value, .percent) }
private func battery(_ value: Double) -> SensorMeasurement { .init(.batteryLevel, value, .percent) }
private func volts(_ value: Double) -> SensorMeasurement { .init(.voltage, value, .volt) }
private func amperes(_ value: Double) -> SensorMeasurement { .init(.current, value, .ampere) }
private func watts(_ value: Double, index: Int = 0) -> SensorMeasurement { .init(.power, value, .watt, index: index) }
private func auxiliary(_ value: Double) -> SensorMeasurement { .init(.auxiliaryVoltage, value, .volt) }
private func probe(_ value: Double, _ index: Int = 0) -> SensorMeasurement {
    .init(.probeTemperature, value, .celsius, index: index)
}

extension Vector {
    static let captured: [Vector] = govee + inkbird + thermoPro + xiaomi + encryptedXiaomi + victron + others

    // The iBeacon that some models append to their data.
    private static let appended = "4c000215494e54454c4c495f524f434b535f48575075f2ff0c"

    private static let govee = [
        Vector(
            .govee, .manufacturer, 0xEC88, "000341c26400" + appended, [celsius(21.3), humidity(44.2), battery(100)]),
        Vector(.govee, .manufacturer, 0xEC88, "00034db26400", [celsius(21.6), humidity(49.8), battery(100)]),
        Vector(.govee, .manufacturer, 0xEC88, "00030fc93500", [celsius(20.0), humidity(64.9), battery(53)]),
        // Impossible temperatures are faults of the sensor.
        Vector(.govee, .manufacturer, 0xEC88, "00bc00043e27", [battery(62)], absent: [.temperature, .humidity]),
        Vector(.govee, .manufacturer, 0xEC88, "004a00283b00", [battery(59)], absent: [.temperature, .humidity]),
        Vector(.govee, .manufacturer, 0xEC88, "00e609bc126402", [celsius(25.34), humidity(47.96), battery(100)]),
        Vector(.govee, .manufacturer, 0xEC88, "00ba0af90f63020101", [celsius(27.46), humidity(40.89), battery(99)]),
        Vector(.govee, .manufacturer, 0xEC88, "001c01a7143b000002", [celsius(2.84), humidity(52.87), battery(59)]),
        Vector(.govee, .manufacturer, 0xEC88, "00210ab61218c80001", [celsius(25.93), humidity(47.9), battery(24)]),
        Vector(
            .govee, .manufacturer, 0x0001, "010103465464", name: "GVH5100_7738",
            [celsius(21.4), humidity(61.2), battery(100)]),
        Vector(
            .govee, .manufacturer, 0x0001, "010103513e64" + appended, name: "GVH5103_5A4E",
            [celsius(21.7), humidity(40.6), battery(100)]),
        // govee-ble, GVH5112_SERVICE_INFO_PROBE_1, GVH5112_SERVICE_INFO_PROBE_2 and GVH5178_SERVICE_INFO.
        Vector(
            .govee, .manufacturer, 0x0001, "0101033d70640041", name: "GV5112AC3D",
            [probe(21.2), humidity(33.6), battery(100)], absent: [.temperature]),
        Vector(
            .govee, .manufacturer, 0x0001, "0101034928640082", name: "GV5112AC3D", [probe(21.5, 1), battery(100)],
            absent: [.temperature, .humidity]),
        Vector(
            .govee, .manufacturer, 0x0001, "010101002af7640003",
            [celsius(1), humidity(99.9), battery(100)]),
        Vector(.govee, .manufacturer, 0x0001, "010103c730640000", [celsius(24.7), humidity(60), battery(100)]),
        Vector(
            .govee, .manufacturer, 0x0001, "010103c730e40000", [battery(100)], absent: [.temperature, .humidity]),
        Vector(
            .govee, .manufacturer, 0x0001, "0101033dee023e00", name: "GV5140303A",
            [celsius(21.2), humidity(46.2), .init(.carbonDioxide, 574, .partsPerMillion)], absent: [.batteryLevel]),
        Vector(
            .govee, .manufacturer, 0x0001, "0101031abc025801", name: "GV5140303A", [],
            absent: [.temperature, .humidity, .carbonDioxide]),
        Vector(
            .govee, .manufacturer, 0x0001, "01010ed13298", name: "GVH5106_4E05",
            [celsius(24.8), humidity(59.1), .init(.particles2_5, 0, .microgramPerCubicMetre)]),
        Vector(
            .govee, .manufacturer, 0x0001, "010181867cd8", name: "GVH5106_4E05",
            [celsius(-2.5), humidity(59.1), .init(.particles2_5, 0, .microgramPerCubicMetre)]),
    ]

    private static let inkbird = [
        Vector(.inkbird, whole: "fc07c71200c83d5606", name: "sps", [celsius(20.44), humidity(48.07), battery(86)]),
        Vector(.inkbird, whole: "3b09d01300ce906406", name: "sps", [celsius(23.63), humidity(50.72), battery(100)]),
        Vector(.inkbird, whole: "4808000000c66e0d06", name: "tps", [celsius(21.2), battery(13)], absent: [.humidity]),
        Vector(
            .inkbird, whole: "0000000030e2837db5020401fa000401fa00", name: "iBBQ",
            [probe(26), probe(25, 1), probe(26, 2), probe(25, 3)]),
        Vector(.inkbird, whole: "010000002c1100006dd3ceff1101", name: "xBBQ", [probe(-5), probe(27.3, 1)]),
    ]

    private static let thermoPro = [
        Vector(.thermoPro, whole: "c2f1001d022c", name: "TP357 (2142)", [celsius(24.1), humidity(29), battery(100)]),
        Vector(
            .thermoPro, whole: "c2ee0029220b01", name: "TP357S (2142)", [celsius(23.8), humidity(41), battery(100)]),
        Vector(
            .thermoPro, whole: "c2ffffff220b01", name: "TP357S (3C62)", [battery(100)],
            absent: [.temperature, .humidity]),
        Vector(.thermoPro, whole: "c2f20035022c", name: "TP393 (9376)", [celsius(24.2), humidity(53), battery(100)]),
        Vector(.thermoPro, whole: "003a0030083800", name: "TP960R (0000)", [probe(28), celsius(26), volts(2.096)]),
        Vector(.thermoPro, whole: "003500460b3500", name: "TP970R", [probe(23), celsius(23), volts(2.886)]),
        Vector(
            .thermoPro, whole: "003300480a3300ffeeddccbbaa", name: "TP972S", [probe(21), celsius(21), volts(2.632)]),
        // thermopro-ble, a TP972 with three sensors in the food.
        Vector(
            .thermoPro, whole: "0072006a0a33d3b8420040ae426606ae426c54737744f8", name: "TP972S",
            [probe(3.56), probe(0.625, 1), probe(0.56, 2), celsius(15.556), volts(2.666)]),
    ]

    private static let xiaomi = [
        Vector(.miBeacon, .service, 0xFE95, "5020aa01da219335342d580d1004fe004802", [celsius(25.4), humidity(58.4)]),
        Vector(.miBeacon, .service, 0xFE95, "30585b0502483cd438c1a408", []),
        Vector(.miBeacon, .service, 0xFE95, "3120980012f34f6b8d7cc40d", []),
        Vector(.miBeacon, .service, 0xFE95, "7120980012f34f6b8d7cc40d041002c400", [celsius(19.6)]),
        Vector(.miBeacon, .service, 0xFE95, "50305b05034c94b438c1a40d10041001ea01", [celsius(27.2), humidity(49)]),
        Vector(
            .miBeacon, .service, 0xFE95, "71209800687a3e6a8d7cc40d0910025702",
            [.init(.conductivity, 599, .microsiemensPerCentimetre)]),
        Vector(.miBeacon, .service, 0xFE95, "71209800477a3e6a8d7cc40d08100140", [.init(.moisture, 64, .percent)]),
        Vector(.miBeacon, .service, 0xFE95, "7120bc03cd3e596d8d7cc40d0410023c01", [celsius(31.6)]),
        Vector(
            .miBeacon, .service, 0xFE95, "7022db006fc16fddf9810009002005c60d630d51",
            [.init(.bodyTemperature, 36.872, .celsius), battery(81)]),
        // A byte follows the last object.
        Vector(
            .miBeacon, .service, 0xFE95, "702291030fdbab531824d0090a0002750d07",
            [.init(.bodyTemperature, 34.45, .celsius)]),
        Vector(.miBeacon, .service, 0xFE95, "7130890437115b174371e6091000020003", [.init(.count, 3, .none)]),
        Vector(.miScale, .service, 0x181D, "a22044b20701010a1a15", [.init(.mass, 87.2, .kilogram)]),
        Vector(.miScale, .service, 0x181D, "821400e507040b101708", [.init(.mass, 0.1, .kilogram)]),
        Vector(.miScale, .service, 0x181B, "0204b207010112101a0000a852", [.init(.mass, 105.8, .kilogram)]),
        Vector(
            .miBeacon, .service, 0xFE95, "5858480b685f12342d585a0b1841e2aa000e00a4964fb5",
            address: "5A:58:2D:34:12:5F", key: "814aac74c4f17b6c1581e1ab87816b99", [humidity(59.6)]),
        Vector(
            .miBeacon, .service, 0xFE95, "58586f0607892012342d585f176dd54f0200002fa453fa",
            address: "58:2D:34:12:20:89", key: "a3bfe9853dd85a620debe3620caaa351", [celsius(22.6)]),
    ]

    private static let encryptedXiaomi = [
        Vector(
            .miBeacon, .service, 0xFE95, "4858422529202d8c7a76b756a82a0078b8224e", address: "A4:C1:38:0E:FD:78",
            key: "19b1c678ab0a8bc3dc77765f059188d4", [celsius(26.1)]),
        Vector(
            .miBeacon, .service, 0xFE95, "585842258878fd0e38c1a405f6538aa72a0062b1a966", address: "A4:C1:38:0E:FD:78",
            key: "19b1c678ab0a8bc3dc77765f059188d4", [humidity(38)]),
        Vector(
            .miBeacon, .service, 0xFE95, "48590312a41b776e7c96add7000000f2bf545b", address: "2C:11:65:25:70:04",
            key: "b2cf9a553d53571b5657defd582d676e", [humidity(45)]),
        Vector(
            .miBeacon, .service, 0xFE95, "48580608c9480ef11281079733fc1400005644db41", address: "ED:DE:34:3F:48:0C",
            key: "1330b99cded13258acc391627e9771f7", [.init(.score, 83, .none)]),
        Vector(
            .atc1441, .service, 0x181A, "58e9e6556581b3f9", address: "A4:C1:38:8D:18:B2",
            key: "b9ea895fac7eea6d30532432a516f3a3", [celsius(26.5), humidity(47), battery(100)]),
        Vector(
            .pvvx, .service, 0x181A, "11d603fbfa7b6dfb1e26fd", address: "A4:C1:38:8D:18:B2",
            key: "b9ea895fac7eea6d30532432a516f3a3", [celsius(23.45), humidity(41.73), battery(61)]),
    ]

    private static let victron = [
        Vector(
            .victron, .manufacturer, 0x02E1, "100289a30d787fafde83ccec982199fd815286", address: "C0:00:00:00:00:01",
            key: "aff4d0995b7d1e176c0c33ecb9e70dcd", [volts(12.52), amperes(0), auxiliary(-0.01)]),
        Vector(
            .victron, .manufacturer, 0x02E1, "1080b0a3093523fadedea38b1af8bcbde91ca8b6dbb60e",
            address: "C0:00:00:00:00:01", key: "fac570d66380b797a5b7543758be00e4", [volts(13.07), auxiliary(13.07)]),
        Vector(
            .victron, .manufacturer, 0x02E1, "100043a40bf4e434af0e46c3b8eb68e08e616993f70c",
            address: "C0:00:00:00:00:01", key: "346c410e8c824dd723c0f5b13b9eabc8",
            [
                volts(51.71), amperes(-12.8), watts(0), watts(722, index: 1), watts(0, index: 2),
                .init(.yieldToday, 5320, .wattHour),
            ]),
        Vector(
            .victron, .manufacturer, 0x02E1, "100380270c1252dad26f0b8eb39162074d140df410",
            address: "C0:00:00:00:00:01", key: "da3f5fa2860cb1cf86ba7a6d1d16b9dd",
            [volts(14.45), amperes(23.2), watts(1459), watts(1046, index: 1), celsius(32)], absent: [.stateOfCharge]),
        Vector(
            .victron, .manufacturer, 0x02E1, "100030a308f926c1b5170a0d2280335bf12d5ed083",
            address: "C0:00:00:00:00:01", key: "c129cf8f75c3fe5a1655b481e205fb7d",
            [volts(13.49), amperes(0.4), celsius(21)]),
        Vector(
            .victron, .manufacturer, 0x02E1, "1000c0a304121d64ca8d442b90bbdf6a8cba",
            address: "C0:00:00:00:00:01", key: "64ba49f1a8562e45197a8e1fe50d7658", [auxiliary(13.15)],
            absent: [.voltage]),
        // victron-ble, test_battery_sense: it measures no current.
        Vector(
            .victron, .manufacturer, 0x02E1, "1000a4a3025f150d8dcbff517f30eb65e76b22a04ac4e1",
            address: "C0:00:00:00:00:01", key: "0da694539597f9cf6c613cde60d7bf05", [volts(12.22), celsius(22.5)],
            absent: [.current, .stateOfCharge, .consumedCharge, .timeRemaining]),
        // victron-ble, test_battery_monitor: the auxiliary input has no temperature.
        Vector(
            .victron, .manufacturer, 0x02E1, "100289a302bb01af129087600b9b97bc2c32867c8238da",
            address: "C0:00:00:00:00:01", key: "aff4d0995b7d1e176c0c33ecb9e70dcd", [volts(12.54)],
            absent: [.temperature]),
    ]

    private static let others = [
        Vector(
            .sensirion, .manufacturer, 0x06D5, "000884e33e5f3347d402",
            [celsius(20.108), humidity(27.813), .init(.carbonDioxide, 724, .partsPerMillion)]),
        Vector(
            .aranet, .manufacturer, 0x0702, "210503010005000143049f018b27350c023c00100055",
            [
                .init(.carbonDioxide, 1091, .partsPerMillion), celsius(20.75), .init(.pressure, 1012.3, .hectopascal),
                humidity(53), battery(12),
            ]),
        Vector(
            .aranet, .manufacturer, 0x0702, "01210404010000000000990100000a02003b007800520064",
            [celsius(20.45), humidity(52.2), battery(59)]),
        Vector(
            .aranet, .manufacturer, 0x0702, "022126040100d03300006c60060082000063002c01580072",
            [
                .init(.radiationDose, 13.264, .microsievert), .init(.radiationDoseRate, 0.13, .microsievertPerHour),
                .init(.duration, 417_900, .second), battery(99),
            ]),
    ]
}
