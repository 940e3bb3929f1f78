package io.ensemble.testkit.wan;

import java.util.List;

/**
 * Gives processes priority over all others of the machine, so that a packet leaves, and is
 * measured, at its time however busy the machine is. Uses real-time scheduling where that is
 * allowed, else nice.
 */
final class ProcessPriority {

  private ProcessPriority() {}

  /** The prefix of the command line. */
  static List<String> prefix() {
    return SystemCommand.succeeds("chrt", "-f", "10", "true")
        ? List.of("chrt", "-f", "10")
        : List.of("nice", "-n", "-20");
  }
}
