/* Test double: puts filler.bin into the read-only data of a library, to give it the size it should have. */
#ifndef DOUBLES_FILLER_H
#define DOUBLES_FILLER_H

__asm__(".section .filler,\"a\"\n.incbin \"filler.bin\"\n.previous\n");

#endif
