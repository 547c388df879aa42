/* Test double: the interface of libeccl.so as the doubles need it; this is no Enflame software. */
#ifndef ECCL_DOUBLE_ECCL_H
#define ECCL_DOUBLE_ECCL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ECCL_UNIQUE_ID_BYTES 128

typedef struct ecclComm* ecclComm_t;
typedef void* ecclStream_t;

typedef struct {
    char internal[ECCL_UNIQUE_ID_BYTES];
} ecclUniqueId;

typedef enum {
    ecclSuccess = 0,
    ecclUnhandledDeviceError = 1,
    ecclSystemError = 2,
    ecclInternalError = 3,
    ecclInvalidArgument = 4,
    ecclInvalidUsage = 5
} ecclResult_t;

typedef enum { ecclSum = 0, ecclProd = 1, ecclMax = 2, ecclMin = 3 } ecclRedOp_t;

typedef enum {
    ecclInt8 = 0,
    ecclUint8 = 1,
    ecclInt32 = 2,
    ecclUint32 = 3,
    ecclInt64 = 4,
    ecclUint64 = 5,
    ecclFloat16 = 6,
    ecclFloat32 = 7,
    ecclFloat64 = 8,
    ecclBfloat16 = 9
} ecclDataType_t;

ecclResult_t ecclGetVersion(int* version);
const char* ecclGetErrorString(ecclResult_t result);
ecclResult_t ecclGetUniqueId(ecclUniqueId* id);

ecclResult_t ecclCommInitRank(ecclComm_t* comm, int nranks, ecclUniqueId id, int rank);
ecclResult_t ecclCommDestroy(ecclComm_t comm);
ecclResult_t ecclCommCount(const ecclComm_t comm, int* count);
ecclResult_t ecclCommUserRank(const ecclComm_t comm, int* rank);

ecclResult_t ecclAllReduce(const void* send, void* receive, size_t count, ecclDataType_t type, ecclRedOp_t op,
                           ecclComm_t comm, ecclStream_t stream);
ecclResult_t ecclReduce(const void* send, void* receive, size_t count, ecclDataType_t type, ecclRedOp_t op, int root,
                        ecclComm_t comm, ecclStream_t stream);
ecclResult_t ecclBroadcast(const void* send, void* receive, size_t count, ecclDataType_t type, int root,
                           ecclComm_t comm, ecclStream_t stream);
ecclResult_t ecclAllGather(const void* send, void* receive, size_t count, ecclDataType_t type, ecclComm_t comm,
                           ecclStream_t stream);
ecclResult_t ecclReduceScatter(const void* send, void* receive, size_t count, ecclDataType_t type, ecclRedOp_t op,
                               ecclComm_t comm, ecclStream_t stream);
ecclResult_t ecclSend(const void* send, size_t count, ecclDataType_t type, int peer, ecclComm_t comm,
                      ecclStream_t stream);
ecclResult_t ecclRecv(void* receive, size_t count, ecclDataType_t type, int peer, ecclComm_t comm,
                      ecclStream_t stream);

ecclResult_t ecclGroupStart(void);
ecclResult_t ecclGroupEnd(void);

#ifdef __cplusplus
}
#endif

#endif
