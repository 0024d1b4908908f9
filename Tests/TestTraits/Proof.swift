/// The number of a promise (S) or of a quirk (Q), to name in ``Testing/Trait/proves(_:)``.
///
/// docs/promises.md and docs/quirks.md list what the numbers stand for. `scripts/promises` checks that the lists agree.
// swift-format-ignore: AlwaysUseLowerCamelCase
public enum Proof: String, CaseIterable, Sendable {
    // MARK: Promises

    case S1, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11, S12, S13, S14, S15, S16, S17, S18, S19, S20, S21, S22
    case S23, S24, S25, S26, S27, S28, S29, S30, S31, S32, S33, S34, S35, S36, S37, S38, S39, S40, S41, S42
    case S43, S44, S45, S46, S47, S48, S49, S50, S51, S52, S53, S54, S55, S56, S57, S58, S59, S60, S61, S62
    case S63, S64, S65, S66, S67, S68, S69, S70, S71, S72, S73, S74, S75, S76, S77, S78, S79, S80, S81, S82
    case S83, S84, S85, S86, S87, S88, S89, S90, S91, S92
    case S93, S94, S95, S96, S97, S98, S99, S100, S101, S102
    case S103, S104, S105, S106, S107, S108, S109, S110, S111, S112, S113, S114, S115, S116, S117, S118
    case S119, S120, S121, S122, S123
    case S124, S125, S126, S127, S128, S129
    case S130, S131, S132, S133, S134, S135, S136, S137, S138, S139
    case S140, S141, S142

    // MARK: Quirks

    case Q1, Q2, Q3, Q4, Q5, Q6, Q7, Q8, Q9, Q10, Q11, Q12, Q13, Q14, Q15, Q16, Q17, Q18, Q19, Q20, Q21, Q22
    case Q23, Q24, Q25, Q26, Q27, Q28, Q29, Q30, Q31, Q32, Q33, Q34, Q35, Q36, Q37, Q38, Q39, Q40, Q41, Q42
    case Q43, Q44, Q45, Q46, Q47, Q48, Q49, Q50, Q51, Q52, Q53, Q54, Q55, Q56, Q57, Q58, Q59, Q60, Q61, Q62
    case Q63, Q64, Q65, Q66, Q67, Q68, Q69, Q70, Q71, Q72, Q73, Q74, Q75, Q76, Q77, Q78, Q79, Q80, Q81, Q82
    case Q83, Q84, Q85, Q86, Q87, Q88, Q89, Q90, Q91, Q92, Q93, Q94, Q95, Q96, Q97, Q98, Q99, Q100, Q101
    case Q102, Q103, Q104, Q105, Q106, Q107, Q108, Q109, Q110, Q111, Q112, Q113, Q114, Q115, Q116, Q117
    case Q118, Q119, Q120, Q121, Q122, Q123, Q124, Q125
    case Q126, Q127, Q128, Q129, Q130
    case Q131, Q132, Q133, Q134, Q135, Q136, Q137, Q138
}
