// A transaction that was cut off in the middle of its changes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sample_host.hpp"
#include "topsctl/engine/execution/executor.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/transaction.hpp"

namespace topsctl {

// Keeps /etc/config, announces `last` and, if that is an applying state, changes the file.
inline Transaction cut_off_transaction(const SampleHost& sample, TransactionState last) {
  Transaction transaction = new_transaction(sample.host);
  const std::filesystem::path folder = sample.host.resolve(transaction.folder);
  Journal journal(folder / "journal");
  journal.append(TransactionState::begun,
                 {{"user", "alice"},
                  {"packages", {{{"name", "tops-eccl"}, {"before", "1"}, {"after", "2"}}}}});
  std::filesystem::create_directory(folder / packages_folder);
  if (last != TransactionState::begun) {
    std::filesystem::create_directory(folder / snapshot_folder);
    WriteSetSummary summary;
    take_snapshot(sample.host, {{"/etc/config", "/etc/new"}, {}}, folder / snapshot_folder,
                  summary);
    journal.append(TransactionState::prepared, {{"kept_bytes", summary.bytes}});
  }
  if (last > TransactionState::prepared) {
    journal.append(last, Json::object());
    sample.folder.write("etc/config", "changed");
    sample.folder.write("etc/new", "new");
  }
  transaction.records = read_journal(folder / "journal");
  return transaction;
}

}  // namespace topsctl
