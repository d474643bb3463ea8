import EditModel
import Testing

@Suite struct HexadecimalTests {
  @Test func everyByteHasTwoDigits() {
    for byte in UInt8.min...UInt8.max {
      let digits = String(byte, radix: 16)
      #expect(String(hexadecimal: [byte]) == (byte < 16 ? "0" : "") + digits)
    }
    #expect(String(hexadecimal: []) == "")
    #expect(String(hexadecimal: [0x00, 0x09, 0x0A, 0xF0, 0xFF]) == "00090af0ff")
  }
}
