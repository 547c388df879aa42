/* Test double: the interface of libtopsfactor.so as the doubles need it; this is no Enflame software. */
#ifndef FACTOR_DOUBLE_FACTOR_H
#define FACTOR_DOUBLE_FACTOR_H

#ifdef __cplusplus
extern "C" {
#endif

/* The number of devices libdtu_sdk.so reports, or -1. */
int factorDeviceCount(void);

#ifdef __cplusplus
}
#endif

#endif
