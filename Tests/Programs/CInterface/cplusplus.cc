// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The headers in C++, with a class that owns the results of calls.

#include <Security/Security.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string>

template <typename Object> class Owned {
  public:
    explicit Owned(Object object = nullptr) : object(object) {}
    Owned(const Owned &) = delete;
    ~Owned() {
        if (object) CFRelease(object);
    }
    Object get() const { return object; }
    Object *place() { return &object; }

  private:
    Object object;
};

int main() {
    Owned<CFDataRef> secret(CFDataCreate(nullptr, reinterpret_cast<const UInt8 *>("c++"), 3));
    const std::map<CFStringRef, CFTypeRef> attributes = {
        {kSecClass, kSecClassGenericPassword},
        {kSecAttrService, CFSTR("c++")},
        {kSecValueData, secret.get()},
        {kSecReturnData, kCFBooleanTrue},
    };
    Owned<CFMutableDictionaryRef> item(CFDictionaryCreateMutable(
        nullptr, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks));
    for (const auto &entry : attributes) CFDictionarySetValue(item.get(), entry.first, entry.second);
    Owned<CFTypeRef> result;
    if (SecItemAdd(item.get(), result.place()) != errSecSuccess) return 1;
    if (!CFEqual(result.get(), secret.get())) return 2;
    if (SecItemAdd(item.get(), nullptr) != errSecDuplicateItem) return 3;
    SecAccessControlCreateFlags flags = kSecAccessControlUserPresence;
    Owned<SecAccessControlRef> control(SecAccessControlCreateWithFlags(
        nullptr, kSecAttrAccessibleWhenUnlocked, flags, nullptr));
    if (!control.get()) return 4;
    std::puts("1 claims, 0 failures");
    return 0;
}
