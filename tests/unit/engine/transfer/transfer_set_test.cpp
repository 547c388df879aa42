// A signal ends the reading of what is sent.
#include "topsctl/engine/transfer/transfer_set.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/moved_clock.hpp"
#include "support/recording_sink.hpp"
#include "support/sudden_signal.hpp"
#include "support/temporary_folder.hpp"
#include "topsctl/host/filesystem/chunks.hpp"

namespace topsctl {
namespace {

// To read it to its end would take a minute.
TEST(TransferSets, AreNotReadToTheirEndAfterASignal) {
  const TemporaryFolder folder;
  const MovedClock clock;
  RecordingSink events;
  TransferSetRequest request;
  request.bundle = {folder.write("large", "")};
  request.all = true;
  request.digests = Digests::each;
  std::filesystem::resize_file(request.bundle.front(), 1ULL << 32U);
  const TransferSet chosen = choose_transfer_set(request, events);
  EXPECT_EQ(thrown_when_interrupted([&] {
              with_digests(chosen, request, DigestMemory(folder / "memory", clock), events);
            }).code(),
            ErrorCode::interrupted);
}

}  // namespace
}  // namespace topsctl
