// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes

extension TPMConnection {
    /// Defines an index.
    /// - Returns: False when another one has its number.
    func define(
        _ index: TPMIndex, authorization: Secret, _ session: TPMSession
    ) throws(TPMFailure) -> Bool {
        do throws(TPMFailure) {
            _ = try run(
                .defineIndex, [.owner], TPMAuthorization(session: session), secret: authorization,
                TPMWriter.bytes { $0.sized(index.definition) })
            return true
        } catch {
            if error == .code(ResponseCode.nvDefined) { return false }
            throw error.ofOwner
        }
    }

    /// Removes an index.
    func undefine(_ index: TPMHandle, _ session: TPMSession) throws(TPMFailure) {
        do throws(TPMFailure) {
            _ = try run(.undefineIndex, [.owner, index], TPMAuthorization(session: session))
        } catch { throw error.ofIndex.ofOwner }
    }

    /// Writes the whole index by its policy; ends the session.
    func write(
        _ bytes: [UInt8], to index: TPMHandle, by policy: TPMSession
    ) throws(TPMFailure) {
        let parameters = TPMWriter.bytes { writer in
            writer.sized(bytes)
            writer.u16(0)
        }
        _ = try run(
            .writeIndex, [index, index],
            TPMAuthorization(session: policy, provesValue: false, attributes: []), parameters)
    }

    /// Reads a number of 8 bytes.
    func read(
        _ index: TPMHandle, authorization: Secret, _ session: TPMSession
    ) throws(TPMFailure) -> UInt64 {
        let parameters = TPMWriter.bytes { writer in
            writer.u16(UInt16(TPMIndex.byteCount))
            writer.u16(0)
        }
        do throws(TPMFailure) {
            var response = try run(
                .readIndex, [index, index],
                TPMAuthorization(session: session, value: authorization), parameters)
            var reader = TPMReader(try response.parameters.sized())
            let value = try reader.u64()
            try reader.finish()
            return value
        } catch { throw error.ofIndex }
    }

    /// Increments the counter.
    func increment(
        _ index: TPMHandle, authorization: Secret, _ session: TPMSession
    ) throws(TPMFailure) {
        do throws(TPMFailure) {
            _ = try run(
                .increment, [index, index],
                TPMAuthorization(session: session, value: authorization))
        } catch { throw error.ofIndex }
    }

    /// An index's name, as the TPM computes it.
    func name(ofIndex number: UInt32) throws(TPMFailure) -> [UInt8] {
        try publicArea(ofIndex: number).name
    }

    private func publicArea(
        ofIndex number: UInt32
    ) throws(TPMFailure) -> (bytes: [UInt8], name: [UInt8]) {
        var response = try run(.readIndexPublic, [TPMHandle(number)])
        let bytes = try response.parameters.sized()
        return (bytes, try response.parameters.sized())
    }

    /// Deletes an index, if it exists and has the attributes of those made here.
    func release(indexNumber number: UInt32, _ session: TPMSession) throws(TPMFailure) {
        let found: (bytes: [UInt8], name: [UInt8])
        do throws(TPMFailure) { found = try publicArea(ofIndex: number) } catch {
            if error.ofIndex == .replaced { return }
            throw error
        }
        guard try TPMIndex.isMadeHere(found.bytes) else { return }
        do throws(TPMFailure) {
            try undefine(TPMHandle(number, name: found.name), session)
        } catch {
            // The reply was lost, and the command was sent again.
            guard error == .replaced else { throw error }
        }
    }
}

extension TPMFailure {
    /// The same for a handle of an index: the index doesn't exist, or its name is another one, so
    /// that the session's MAC is wrong.
    var ofIndex: TPMFailure {
        switch self {
        case .code(let code)
        where [ResponseCode.handle, ResponseCode.nvUninitialized].contains(
            ResponseCode.base(code)):
            .replaced
        case _: self
        }
    }
}
