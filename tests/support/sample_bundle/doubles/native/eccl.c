/* Test double of libeccl.so: answers for one rank and carries nothing between ranks; no Enflame software. */
#include "eccl.h"

#include <stdlib.h>
#include <string.h>

#include "filler.h"

#ifndef ECCL_CODE
#error "ECCL_CODE is the version code that ecclGetVersion reports"
#endif

struct ecclComm {
    int nranks;
    int rank;
};

const char eccl_double_notice[] = "libeccl.so test double, no Enflame software";

static size_t size_of(ecclDataType_t type) {
    static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
    return (unsigned)type < sizeof sizes / sizeof *sizes ? sizes[type] : 0;
}

/* What any collective is when there is one rank. */
static ecclResult_t copy(const void* send, void* receive, size_t count, ecclDataType_t type, ecclComm_t comm) {
    if (!send || !receive || !comm || !size_of(type)) return ecclInvalidArgument;
    if (comm->nranks != 1) return ecclInvalidUsage;
    if (send != receive) memmove(receive, send, count * size_of(type));
    return ecclSuccess;
}

ecclResult_t ecclGetVersion(int* version) {
    if (!version) return ecclInvalidArgument;
    *version = ECCL_CODE;
    return ecclSuccess;
}

const char* ecclGetErrorString(ecclResult_t result) {
    switch (result) {
        case ecclSuccess: return "no error";
        case ecclUnhandledDeviceError: return "unhandled device error";
        case ecclSystemError: return "unhandled system error";
        case ecclInternalError: return "internal error";
        case ecclInvalidArgument: return "invalid argument";
        case ecclInvalidUsage: return "invalid usage";
    }
    return "unknown result code";
}

ecclResult_t ecclGetUniqueId(ecclUniqueId* id) {
    if (!id) return ecclInvalidArgument;
    memset(id, 0, sizeof *id);
    memcpy(id->internal, eccl_double_notice, sizeof eccl_double_notice);
    return ecclSuccess;
}

ecclResult_t ecclCommInitRank(ecclComm_t* comm, int nranks, ecclUniqueId id, int rank) {
    (void)id;
    if (!comm || nranks < 1 || rank < 0 || rank >= nranks) return ecclInvalidArgument;
    *comm = malloc(sizeof **comm);
    if (!*comm) return ecclSystemError;
    (*comm)->nranks = nranks;
    (*comm)->rank = rank;
    return ecclSuccess;
}

ecclResult_t ecclCommDestroy(ecclComm_t comm) {
    free(comm);
    return ecclSuccess;
}

ecclResult_t ecclCommCount(const ecclComm_t comm, int* count) {
    if (!comm || !count) return ecclInvalidArgument;
    *count = comm->nranks;
    return ecclSuccess;
}

ecclResult_t ecclCommUserRank(const ecclComm_t comm, int* rank) {
    if (!comm || !rank) return ecclInvalidArgument;
    *rank = comm->rank;
    return ecclSuccess;
}

ecclResult_t ecclAllReduce(const void* send, void* receive, size_t count, ecclDataType_t type, ecclRedOp_t op,
                           ecclComm_t comm, ecclStream_t stream) {
    (void)op, (void)stream;
    return copy(send, receive, count, type, comm);
}

ecclResult_t ecclReduce(const void* send, void* receive, size_t count, ecclDataType_t type, ecclRedOp_t op, int root,
                        ecclComm_t comm, ecclStream_t stream) {
    (void)op, (void)stream;
    return root == 0 ? copy(send, receive, count, type, comm) : ecclInvalidArgument;
}

ecclResult_t ecclBroadcast(const void* send, void* receive, size_t count, ecclDataType_t type, int root,
                           ecclComm_t comm, ecclStream_t stream) {
    (void)stream;
    return root == 0 ? copy(send, receive, count, type, comm) : ecclInvalidArgument;
}

ecclResult_t ecclAllGather(const void* send, void* receive, size_t count, ecclDataType_t type, ecclComm_t comm,
                           ecclStream_t stream) {
    (void)stream;
    return copy(send, receive, count, type, comm);
}

ecclResult_t ecclReduceScatter(const void* send, void* receive, size_t count, ecclDataType_t type, ecclRedOp_t op,
                               ecclComm_t comm, ecclStream_t stream) {
    (void)op, (void)stream;
    return copy(send, receive, count, type, comm);
}

ecclResult_t ecclSend(const void* send, size_t count, ecclDataType_t type, int peer, ecclComm_t comm,
                      ecclStream_t stream) {
    (void)send, (void)count, (void)type, (void)peer, (void)comm, (void)stream;
    return ecclInvalidUsage;
}

ecclResult_t ecclRecv(void* receive, size_t count, ecclDataType_t type, int peer, ecclComm_t comm,
                      ecclStream_t stream) {
    (void)receive, (void)count, (void)type, (void)peer, (void)comm, (void)stream;
    return ecclInvalidUsage;
}

ecclResult_t ecclGroupStart(void) { return ecclSuccess; }

ecclResult_t ecclGroupEnd(void) { return ecclSuccess; }
