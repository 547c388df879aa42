# Stand-in of MMEngine for tests: the call chain of its process group; it is no OpenMMLab software.
