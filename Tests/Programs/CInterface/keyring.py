# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Llavero project authors
"""keyring.py LIBRARY FOUNDATION: a keyring as Python programs for the Mac have one. Text is given as the
secret, a number as a truth value, and no call says which keychain is meant."""
import ctypes
import sys

foundation = ctypes.CDLL(sys.argv[2], mode=ctypes.RTLD_GLOBAL)
security = ctypes.CDLL(sys.argv[1])
pointer = ctypes.c_void_p
UTF8, INT32 = 0x08000100, 3
NOT_FOUND = -25300

foundation.CFStringCreateWithCString.restype = pointer
foundation.CFStringCreateWithCString.argtypes = [pointer, ctypes.c_char_p, ctypes.c_uint32]
foundation.CFNumberCreate.restype = pointer
foundation.CFNumberCreate.argtypes = [pointer, ctypes.c_uint32, pointer]
foundation.CFDataGetBytePtr.restype = pointer
foundation.CFDataGetBytePtr.argtypes = [pointer]
foundation.CFDataGetLength.restype = ctypes.c_long
foundation.CFDataGetLength.argtypes = [pointer]
foundation.CFDictionaryCreate.restype = pointer
foundation.CFDictionaryCreate.argtypes = [pointer, pointer, pointer, ctypes.c_long, pointer, pointer]
for call in (security.SecItemAdd, security.SecItemCopyMatching):
    call.restype, call.argtypes = ctypes.c_int32, [pointer, pointer]
security.SecItemDelete.restype, security.SecItemDelete.argtypes = ctypes.c_int32, [pointer]


def constant(name):
    return pointer.in_dll(security, name).value


def text(value):
    return foundation.CFStringCreateWithCString(None, value.encode(), UTF8)


def truth(value):
    """A number, as many programs give one."""
    return foundation.CFNumberCreate(None, INT32, ctypes.byref(ctypes.c_int32(value)))


def query(**entries):
    keys = (pointer * len(entries))(*(constant(key) for key in entries))
    values = (pointer * len(entries))(*entries.values())
    return foundation.CFDictionaryCreate(
        None, keys, values, len(entries),
        ctypes.addressof(ctypes.c_char.in_dll(foundation, "kCFTypeDictionaryKeyCallBacks")),
        ctypes.addressof(ctypes.c_char.in_dll(foundation, "kCFTypeDictionaryValueCallBacks")))


def named(service, username, **more):
    return query(
        kSecClass=constant("kSecClassGenericPassword"), kSecAttrService=text(service),
        kSecAttrAccount=text(username), **more)


def get_password(service, username):
    found = pointer()
    status = security.SecItemCopyMatching(
        named(service, username, kSecMatchLimit=constant("kSecMatchLimitOne"),
              kSecReturnData=truth(1)), ctypes.byref(found))
    if status == NOT_FOUND:
        return None
    assert status == 0, status
    return ctypes.string_at(
        foundation.CFDataGetBytePtr(found), foundation.CFDataGetLength(found)).decode()


def delete_password(service, username):
    return security.SecItemDelete(named(service, username))


def set_password(service, username, password):
    delete_password(service, username)
    status = security.SecItemAdd(named(service, username, kSecValueData=text(password)), None)
    assert status == 0, status


claims = 0


def check(claim):
    global claims
    assert claim
    claims += 1


check(get_password("service", "anna") is None)
set_password("service", "anna", "open wheat")
check(get_password("service", "anna") == "open wheat")
set_password("service", "anna", "zażółć 🔑")
check(get_password("service", "anna") == "zażółć 🔑")
check(get_password("service", "berta") is None)
set_password("service", "berta", "")
check(get_password("service", "berta") == "")
check(delete_password("service", "anna") == 0)
check(get_password("service", "anna") is None)
check(delete_password("service", "anna") == NOT_FOUND)
check(get_password("service", "berta") == "")
print(f"{claims} claims, 0 failures")
