/* Test double: the release of tops-sdk; this is no Enflame software. */
#ifndef DTU_DOUBLE_DTU_VERSION_H
#define DTU_DOUBLE_DTU_VERSION_H

#define DTU_VERSION "@VERSION@"

#endif
