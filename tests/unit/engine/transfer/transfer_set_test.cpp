// A signal ends the reading of what is sent.
#include "topsctl/engine/transfer/transfer_set.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "support/moved_clock.hpp"
#include "support/recording_sink.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/filesystem/chunks.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {
namespace {

// To read it to its end would take an hour.
TEST(TransferSets, AreNotReadToTheirEndAfterASignal) {
  const TemporaryFolder folder;
  const MovedClock clock;
  RecordingSink events;
  TransferSetRequest request;
  request.bundle = {folder.write("large", "")};
  request.all = true;
  request.digests = Digests::each;
  std::filesystem::resize_file(request.bundle.front(), 1ULL << 40U);
  const TransferSet chosen = choose_transfer_set(request, events);
  watch_signals();
  clear_interrupt();
  std::thread user([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::raise(SIGINT);
  });
  EXPECT_EQ(thrown_by([&] {
              with_digests(chosen, request, DigestMemory(folder / "memory", clock), events);
            }).code(),
            ErrorCode::interrupted);
  user.join();
  clear_interrupt();
}

}  // namespace
}  // namespace topsctl
