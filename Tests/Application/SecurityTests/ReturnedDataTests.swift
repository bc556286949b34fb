// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// Operations of an application on the data object that a call returns.
@Suite struct ReturnedDataTests {
    private static let bytes = Data((0..<200).map { UInt8($0) })

    init() throws { _ = try EphemeralKeychain.shared.get() }

    private func returned(_ bytes: Data = bytes) throws -> NSData {
        let service = UUID().uuidString
        let item: NSDictionary = [
            "class": "genp", "svce": service, "v_Data": bytes, "r_Data": true,
        ]
        var result: CFTypeRef?
        try #require(unsafe SecItemAdd(item, &result) == errSecSuccess)
        return try #require(result as? NSData)
    }

    @Test func itIsEqualToAndHashesLikeTheSameBytes() throws {
        let data = try returned()
        #expect(data as Data == Self.bytes)
        #expect(data.isEqual(NSData(data: Self.bytes)))
        #expect(NSData(data: Self.bytes).isEqual(data))
        #expect(data.isEqual(to: Self.bytes))
        #expect(data.hash == NSData(data: Self.bytes).hash)
        #expect(Set([NSData(data: Self.bytes)]).contains(data))
        #expect(CFGetTypeID(data) == CFDataGetTypeID())
    }

    @Test func itsPartsCanBeRead() throws {
        let data = try returned()
        #expect(data.length == 200)
        #expect(data.subdata(with: NSRange(location: 10, length: 3)) == Data([10, 11, 12]))
        var byte: UInt8 = 0
        unsafe data.getBytes(&byte, range: NSRange(location: 42, length: 1))
        #expect(byte == 42)
        #expect(data.range(of: Data([7, 8]), in: NSRange(location: 0, length: 200)).location == 7)
        #expect(data.base64EncodedString() == Self.bytes.base64EncodedString())
        var count = 0
        unsafe data.enumerateBytes { _, range, _ in count += range.length }
        #expect(count == 200)
    }

    @Test func itIsCopiedAndChangedAsACopy() throws {
        let data = try returned()
        #expect((data.copy() as? NSData)?.isEqual(data) == true)
        let changed = try #require(data.mutableCopy() as? NSMutableData)
        changed.append(Data([1]))
        #expect(changed.length == 201)
        #expect(data.length == 200)
        #expect(NSMutableData(data: data as Data).length == 200)
    }

    @Test func itGoesIntoPropertyListsAndArchives() throws {
        let data = try returned()
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["k": data], format: .binary, options: 0)
        let read = unsafe try PropertyListSerialization.propertyList(from: list, format: nil)
        #expect((read as? [String: Data])?["k"] == Self.bytes)
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: data, requiringSecureCoding: true)
        let object = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSData.self, from: archive)
        #expect(object as Data? == Self.bytes)
    }

    @Test func itIsWrittenToFiles() throws {
        let path = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try returned().write(toFile: path, atomically: true))
        #expect(FileManager.default.contents(atPath: path) == Self.bytes)
    }

    @Test func noBytesAreEmptyData() throws {
        let data = try returned(Data())
        #expect(data.length == 0)
        #expect(data as Data == Data())
    }

    @Test func aLargeSecretIsCastInTimeThatDoesNotGrowByTheByte() throws {
        let large = Data(repeating: 7, count: 512 * 1024)
        let data = try returned(large)
        let clock = ContinuousClock()
        var fastest = Duration.seconds(60)
        for _ in 0..<20 {
            var copy = Data()
            let time = clock.measure { copy = data as AnyObject as? Data ?? Data() }
            #expect(copy == large)
            fastest = min(fastest, time)
        }
        // Copied one by one, the bytes would take 30 ms each time.
        #expect(fastest < .milliseconds(10))
    }
}
