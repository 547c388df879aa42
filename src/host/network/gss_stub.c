// The GSSAPI symbols that Debian's libssh.a refers to; every call answers GSS_S_UNAVAILABLE (RFC 2744), so that libssh offers no
// GSSAPI authentication. Debian ships no static GSSAPI library to link instead.
#include <stddef.h>

typedef unsigned int OM_uint32;
enum { unavailable = 16U << 16 };

void* GSS_C_NT_HOSTBASED_SERVICE = NULL;
void* GSS_C_NT_USER_NAME = NULL;

#define STUB(name)                   \
  OM_uint32 name(OM_uint32* minor) { \
    if (minor != NULL) *minor = 0;   \
    return unavailable;              \
  }

STUB(gss_accept_sec_context)
STUB(gss_acquire_cred)
STUB(gss_add_oid_set_member)
STUB(gss_create_empty_oid_set)
STUB(gss_delete_sec_context)
STUB(gss_display_name)
STUB(gss_display_status)
STUB(gss_get_mic)
STUB(gss_import_name)
STUB(gss_indicate_mechs)
STUB(gss_init_sec_context)
STUB(gss_inquire_cred)
STUB(gss_inquire_cred_by_mech)
STUB(gss_release_buffer)
STUB(gss_release_cred)
STUB(gss_release_name)
STUB(gss_release_oid_set)
STUB(gss_test_oid_set_member)
STUB(gss_verify_mic)
