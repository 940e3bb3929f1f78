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
 * One emulation, as the names of its namespaces tell it: the process that owns it, by its number
 * and the instant at which it began, for a number alone may be another's by now; and which of that
 * process's it is.
 *
 * @param pid the owner's number
 * @param beganTicks when it began, in clock ticks since the machine did
 * @param number of those of one owner
 */
record EmulationId(long pid, long beganTicks, int number) {

  private static final Pattern NAME = Pattern.compile("ensemble-wan-(\\d+)-(\\d+)-(\\d+)-\\w+");
  private static final AtomicInteger NEXT = new AtomicInteger(1);
  private static final int STATE = 0;
  private static final int BEGAN = 19;

  /** A new one of this process. */
  static EmulationId next() {
    long pid = ProcessHandle.current().pid();
    return new EmulationId(
        pid,
        began(pid).orElseThrow(() -> new WanException("/proc does not tell of this process")),
        NEXT.getAndIncrement());
  }

  /** The one that a namespace is of; empty for a namespace of others. */
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

  /** What its namespace for {@code host} is called. */
  String namespace(String host) {
    return "ensemble-wan-%d-%d-%d-%s".formatted(pid, beganTicks, number, host);
  }

  /** Whether its owner is still there. */
  boolean isOwned() {
    return began(pid).filter(ticks -> ticks == beganTicks).isPresent();
  }

  /** Empty for a process that has ended, also if its parent has not heard of it yet. */
  private static Optional<Long> began(long pid) {
    try {
      String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      // The name before the last bracket may hold anything.
      List<String> fields = List.of(line.substring(line.lastIndexOf(')') + 2).split(" ", -1));
      return "ZX".contains(fields.get(STATE))
          ? Optional.empty()
          : Optional.of(Long.parseLong(fields.get(BEGAN)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
