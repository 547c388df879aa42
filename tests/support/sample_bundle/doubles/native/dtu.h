/* Test double: the interface of libdtu_sdk.so as the doubles need it; this is no Enflame software. */
#ifndef DTU_DOUBLE_DTU_H
#define DTU_DOUBLE_DTU_H

#ifdef __cplusplus
extern "C" {
#endif

/* The number of devices of this machine; the double knows none. */
int dtuGetDeviceCount(int* count);

/* One line that names the library. */
const char* dtuGetDescription(void);

#ifdef __cplusplus
}
#endif

#endif
