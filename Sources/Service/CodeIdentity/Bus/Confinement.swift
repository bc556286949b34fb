// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// What says that a process is confined, and as what.
package enum Confinement {
    /// A Flatpak's file is some hundred bytes.
    static let fileByteLimit = 64 * 1024
    private static let identifierByteLimit = 255

    /// The application that `/.flatpak-info` of a sandbox names. Source: flatpak-metadata(5).
    /// - Returns: Nil for a file without one, or with a name that no Flatpak has.
    package static func flatpak(_ file: [UInt8]) -> String? {
        var isInGroup = false
        var lines = TextLines(file)
        while let line = lines.next() {
            if line.first == UInt8(ascii: "[") {
                isInGroup = line.elementsEqual("[Application]".utf8)
            } else if isInGroup, line.starts(with: "name=".utf8) {
                return identifier(line.dropFirst(5))
            }
        }
        return nil
    }

    /// At least two parts between periods, of letters, digits, `_` and `-`.
    private static func identifier(_ bytes: ArraySlice<UInt8>) -> String? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard bytes.count <= identifierByteLimit, parts.count >= 2,
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isOfName) })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The Snap of a security label: `snap.NAME.APP (MODE)`. Source: snapd's profiles for AppArmor.
    package static func snap(_ label: [UInt8]) -> String? {
        guard let end = label.firstIndex(of: UInt8(ascii: " ")),
            label[end...].starts(with: " (".utf8)
        else { return nil }
        let parts = label[..<end].split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].elementsEqual("snap".utf8),
            (1...identifierByteLimit).contains(parts[1].count), parts[1].allSatisfy(isOfName),
            parts[2...].allSatisfy({ !$0.isEmpty })
        else { return nil }
        return String(decoding: parts[1], as: UTF8.self)
    }

    // MARK: - Of processes

    /// What the file of the process's own root directory says. It is the sandbox's word.
    static func flatpak(process: Int32) -> String? {
        let path = "/proc/\(process)/root/.flatpak-info"
        let file = unsafe llavero_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0)
        guard file >= 0 else { return nil }
        let descriptor = Descriptor(owning: file)
        guard let status = FileStatus(descriptor: file), status.isRegular,
            let content = ProcessFile.content(descriptor.rawValue, limit: fileByteLimit)
        else { return nil }
        return flatpak(content)
    }

    /// What the process's security label says, which its owner can't choose alone.
    static func snap(process: Int32) -> String? {
        for place in ["apparmor/current", "current"] {
            let path = "/proc/\(process)/attr/\(place)"
            if let label = ProcessFile.content(path, limit: labelByteLimit) { return snap(label) }
        }
        return nil
    }

    private static let labelByteLimit = 4096

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
