// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The kind of TPM, as the TPM itself reports it.
package enum TPMKind: UInt8, CaseIterable, Sendable {
    /// A program that emulates a TPM: an attacker with its files has its keys.
    case software = 2
    /// It doesn't report that it is software.
    case hardware = 3
}

extension TPMConnection {
    private static let propertiesCapability: UInt32 = 6
    private static let handlesCapability: UInt32 = 1
    private static let manufacturer: UInt32 = 0x105
    private static let vendorStrings: ClosedRange<UInt32> = 0x106...0x109
    private static let firstTransient: UInt32 = 0x8000_0000
    private static let firstSession: UInt32 = 0x0200_0000
    private static let firstSavedSession: UInt32 = 0x0300_0000

    /// Words in vendor strings of TPMs that are programs: libtpms (swtpm, also behind virtual
    /// machines), the reference implementation and its derivatives, cloud providers' virtual ones.
    private static let softwareWords = ["SW", "xCG fTPM", "SimulatorTPM", "vTPM", "IBMTPM", "VTPM"]

    /// Starts a TPM that hasn't been started.
    func startUp() throws(TPMFailure) {
        do throws(TPMFailure) {
            _ = try run(.startup, [], [0, 0])
        } catch {
            // INITIALIZE here means that it was started already.
            guard error == .broken else { throw error }
        }
    }

    /// The TPM's identity, as it reports it.
    func kind() throws(TPMFailure) -> TPMKind {
        var response = try run(
            .capability, [],
            TPMWriter.bytes { writer in
                writer.u32(Self.propertiesCapability)
                writer.u32(Self.manufacturer)
                writer.u32(5)
            })
        _ = try response.parameters.u8()
        guard try response.parameters.u32() == Self.propertiesCapability else { throw .garbage }
        let count = try response.parameters.u32()
        guard count <= 256 else { throw .garbage }
        var vendor: [UInt8] = []
        for _ in 0..<count {
            let property = try response.parameters.u32()
            let value = try response.parameters.raw(4)
            if Self.vendorStrings.contains(property) { vendor += value.filter { $0 != 0 } }
        }
        let text = String(decoding: vendor, as: UTF8.self)
        return Self.softwareWords.contains { text.contains($0) } ? .software : .hardware
    }

    /// Flushes all objects and sessions, of an earlier client or of replies that were lost. The TPM
    /// has space for few.
    /// - Parameter isShared: Whether a resource manager separates clients. If so, the loaded ones
    ///   belong to this client, but the saved ones don't.
    /// - Throws: when the TPM doesn't report what is loaded.
    func flushAll(isShared: Bool) throws(TPMFailure) {
        let kinds = [Self.firstTransient, Self.firstSession]
        for first in kinds + (isShared ? [] : [Self.firstSavedSession]) {
            for number in try handles(from: first) { flush(number) }
        }
    }

    private func handles(from first: UInt32) throws(TPMFailure) -> [UInt32] {
        var response = try run(
            .capability, [],
            TPMWriter.bytes { writer in
                writer.u32(Self.handlesCapability)
                writer.u32(first)
                writer.u32(64)
            })
        _ = try response.parameters.u8()
        guard try response.parameters.u32() == Self.handlesCapability else { throw .garbage }
        let count = try response.parameters.u32()
        guard count <= 64 else { throw .garbage }
        var numbers: [UInt32] = []
        for _ in 0..<count { numbers.append(try response.parameters.u32()) }
        // Never an index or a persistent object: only loaded objects can be flushed. A loaded
        // policy session has the first number of the saved ones.
        let kinds = [Self.firstTransient, Self.firstSession, Self.firstSavedSession]
        return numbers.filter { kinds.contains($0 & 0xFF00_0000) }
    }
}
