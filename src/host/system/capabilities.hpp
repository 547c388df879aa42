// What a program in an enclosure may not do.
#pragma once

namespace topsctl {

// Gives up, for this process and all that it starts, the capabilities that would reach the machine
// itself. False with errno set if one that the kernel knows cannot be given up. Safe after fork.
bool give_up_capabilities();

}  // namespace topsctl
