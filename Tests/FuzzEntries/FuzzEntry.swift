// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Foundation

/// A decoder of bytes from outside, with what must hold for any input. Fuzzers feed it millions of
/// inputs, tests some thousands.
public enum FuzzEntry: String, CaseIterable, Sendable {
    /// A frame of PROTOCOL.md as securityd reads it.
    case clientRequest
    /// A frame as a client reads it.
    case serviceReply
    /// Attributes in the form in which they are stored.
    case itemAttributes
    /// DER, by `SecCertificateCreateWithData` and what reads of certificates.
    case certificate
    /// `SecKeyCreateWithData`, for each type and class.
    case key
    case persistentReference
    case netrc
    case gitCredentials
    /// The plaintext of an audit record.
    case auditRecord
    /// A keybag's file, without its signature.
    case keybag
    /// The list of what is to be taken out of a TPM, without its check.
    case releaseList
    /// A message to the enclave, and one from it.
    case enclaveRequest
    case enclaveReply
    /// The sealed halves of a row.
    case rowBlob
    /// A page of a database that is read without SQLite, and what it leads to.
    case tablePage
    /// What a TPM answers, one command after another.
    case tpmResponses
    /// What is kept of a device key in a TPM.
    case tpmRecord
    /// What a TPM says that its registers hold, a command after another.
    case tpmRegisters
    /// What is kept of a passcode in a TPM.
    case tpmEntropy
    /// An ELF file with a signature in it, or beside it.
    case program
    /// Entitlements in XML.
    case entitlements
    /// The file of trusted teams, and the container of a signature.
    case signedDocuments
    /// Who is asking, as peerinspector tells it.
    case clientIdentity
    /// A sealed file, under a key that everybody knows.
    case sealedFile

    /// Decodes bytes. It traps when something doesn't hold; whether they decode doesn't matter.
    public func run(_ bytes: UnsafeRawBufferPointer) {
        let data = unsafe Data(bytes)
        switch self {
        case .clientRequest: FrameEntries.request(data)
        case .serviceReply: FrameEntries.reply(data)
        case .itemAttributes: AttributeEntries.attributes(data)
        case .persistentReference: AttributeEntries.reference(data)
        case .certificate: ObjectEntries.certificate(data)
        case .key: ObjectEntries.key(data)
        case .netrc: FileEntries.netrc(data)
        case .gitCredentials: FileEntries.gitCredentials(data)
        case .auditRecord: FileEntries.auditRecord(data)
        case .keybag: EnclaveEntries.keybag(data)
        case .releaseList: EnclaveEntries.releaseList(data)
        case .enclaveRequest: EnclaveEntries.request(data)
        case .enclaveReply: EnclaveEntries.reply(data)
        case .rowBlob: StoreEntries.row(data)
        case .tablePage: StoreEntries.page(data)
        case .tpmResponses: TPMEntries.responses(data)
        case .tpmRecord: TPMEntries.record(data)
        case .tpmRegisters: TPMEntries.registers(data)
        case .tpmEntropy: TPMEntries.entropy(data)
        case .program: ProgramEntries.program(data)
        case .entitlements: ProgramEntries.entitlements(data)
        case .signedDocuments: ProgramEntries.documents(data)
        case .clientIdentity: ProgramEntries.identity(data)
        case .sealedFile: SealedFileEntries.file(data)
        }
    }

    /// Valid inputs to begin with.
    package var seeds: [Data] {
        switch self {
        case .clientRequest: FrameEntries.requests
        case .serviceReply: FrameEntries.replies
        case .itemAttributes: AttributeEntries.samples
        case .persistentReference: AttributeEntries.references
        case .certificate: ObjectEntries.certificates
        case .key: ObjectEntries.keys
        case .netrc: FileEntries.netrcFiles
        case .gitCredentials: FileEntries.gitFiles
        case .auditRecord: FileEntries.auditRecords
        case .keybag: EnclaveEntries.keybags
        case .releaseList: EnclaveEntries.releaseLists
        case .enclaveRequest: EnclaveEntries.requests
        case .enclaveReply: EnclaveEntries.replies
        case .rowBlob: StoreEntries.rows
        case .tablePage: StoreEntries.pages
        case .tpmResponses: TPMEntries.conversations
        case .tpmRecord: TPMEntries.records
        case .tpmRegisters: TPMEntries.registerAnswers
        case .tpmEntropy: TPMEntries.entropies
        case .program: ProgramEntries.programs
        case .entitlements: ProgramEntries.propertyLists
        case .signedDocuments: ProgramEntries.documentFiles
        case .clientIdentity: ProgramEntries.identities
        case .sealedFile: SealedFileEntries.files
        }
    }

    /// Writes the seeds, a file each, to the directory that LLAVERO_FUZZ_SEEDS names.
    public func writeSeedsIfAsked() {
        guard let directory = ProcessInfo.processInfo.environment["LLAVERO_FUZZ_SEEDS"] else {
            return
        }
        for (number, seed) in seeds.enumerated() {
            try? seed.write(to: URL(fileURLWithPath: "\(directory)/\(rawValue)-\(number)"))
        }
    }
}
