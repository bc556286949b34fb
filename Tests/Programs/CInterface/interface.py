# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Llavero project authors
"""interface.py LIBRARY FOUNDATION: the keychain from Python, through ctypes."""
import ctypes
import sys

foundation = ctypes.CDLL(sys.argv[2], mode=ctypes.RTLD_GLOBAL)
security = ctypes.CDLL(sys.argv[1])
pointer = ctypes.c_void_p


def function(library, name, result, *parameters):
    call = getattr(library, name)
    call.restype, call.argtypes = result, parameters
    return call


CFRelease = function(foundation, "CFRelease", None, pointer)
CFStringCreate = function(
    foundation, "CFStringCreateWithCString", pointer, pointer, ctypes.c_char_p, ctypes.c_uint32)
CFDataCreate = function(
    foundation, "CFDataCreate", pointer, pointer, ctypes.c_char_p, ctypes.c_long)
CFDataGetLength = function(foundation, "CFDataGetLength", ctypes.c_long, pointer)
CFDataGetBytePtr = function(foundation, "CFDataGetBytePtr", pointer, pointer)
CFDictionaryCreate = function(
    foundation, "CFDictionaryCreate", pointer, pointer, ctypes.POINTER(pointer),
    ctypes.POINTER(pointer), ctypes.c_long, pointer, pointer)
CFGetTypeID = function(foundation, "CFGetTypeID", ctypes.c_ulong, pointer)
CFDataGetTypeID = function(foundation, "CFDataGetTypeID", ctypes.c_ulong)
SecItemAdd = function(security, "SecItemAdd", ctypes.c_int32, pointer, pointer)
SecItemCopyMatching = function(
    security, "SecItemCopyMatching", ctypes.c_int32, pointer, ctypes.POINTER(pointer))
SecItemDelete = function(security, "SecItemDelete", ctypes.c_int32, pointer)


def constant(name, library=security):
    return pointer.in_dll(library, name).value


def text(value):
    return CFStringCreate(None, value.encode(), 0x08000100)


def dictionary(entries):
    keys = (pointer * len(entries))(*entries.keys())
    values = (pointer * len(entries))(*entries.values())
    return CFDictionaryCreate(
        None, keys, values, len(entries),
        ctypes.addressof(ctypes.c_char.in_dll(foundation, "kCFTypeDictionaryKeyCallBacks")),
        ctypes.addressof(ctypes.c_char.in_dll(foundation, "kCFTypeDictionaryValueCallBacks")))


claims = 0


def check(claim):
    global claims
    assert claim
    claims += 1


yes = constant("kCFBooleanTrue", foundation)
service, secret = text("python"), CFDataCreate(None, b"s\0cret", 6)
identity = {
    constant("kSecClass"): constant("kSecClassGenericPassword"),
    constant("kSecAttrService"): service,
}
item = dictionary({**identity, constant("kSecValueData"): secret})
query = dictionary({**identity, constant("kSecReturnData"): yes})
check(SecItemAdd(item, None) == 0)
check(SecItemAdd(item, None) == -25299)
result = pointer()
check(SecItemCopyMatching(query, ctypes.byref(result)) == 0)
check(CFGetTypeID(result) == CFDataGetTypeID())
check(ctypes.string_at(CFDataGetBytePtr(result), CFDataGetLength(result)) == b"s\0cret")
CFRelease(result)
which = dictionary(identity)
check(SecItemDelete(which) == 0)
check(SecItemCopyMatching(query, ctypes.byref(result)) == -25300)
for owned in (which, query, item, secret, service):
    CFRelease(owned)
print(f"{claims} claims, 0 failures")
