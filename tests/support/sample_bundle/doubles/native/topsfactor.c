/* Test double of libtopsfactor.so: asks libdtu_sdk.so, as the vendor's depends on it; no Enflame software. */
#include "dtu.h"
#include "factor.h"
#include "filler.h"

int factorDeviceCount(void) {
    int count = 0;
    return dtuGetDeviceCount(&count) == 0 ? count : -1;
}
