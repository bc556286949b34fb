// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Flips bytes on the disk, in each file of a small store in turn.
    @Suite struct Flips {
        private static let count = 8
        private static let step = 64
        /// How many bytes are flipped; the long form (`make campaign`) sets LLAVERO_FLIPS to 0, which
        /// is every 64th byte of every file.
        private static let flipCount = 20

        /// Whichever byte it is: a read returns the stored value, or nothing; and the service can
        /// be used.
        @Test func aFlippedByteGivesNoWrongSecretAndStopsNothing() throws {
            try TemporaryDirectory.lend { directory in
                let sound = directory + "/sound"
                try Self.make(directory + "/first", sound)
                let places = try Self.places(sound)
                let variable = ProcessInfo.processInfo.environment["LLAVERO_FLIPS"]
                let wanted = variable.flatMap(Int.init) ?? Self.flipCount
                let count = wanted > 0 ? min(wanted, places.count) : places.count
                for index in 0..<count {
                    let place = places[(index * places.count + places.count / 2) / count]
                    let fresh = directory + "/flipped"
                    try StateFiles.copyRunning(sound, to: fresh + "/llavero")
                    do {
                        let lost = try Self.flip(place, fresh)
                        #expect(lost <= 1, "\(lost) items were lost by the flip of \(place)")
                    } catch { Issue.record("\(place): \(error)") }
                    try FileManager.default.removeItem(atPath: fresh)
                }
            }
        }

        private struct Place: CustomStringConvertible {
            let file: String
            let offset: Int
            var description: String { "\(file) at \(offset)" }
        }

        private static func make(_ directory: String, _ sound: String) throws {
            #expect(unsafe mkdir(directory, 0o700) == 0)
            try TestService.run(.init(.user, directory: directory)) { service in
                for number in 0..<count {
                    let codes = ["ak", "ck", "dk", "aku"]
                    try service.keychain.add(
                        .password(
                            "\(number)", secret: "secret \(number)",
                            accessibility: Accessibility(code: codes[number % codes.count])))
                }
            }
            try StateFiles.copyRunning(directory + "/llavero", to: sound)
        }

        private static func places(_ state: String) throws -> [Place] {
            var places: [Place] = []
            for name in try FileManager.default.subpathsOfDirectory(atPath: state).sorted()
            where !name.hasSuffix("-shm") {
                let path = URL(fileURLWithPath: state + "/" + name)
                guard let bytes = try? Data(contentsOf: path) else { continue }
                places += stride(from: 0, to: bytes.count, by: step).map {
                    Place(file: name, offset: $0)
                }
            }
            return places
        }

        /// - Returns: How many items are lost, even after recovering.
        private static func flip(_ place: Place, _ directory: String) throws -> Int {
            let path = URL(fileURLWithPath: directory + "/llavero/" + place.file)
            var bytes = try Data(contentsOf: path)
            bytes[place.offset] ^= 0x10
            try bytes.write(to: path)
            return try TestService.run(.init(.user, directory: directory)) { service in
                for number in 0..<count { _ = readsWell(service, number, place) }
                try Waiting.until("the service to be of use: \(place)") {
                    let account = "new \(UInt64.random(in: 0 ... .max))"
                    guard status({ try service.keychain.add(.password(account)) }) == 0 else {
                        return false
                    }
                    return (try? service.keychain.find(.password(account)).count) == 1
                }
                _ = try service.keychain.recover()
                return (0..<count).count { !readsWell(service, $0, place) }
            }
        }

        private static func readsWell(
            _ service: TestService, _ number: Int, _ place: Place
        ) -> Bool {
            do throws(KeychainError) {
                let found = try service.keychain.find(.password("\(number)"))
                let texts = found.map { $0.secret?.testText }
                #expect(texts == ["secret \(number)"], "\(place)")
                return true
            } catch {
                #expect([-25300, -25291, -36].contains(error.status), "\(place): \(error)")
                return false
            }
        }
    }
}
