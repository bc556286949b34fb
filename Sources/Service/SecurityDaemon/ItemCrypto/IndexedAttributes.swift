// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore
import SecurityWire

extension IndexColumn {
    /// The attribute of a column; nil for the primary key, which combines several.
    var attribute: Attribute? {
        switch self {
        case .primaryKey: nil
        case .accessGroup: .accessGroup
        case .synchronizable: .synchronizable
        case .account: .account
        case .service: .service
        case .label: .label
        case .generic: .generic
        case .alias: .alias
        case .description: .description
        case .comment: .comment
        case .creator: .creator
        case .type: .type
        case .server: .server
        case .securityDomain: .securityDomain
        case .networkProtocol: .networkProtocol
        case .authenticationType: .authenticationType
        case .port: .port
        case .path: .path
        case .certificateType: .certificateType
        case .certificateEncoding: .certificateEncoding
        case .subject: .subject
        case .issuer: .issuer
        case .serialNumber: .serialNumber
        case .subjectKeyID: .subjectKeyID
        case .publicKeyHash: .publicKeyHash
        case .keyClass: .keyClass
        case .applicationLabel: .applicationLabel
        case .applicationTag: .applicationTag
        case .keySizeInBits: .keySizeInBits
        }
    }
}

extension ItemTable {
    /// The column that indexes an attribute, if the table has one.
    func indexColumn(_ attribute: Attribute) -> IndexColumn? {
        switch self {
        case .genericPasswords: Self.genericPasswordColumn[attribute]
        case .internetPasswords: Self.internetPasswordColumn[attribute]
        case .certificates: Self.certificateColumn[attribute]
        case .keys: Self.keyColumn[attribute]
        }
    }

    private static let genericPasswordColumn = columns(.genericPasswords)
    private static let internetPasswordColumn = columns(.internetPasswords)
    private static let certificateColumn = columns(.certificates)
    private static let keyColumn = columns(.keys)

    private static func columns(_ table: ItemTable) -> [Attribute: IndexColumn] {
        var columns: [Attribute: IndexColumn] = [:]
        for column in table.indexColumns {
            if let attribute = column.attribute { columns[attribute] = column }
        }
        return columns
    }
}
