extension AssignedNames {
    /// The names of GATT descriptors, by 16-bit number.
    /// Source: Bluetooth SIG, Assigned Numbers.
    static let descriptors = table(
        """
        2900 Characteristic Extended Properties
        2901 Characteristic User Description
        2902 Client Characteristic Configuration
        2903 Server Characteristic Configuration
        2904 Characteristic Format
        2905 Characteristic Aggregate Formate
        2906 Valid Range
        2907 External Report Reference
        2908 Report Reference
        2909 Number of Digitals
        290A Value Trigger Setting
        290B Environmental Sensing Configuration
        290C Environmental Sensing Measurement
        290D Environmental Sensing Trigger Setting
        290E Time Trigger Setting
        """)
}
