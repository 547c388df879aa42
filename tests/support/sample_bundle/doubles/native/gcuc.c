/* Test double of torch_gcu's native extension: links to libeccl.so and refuses to be imported; no Enflame software. */
#include "eccl.h"

/* Declared here so that no Python headers are needed; the interpreter provides them. */
extern void* PyExc_ImportError;
extern void PyErr_SetString(void* type, const char* message);

void* PyInit__GCUC(void) {
    int version = 0;
    ecclGetVersion(&version);
    PyErr_SetString(PyExc_ImportError, "torch_gcu._GCUC is a test double, no Enflame software");
    return 0;
}
