// Rolls back a transaction that was not confirmed.
#include "engine/operations/single_undo.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/execution/transaction_rollback.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"

namespace topsctl {

void refuse_conflicts(const Transaction& transaction, const UndoPlan& undo,
                      const std::string& way_out) {
  if (undo.conflicts.empty()) return;
  throw Error(ErrorCode::host_unfit,
              format("files of transaction {} were modified afterwards: {}", transaction.id,
                     named_conflicts(undo.conflicts)),
              way_out);
}

void require_dpkg_at_rest(const Host& host) {
  if (is_dpkg_at_rest(host)) return;
  throw Error(ErrorCode::host_unfit, "dpkg was interrupted and has not finished its last operation",
              "run `dpkg --configure -a`, then roll back");
}

Execution with_notes(Execution execution, const UndoPlan& undo) {
  for (const std::string& note : undo.notes) execution.warnings.push_back(printable(note));
  return execution;
}

Execution undo_unconfirmed(const Host& host, const Transaction& transaction, EventFan& events) {
  require_dpkg_at_rest(host);
  const ProjectedState view(host);
  UndoPlan undo = undo_of(view, transaction);
  undo.reason = "it was not confirmed in time";
  return with_notes(
      undo_transaction(host, transaction, rollback_plan(transaction, "recover"), events, &undo),
      undo);
}

}  // namespace topsctl
