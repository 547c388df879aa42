/* Test double of the eccl_*_perf tools: asks libeccl.so for its version and says it is a double; measures nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eccl.h"

/* Entered from _start with the stack of the process, which begins with argc and argv. */
__attribute__((noreturn, used)) static void enter(long* stack) {
    const char* path = stack[0] > 0 ? ((char**)(stack + 1))[0] : "eccl_perf";
    const char* slash = strrchr(path, '/');
    int version = 0;
    ecclResult_t result = ecclGetVersion(&version);
    if (result != ecclSuccess) {
        printf("%s: test double: %s\n", slash ? slash + 1 : path, ecclGetErrorString(result));
        exit(1);
    }
    printf("%s: test double, no Enflame software; eccl version %d; nothing was measured\n", slash ? slash + 1 : path,
           version);
    exit(0);
}

/* Instead of glibc's start files, whose symbols are newer than the glibc of the oldest supported host. */
__asm__(
    ".globl _start\n"
    ".type _start, @function\n"
    "_start:\n"
    "    xor %ebp, %ebp\n"
    "    mov %rsp, %rdi\n"
    "    and $-16, %rsp\n"
    "    call enter\n");
