// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecurityWire

/// The lines that describe an item, as macOS prints them. Source: macOS's security, as observed.
enum AttributeBlock {
    private enum Kind: String {
        case blob, timedate, uint32, sint32
    }

    private typealias Line = (tag: [UInt8], kind: Kind, attribute: Attribute)

    /// The lines of a generic password, in the order of the tags.
    private static let genericLines: [Line] = [
        ([0, 0, 0, 7], .blob, .label), ([0, 0, 0, 8], .blob, .alias),
        tagged("acct", .blob, .account), tagged("cdat", .timedate, .creationDate),
        tagged("crtr", .uint32, .creator), tagged("cusi", .sint32, .hasCustomIcon),
        tagged("desc", .blob, .description), tagged("gena", .blob, .generic),
        tagged("icmt", .blob, .comment), tagged("invi", .sint32, .isInvisible),
        tagged("mdat", .timedate, .modificationDate), tagged("nega", .sint32, .isNegative),
        tagged("prot", .blob, .protocolName), tagged("scrp", .sint32, .scriptCode),
        tagged("svce", .blob, .service), tagged("type", .uint32, .type),
    ]

    /// The lines of an internet password, in the order of the tags.
    private static let internetLines: [Line] = [
        ([0, 0, 0, 7], .blob, .label), ([0, 0, 0, 8], .blob, .alias),
        tagged("acct", .blob, .account), tagged("atyp", .blob, .authenticationType),
        tagged("cdat", .timedate, .creationDate), tagged("crtr", .uint32, .creator),
        tagged("cusi", .sint32, .hasCustomIcon), tagged("desc", .blob, .description),
        tagged("icmt", .blob, .comment), tagged("invi", .sint32, .isInvisible),
        tagged("mdat", .timedate, .modificationDate), tagged("nega", .sint32, .isNegative),
        tagged("path", .blob, .path), tagged("port", .uint32, .port),
        tagged("prot", .blob, .protocolName), tagged("ptcl", .uint32, .networkProtocol),
        tagged("scrp", .sint32, .scriptCode), tagged("sdmn", .blob, .securityDomain),
        tagged("srvr", .blob, .server), tagged("type", .uint32, .type),
    ]

    /// The lines of a certificate, in the order of the tags.
    private static let certificateLines: [Line] = [
        tagged("alis", .blob, .alias), tagged("cenc", .uint32, .certificateEncoding),
        tagged("ctyp", .uint32, .certificateType), tagged("hpky", .blob, .publicKeyHash),
        tagged("issu", .blob, .issuer), tagged("labl", .blob, .label),
        tagged("skid", .blob, .subjectKeyID), tagged("snbr", .blob, .serialNumber),
        tagged("subj", .blob, .subject),
    ]

    /// The lines of a key but the first, which is its class, in the order of their numbers.
    private static let keyLines: [Line] = {
        let lines: [(Kind, Attribute)] = [
            (.blob, .label), (.blob, .alias), (.uint32, .isPermanent), (.uint32, .isPrivate),
            (.uint32, .isModifiable), (.blob, .applicationLabel), (.blob, .applicationTag),
            (.blob, .creator), (.uint32, .type), (.uint32, .keySizeInBits),
            (.uint32, .effectiveKeySize), (.timedate, .startDate), (.timedate, .endDate),
            (.uint32, .isSensitive), (.uint32, .wasAlwaysSensitive), (.uint32, .isExtractable),
            (.uint32, .wasNeverExtractable), (.uint32, .canEncrypt), (.uint32, .canDecrypt),
            (.uint32, .canDerive), (.uint32, .canSign), (.uint32, .canVerify),
            (.uint32, .canSignRecover), (.uint32, .canVerifyRecover), (.uint32, .canWrap),
            (.uint32, .canUnwrap),
        ]
        return lines.enumerated().map { place, line in
            let tag: [UInt8] = [0, 0, 0, UInt8(place + 1)]
            return (tag, line.0, line.1)
        }
    }()

    private static func tagged(
        _ tag: String, _ kind: Kind, _ attribute: Attribute
    ) -> Line {
        ([UInt8](tag.utf8), kind, attribute)
    }

    /// Prints the block of a password item.
    static func print(
        _ attributes: ItemAttributes, _ kind: PasswordKind, keychain: [UInt8],
        to output: inout Output
    ) {
        let (name, lines) =
            kind == .generic ? ("genp", genericLines) : ("inet", internetLines)
        put(keychain, to: &output)
        output.put("version: 512\nclass: \"\(name)\"\nattributes:\n")
        print(attributes, lines, to: &output)
    }

    private static func put(_ keychain: [UInt8], to output: inout Output) {
        output.put("keychain: \"")
        for byte in keychain { output.put(byte) }
        output.put("\"\n")
    }

    /// Prints the block of a certificate.
    static func printCertificate(
        _ attributes: ItemAttributes, keychain: [UInt8], to output: inout Output
    ) {
        put(keychain, to: &output)
        output.put("version: 512\nclass: 0x80001000 \nattributes:\n")
        print(attributes, certificateLines, to: &output)
    }

    /// Prints the block of a key.
    static func printKey(
        _ attributes: ItemAttributes, keychain: [UInt8], to output: inout Output
    ) {
        // CSSM's numbers of records: public, private and symmetric keys.
        let keyClass = attributes[.keyClass].flatMap(ImportedItems.number) ?? 2
        let record = 0x0F + keyClass
        put(keychain, to: &output)
        output.put("version: 512\nclass: 0x")
        output.put(
            "000000" + (record < 0x10 ? "0" : "") + String(record, radix: 16, uppercase: true))
        output.put(" \nattributes:\n    0x00000000 <uint32>=")
        output.putBuffer(four(record))
        output.put("\n")
        print(attributes, keyLines, to: &output)
    }

    private static func print(
        _ attributes: ItemAttributes, _ lines: [Line], to output: inout Output
    ) {
        for line in lines {
            output.put("    ")
            output.putBuffer(line.tag)
            output.put("<\(line.kind.rawValue)>=")
            if let value = attributes[line.attribute] {
                output.putBuffer(bytes(value, line.kind))
            } else {
                output.put("<NULL>")
            }
            output.put("\n")
        }
    }

    /// The printed form of a value: text and data as they are, numbers as 4 big-endian bytes if the
    /// line is for a number, dates as `YYYYMMDDHHMMSSZ` and a NUL.
    private static func bytes(_ value: AttributeValue, _ kind: Kind) -> [UInt8] {
        switch value {
        case .text(let text): [UInt8](text.utf8)
        case .data(let bytes): bytes
        case .date(let seconds): [UInt8](CivilTime(sinceReference: seconds).compact.utf8) + [0]
        case .integer(let number): kind == .blob ? [UInt8](String(number).utf8) : four(number)
        case .real(let number): [UInt8](String(number).utf8)
        }
    }

    private static func four(_ number: Int64) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

/// The keychain of the command. There is only one; it has the name of the default keychain on
/// macOS, since scripts contain that name.
enum KeychainName {
    /// `~/Library/Keychains/login.keychain-db`, absolute. It is only a name: no file is there.
    static var path: String { HomeDirectory.path + "/Library/Keychains/login.keychain-db" }

    /// Whether an argument names the keychain: bare or absolute, `.keychain` or `.keychain-db`.
    static func matches(_ name: String) -> Bool {
        let bare = ["login", "login.keychain", "login.keychain-db"]
        let directory = HomeDirectory.path + "/Library/Keychains/"
        return bare.contains(name) || bare.contains { directory + $0 == name }
    }

}
