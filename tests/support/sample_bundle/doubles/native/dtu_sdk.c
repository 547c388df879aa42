/* Test double of libdtu_sdk.so: knows no devices; no Enflame software. */
#include "dtu.h"

#include "filler.h"

int dtuGetDeviceCount(int* count) {
    if (!count) return 1;
    *count = 0;
    return 0;
}

const char* dtuGetDescription(void) { return "libdtu_sdk.so test double, no Enflame software"; }
