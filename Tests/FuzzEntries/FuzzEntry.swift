// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Foundation

/// A decoder of untrusted bytes, with assertions for any input. Fuzzers pass it millions of inputs,
/// tests some thousands.
public enum FuzzEntry: String, CaseIterable, Sendable {
    /// A frame of PROTOCOL.md as securityd decodes it.
    case clientRequest
    /// A frame as a client decodes it.
    case serviceReply
    /// Attributes in the form in which they are stored.
    case itemAttributes
    /// DER, by `SecCertificateCreateWithData` and the functions that read certificates.
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
    /// The list of objects to delete from a TPM, without its check.
    case releaseList
    /// A message to the enclave, and one from it.
    case enclaveRequest
    case enclaveReply
    /// The sealed halves of a row.
    case rowBlob
    /// A page of a database that is parsed without SQLite, and the pages that it refers to.
    case tablePage
    /// A TPM's replies, one command after another.
    case tpmResponses
    /// The stored record of a device key in a TPM.
    case tpmRecord
    /// A TPM's report of its registers, one command after another.
    case tpmRegisters
    /// The stored part of a passcode in a TPM.
    case tpmEntropy
    /// An ELF file with a signature in it, or beside it.
    case program
    /// Entitlements in XML.
    case entitlements
    /// The file of trusted teams, and the container of a signature.
    case signedDocuments
    /// A client's identity, as peerinspector reports it.
    case clientIdentity
    /// A sealed file, under a public test key.
    case sealedFile
    /// What a login hands to its helper.
    case loginPasswords
    /// What the helper says to a login, and what PAM says to the module.
    case loginModule
    /// The options of sessions.
    case sessionOptions
    /// A line of a pinentry.
    case pinentryLine
    /// What securityd and the agent say to each other.
    case agentMessages
    /// An access control, and a question about one.
    case accessControl
    /// Questions and answers about certificates, in all four directions.
    case trustMessage
    /// Trust settings, as stored and as a property list.
    case trustSettings
    /// Certificates as text.
    case certificateText
    /// DER, by the reader of clients without Foundation.
    case certificateOutline
    /// Certificates, revocation lists and OCSP responses, judged as a chain.
    case certificatePath
    /// An OCSP response, about certificates of which one is revoked.
    case ocspResponse
    /// A revocation list, with one of these certificates.
    case revocationList
    /// Requests and replies about files of other programs.
    case transcodingMessage
    /// Keys and certificates in the formats of other programs.
    case importedFile
    /// What a tool and its converter say to each other.
    case conversionMessage
    /// Tables of password managers.
    case passwordTable
    /// Bitwarden's JSON.
    case passwordJSON
    /// 1Password's archive.
    case passwordArchive
    /// KeePass's file, as it comes.
    case keePassFile
    /// What is below the encryption of KeePass's file.
    case keePassContent

    /// Decodes bytes. It traps when an assertion fails; whether the bytes are valid doesn't matter.
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
        case .loginPasswords: LoginEntries.passwords(data)
        case .loginModule: LoginEntries.module(data)
        case .sessionOptions: LoginEntries.options(data)
        case .pinentryLine: AccessEntries.line(data)
        case .agentMessages: AccessEntries.messages(data)
        case .accessControl: AccessEntries.accessControl(data)
        case .trustMessage: TrustEntries.message(data)
        case .trustSettings: TrustEntries.settings(data)
        case .certificateText: TrustEntries.text(data)
        case .certificateOutline: TrustEntries.outline(data)
        case .certificatePath: TrustEntries.path(data)
        case .ocspResponse: RevocationEntries.response(data)
        case .revocationList: RevocationEntries.list(data)
        case .transcodingMessage: TranscodingEntries.message(data)
        case .importedFile: TranscodingEntries.file(data)
        case .conversionMessage: ConversionEntries.message(data)
        case .passwordTable, .passwordJSON, .passwordArchive, .keePassFile:
            ConversionEntries.file(data)
        case .keePassContent: ConversionEntries.keePassContent(data)
        }
    }

    /// Valid inputs as seeds.
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
        case .loginPasswords: LoginEntries.passwordInputs
        case .loginModule: LoginEntries.moduleInputs
        case .sessionOptions: LoginEntries.optionFiles
        case .pinentryLine: AccessEntries.lines
        case .agentMessages: AccessEntries.allMessages
        case .accessControl: AccessEntries.accessControls
        case .trustMessage: TrustEntries.messages
        case .trustSettings: TrustEntries.settingsFiles
        case .certificateText: TrustEntries.texts
        case .certificateOutline: TrustEntries.outlines
        case .certificatePath: TrustEntries.paths
        case .ocspResponse: RevocationEntries.responses
        case .revocationList: RevocationEntries.lists
        case .transcodingMessage: TranscodingEntries.messages
        case .importedFile: TranscodingEntries.files
        case .conversionMessage: ConversionEntries.messages
        case .passwordTable: ConversionEntries.tables
        case .passwordJSON:
            ConversionEntries.samples([
                "bitwarden.json", "bitwarden-pbkdf2.json", "bitwarden-argon2id.json",
            ])
        case .passwordArchive: ConversionEntries.samples(["export.1pux"])
        case .keePassFile:
            ConversionEntries.samples([
                "keepassxc-3.1.kdbx", "pykeepass-argon2d-aes.kdbx",
                "pykeepass-argon2id-chacha20.kdbx",
            ])
        case .keePassContent: ConversionEntries.keePassContents
        }
    }

    /// Writes the seeds, a file each, to the directory in LLAVERO_FUZZ_SEEDS.
    public func writeSeedsIfAsked() {
        guard let directory = ProcessInfo.processInfo.environment["LLAVERO_FUZZ_SEEDS"] else {
            return
        }
        for (number, seed) in seeds.enumerated() {
            try? seed.write(to: URL(fileURLWithPath: "\(directory)/\(rawValue)-\(number)"))
        }
    }
}
