package io.ensemble.testkit.wan;

import java.util.List;

/**
 * How processes come before all others of the machine, so that a packet leaves, and is measured, at
 * its time however busy the machine is: scheduled in real time where that is allowed, else nice.
 */
final class ProcessPriority {

  private ProcessPriority() {}

  /** What a command is to begin with. */
  static List<String> prefix() {
    return SystemCommand.succeeds("chrt", "-f", "10", "true")
        ? List.of("chrt", "-f", "10")
        : List.of("nice", "-n", "-20");
  }
}
