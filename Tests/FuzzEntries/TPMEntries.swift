// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TPMClient

/// The replies of a TPM or of an attacker in its place: each is a u16 byte count (big-endian) and
/// as many bytes. After the last one the connection ends.
enum TPMEntries {
    static func responses(_ data: Data) {
        // Without the key of this session, an attacker can't make any operation succeed.
        let connection = TPMConnection(Script(data), operationMilliseconds: 20)
        let made = try? TPMDevice.make(
            connection, isShared: false, mayBeHardware: true, hasCounter: true)
        precondition(made == nil)
        guard let record = TPMRecord(keptRecord) else { preconditionFailure("no record") }
        let device = TPMDevice(
            record, TPMConnection(Script(data), operationMilliseconds: 20), isShared: true)
        precondition((try? device.check()) == nil)
    }

    static func record(_ data: Data) {
        guard let record = TPMRecord([UInt8](data)) else { return }
        precondition(record.bytes == [UInt8](data))
    }

    /// These replies aren't authenticated: the only requirement is that their results have one
    /// encoding.
    static func registers(_ data: Data) {
        guard let all = TPMRegisters(mask: TPMRegisters.all) else {
            preconditionFailure("no registers")
        }
        let connection = TPMConnection(Script(data), operationMilliseconds: 20)
        guard let state = try? connection.state(of: all) else { return }
        precondition(state.registers == all && state.digest.count == 32)
    }

    static func entropy(_ data: Data) {
        guard let entropy = try? TPMSealedEntropy([UInt8](data)) else { return }
        precondition(entropy.bytes == [UInt8](data))
    }

    private final class Script: TPMTransport {
        private var rest: ArraySlice<UInt8>

        init(_ data: Data) { rest = [UInt8](data)[...] }

        func exchange(_ command: [UInt8], deadline: Int) throws(TPMFailure) -> [UInt8] {
            guard let high = rest.popFirst(), let low = rest.popFirst() else { throw .gone }
            let response = [UInt8](rest.prefix(Int(high) << 8 | Int(low)))
            rest = rest.dropFirst(response.count)
            return response
        }
    }

    // MARK: - Seeds

    /// Recorded from swtpm: the replies to the commands of `make`.
    static var conversations: [Data] { [recordedConversation, Data()] }

    /// Registers 0 to 23, eight in each reply, all of them zero.
    static var registerAnswers: [Data] {
        let zeros = String(repeating: "0020" + String(repeating: "00", count: 32), count: 8)
        let answers = ["ff0000", "00ff00", "0000ff"].map { mask in
            "012c80010000012c000000000000001700000001000b03" + mask + "00000008" + zeros
        }
        return [Data(bytes(answers.joined())), Data()]
    }

    /// For a passcode without a binding, and one that is bound to registers 0, 2 and 7.
    static var entropies: [Data] {
        let digest = String(repeating: "5a", count: 32)
        let object = "0004" + "00080001" + "0003" + "00aabb"
        let texts = [
            "01018322ae" + digest + object, "02018322ae" + digest + "00000085" + digest + object,
        ]
        return texts.map { Data(bytes($0)) }
    }

    static var records: [Data] { [Data(keptRecord), Data()] }
    private static let recordedConversation = Data(conversation)

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }

    private static let conversation = bytes(
        "000a80010000000a00000100001380010000001300000000000000000100000000001380010000001300"
            + "000000000000000100000000001380010000001300000000000000000100000000003b80010000003b00"
            + "0000000100000006000000050000010549424d000000010653572020000001072054504d000001080000"
            + "00000000010900000000013a80020000013a000000008000000000000123005a0023000b000304720000"
            + "0006008000430010000300100020a1980a94e74f61222e5fea0cde7b22ceeb71b29dce7e1fb02f06216f"
            + "0bf7157d0020aedf48526eff94acf3fdcf76086ba167f4a90727154c485fb37eb32b2936c2e100370000"
            + "00000020e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855010010000440"
            + "000001000440000001000000205da041bac0ee3135aebb0cadfba497c6a1877fae832dd3d1f8f7a871b8"
            + "25e8548021400000010040993682f4d27304f0b3ac6f07f2629bb67e87c2e3baa7587b28a46f4b526f5d"
            + "df7e33ce32ec2a898d8dacbd9a0f02ab7a2a4665fb27955e134e32e02b6621ba3f0022000ba55bf368a6"
            + "a8af7a75f996af8ec454e43be6b92b864d6b5c1148005a5dea4806000001000000308001000000300000"
            + "000002000000002001f7239c22294429ccbb6b5b40ec1540e3222a8fc90c7a9e501cc95f105a25550204"
            + "80020000020400000000000001b1009e0020a16b09b0fb2f79172fa1a6041abf7106d9d5cc1da87f4639"
            + "dbcf85334d6b15770010d6d7aada22039872744d82741942ccfa7e2d8f508865fb56c3226a4e6b09ee1c"
            + "319e69c92d0b027eb49d342fa82c8c4ef1b85c0f16a86438f9e8c7b64e590233cb0691544f135bed385d"
            + "504726fe6a8a81280fa9d0c0a071a63703a97f02f0ed40b41b7c3b7ba3eb4cf40f4b6f4daa92cf4aaf0e"
            + "440f810dfd5600300008000b0004047200000005000b00203fa3bdf814b91110ef9f5d5242d5e222e88a"
            + "aa06c4177863a0e9a8abb96e58ac0073000000000020e3b0c44298fc1c149afbf4c8996fb92427ae41e4"
            + "649b934ca495991b7852b85501000b0022000ba55bf368a6a8af7a75f996af8ec454e43be6b92b864d6b"
            + "5c1148005a5dea48060022000b425bf25cde2e00190c43d31a61ce1071d1aaa92a48b0e20f6a1522de27"
            + "e7c5d600000020218ef63b5b3246b72562c4a0993d178989d5222227064a0f38235d4ed8bfff0b802140"
            + "00000100402fb8927b31a6f19434af55ca1fdcbc7f59af50e1d4ba00a025a183d3a6165c6ab6e06da8a2"
            + "c48b4f1f77a3fded4db2d075c1b42a52f2c94982fe6d2703fd388f00209872273a5aa0955242e071e98a"
            + "e046901ce84d340798806dded6df44eac3ca102100209002578c5e747325a6258c6d243402c69c4f4c0c"
            + "a5ad809a15bd637e981ff9fa000a80010000000a00000000000a80010000000a00000000")

    private static let keptRecord = bytes(
        "4c4c54504d3100000201018322ae0022000ba55bf368a6a8af7a75f996af8ec454e43be6b92b864d6b5c"
            + "1148005a5dea480600300008000b0004047200000005000b00203fa3bdf814b91110ef9f5d5242d5e222"
            + "e88aaa06c4177863a0e9a8abb96e58ac009e0020a16b09b0fb2f79172fa1a6041abf7106d9d5cc1da87f"
            + "4639dbcf85334d6b15770010d6d7aada22039872744d82741942ccfa7e2d8f508865fb56c3226a4e6b09"
            + "ee1c319e69c92d0b027eb49d342fa82c8c4ef1b85c0f16a86438f9e8c7b64e590233cb0691544f135bed"
            + "385d504726fe6a8a81280fa9d0c0a071a63703a97f02f0ed40b41b7c3b7ba3eb4cf40f4b6f4daa92cf4a"
            + "af0e440f810dfd5655c4b6d845025c2cbd4523ca00f7846f")
}
