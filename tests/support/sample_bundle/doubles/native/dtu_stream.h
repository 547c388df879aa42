/* Test double: a header that tops-sdk has since 2.5.136; this is no Enflame software. */
#ifndef DTU_DOUBLE_DTU_STREAM_H
#define DTU_DOUBLE_DTU_STREAM_H

typedef void* dtuStream_t;

#endif
