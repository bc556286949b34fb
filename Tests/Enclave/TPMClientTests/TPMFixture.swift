// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import SecretBytes
import TPMClient
import TestSupport
import Testing

/// All tests that talk to a TPM.
@Suite struct TPMTests {}

/// The shared parts of the tests of the device key.
enum TPMFixture {
    static let context: [UInt8] = [7, 7]
    static let limit: UInt32 = 5
    /// As long as an operation may take on a busy machine; a killed TPM is detected at once.
    static let milliseconds = 30_000

    static func secret(_ bytes: [UInt8]) -> Secret { Secret(SecretBytes(copyingPublic: bytes)) }

    /// A connection to a TPM; the only one, as long as it exists.
    static func connection(
        _ tpm: TestTPM, milliseconds: Int = TPMFixture.milliseconds
    ) throws -> TPMConnection {
        TPMConnection(
            DescriptorTransport(owning: try tpm.connect()), operationMilliseconds: milliseconds)
    }

    static func make(_ tpm: TestTPM, hasCounter: Bool = false) throws -> TPMDevice {
        try TPMDevice.make(
            try connection(tpm), isShared: false, mayBeHardware: false, hasCounter: hasCounter)
    }

    /// The device key of a record, over a new connection.
    static func use(
        _ record: TPMRecord, _ tpm: TestTPM, milliseconds: Int = TPMFixture.milliseconds
    ) throws -> TPMDevice {
        TPMDevice(
            record, try connection(tpm, milliseconds: milliseconds), isShared: false)
    }

    /// The storage key's two coordinates of 32 zeros, as tpm2-tools reads them: C structures.
    static let unique: [UInt8] = {
        let coordinate: [UInt8] = [32, 0] + [UInt8](repeating: 0, count: 128)
        return coordinate + coordinate
    }()

    /// The derived key of passcode number n.
    static func passcode(_ number: UInt8) -> Secret {
        secret([UInt8](repeating: number, count: 32))
    }

    /// The result of opening with a passcode.
    static func outcome(
        _ device: TPMDevice, _ passcode: UInt8, _ sealed: [UInt8]
    ) -> Result<[UInt8], TPMFailure> {
        do throws(TPMFailure) {
            let opened = try device.open(
                self.passcode(passcode), sealed: sealed, context: context)
            return .success(opened.entropy.array)
        } catch { return .failure(error) }
    }
}

extension Secret {
    var array: [UInt8] { unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } }
}

extension String {
    /// The bytes of hexadecimal digits.
    var unhexed: [UInt8] {
        let digits = compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}

/// The parts of a record, parsed only by Documentation/STORAGE.md.
struct RecordParts {
    let counterNumber: UInt32
    let storageKeyName: [UInt8]
    let publicArea: [UInt8]
    let privateArea: [UInt8]

    init(_ record: TPMRecord) {
        var rest = record.bytes.dropFirst(10)
        func take(_ count: Int) -> [UInt8] {
            defer { rest = rest.dropFirst(count) }
            return [UInt8](rest.prefix(count))
        }
        func sized() -> [UInt8] {
            let head = take(2)
            return take(Int(head[0]) << 8 | Int(head[1]))
        }
        counterNumber = take(4).reduce(0) { $0 << 8 | UInt32($1) }
        storageKeyName = sized()
        publicArea = sized()
        privateArea = sized()
    }
}

/// The parts of sealed bytes.
struct SealedParts {
    let indexNumber: UInt32
    let writePolicy: [UInt8]
    let publicArea: [UInt8]
    let privateArea: [UInt8]

    init(_ sealed: [UInt8]) {
        indexNumber = sealed[1..<5].reduce(0) { $0 << 8 | UInt32($1) }
        writePolicy = [UInt8](sealed[5..<37])
        // The registers' mask and digest lie between.
        let count = Int(sealed[73]) << 8 | Int(sealed[74])
        publicArea = [UInt8](sealed[75..<75 + count])
        privateArea = [UInt8](sealed[(77 + count)...])
    }

    var indexName: String { "0x" + String(indexNumber, radix: 16) }
}
