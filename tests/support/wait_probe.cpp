// Waits as topsctl does, for the test that counts how often it wakes up:
//
//   run PROGRAM ARGUMENT...   runs a program to its end
#include <iostream>
#include <string>

#include "topsctl/base/error.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/process.hpp"

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.size() < 2 || arguments[0] != "run") {
    std::cerr << "usage: run PROGRAM ARGUMENT...\n";
    return 2;
  }
  try {
    topsctl::watch_signals();
    topsctl::Command command;
    command.argv.assign(arguments.begin() + 1, arguments.end());
    return topsctl::SystemRunner().run(command).status;
  } catch (const topsctl::Error& error) {
    std::cerr << error.message() << "\n";
    return 1;
  }
}
