// What archives of a later Debian release call of its C library, by the one of this release. Linked only with such archives.
#include <stdlib.h>

// glibc 2.38: strtol as C23 has it, which also reads 0b1.
long __isoc23_strtol(const char* text, char** end, int base);
long __isoc23_strtol(const char* text, char** end, int base) {
  return strtol(text, end, base);
}
