// Starts the program.
#include "topsctl/cli/app.hpp"

int main(int argc, char** argv) {
  return topsctl::run({argv, argv + argc});
}
