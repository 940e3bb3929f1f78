package io.ensemble.testkit.wan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The identity of one emulation, encoded in the names of its namespaces. It consists of the process
 * id and start time of the owner, because a process id alone may have been reused, and of a number
 * within that process.
 *
 * @param pid the owner's process id
 * @param beganTicks the start time of the owner, in clock ticks since the boot of the machine
 * @param number the number of the emulation among those of one owner
 */
record EmulationId(long pid, long beganTicks, int number) {

  private static final Pattern NAME = Pattern.compile("ensemble-wan-(\\d+)-(\\d+)-(\\d+)-\\w+");
  private static final AtomicInteger NEXT = new AtomicInteger(1);
  private static final int STATE = 0;
  private static final int BEGAN = 19;

  /** A new identity for this process. */
  static EmulationId next() {
    long pid = ProcessHandle.current().pid();
    return new EmulationId(
        pid,
        began(pid).orElseThrow(() -> new WanException("/proc has no entry for this process")),
        NEXT.getAndIncrement());
  }

  /** The identity in the name of a namespace; empty for a foreign namespace. */
  static Optional<EmulationId> of(String namespace) {
    Matcher name = NAME.matcher(namespace);
    return name.matches()
        ? Optional.of(
            new EmulationId(
                Long.parseLong(name.group(1)),
                Long.parseLong(name.group(2)),
                Integer.parseInt(name.group(3))))
        : Optional.empty();
  }

  /** The name of its namespace for {@code host}. */
  String namespace(String host) {
    return "ensemble-wan-%d-%d-%d-%s".formatted(pid, beganTicks, number, host);
  }

  /** Whether its owner is still alive. */
  boolean isOwned() {
    return began(pid).filter(ticks -> ticks == beganTicks).isPresent();
  }

  /** Empty for a process that has ended, even if its parent has not collected it yet. */
  private static Optional<Long> began(long pid) {
    try {
      String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      // The name before the last bracket may contain any character.
      List<String> fields = List.of(line.substring(line.lastIndexOf(')') + 2).split(" ", -1));
      return "ZX".contains(fields.get(STATE))
          ? Optional.empty()
          : Optional.of(Long.parseLong(fields.get(BEGAN)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
