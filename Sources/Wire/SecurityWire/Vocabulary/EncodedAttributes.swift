// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Attributes in their stored form, known to be valid; a value is decoded only on request.
struct EncodedAttributes: Sendable {
    /// The stored form.
    let bytes: [UInt8]
    /// What it says besides attributes.
    let marks: ItemAttributes.Marks

    /// Validates the stored form, and copies it.
    /// - Throws: ``WireError/malformed`` as ``ItemAttributes/init(serialized:)``.
    init(_ message: UnsafeRawBufferPointer) throws(WireError) {
        marks = try unsafe ItemAttributes.forEachField(message) {
            (attribute, reader) throws(WireError) in unsafe try reader.check(attribute)
        }
        unsafe bytes = [UInt8](message)
    }

    /// The value of one attribute; nil when it isn't set.
    subscript(attribute: Attribute) -> AttributeValue? {
        let number = UInt64(attribute.fieldNumber)
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe Self.value(number, attribute.wireForm, in: bytes)
        }
    }

    /// Calls `body` for each attribute, in order.
    func forEachValue(_ body: (Attribute, AttributeValue) -> Void) {
        unsafe bytes.withUnsafeBytes { bytes in
            // It has been validated before: nothing throws.
            _ = try? unsafe ItemAttributes.forEachField(bytes) {
                (attribute, reader) throws(WireError) in
                body(attribute, unsafe try reader.value(attribute.wireForm))
            }
        }
    }

    private static func value(
        _ wanted: UInt64, _ form: Attribute.WireForm, in bytes: UnsafeRawBufferPointer
    ) -> AttributeValue? {
        var reader = unsafe FieldReader(bytes)
        do throws(WireError) {
            while unsafe !reader.isAtEnd {
                let key = unsafe try reader.varint()
                guard key >> 3 < wanted else {
                    return key >> 3 == wanted ? unsafe try reader.value(form) : nil
                }
                unsafe try reader.skip(wireType: key & 7)
            }
        } catch { return nil }
        return nil
    }
}
