package io.ensemble.cli.caches;

import io.ensemble.redundancy.CacheRedundancy;
import io.ensemble.redundancy.ReplicaState;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * How redundant a cache is, as commands report it.
 *
 * @param asked how many replicas it was asked to have
 * @param whole how many of them are whole
 * @param needed how many it takes to read and write
 * @param canLose how many more it can lose
 * @param replicas how each is: {@code whole}, or what is missing
 */
record RedundancyReport(
    int asked, int whole, int needed, int canLose, Map<String, String> replicas) {

  static RedundancyReport of(CacheRedundancy cache) {
    Map<String, String> replicas = new LinkedHashMap<>();
    cache
        .replicas()
        .forEach(
            replica ->
                replicas.put(replica.name(), replica.state().name().toLowerCase(Locale.ROOT)));
    return new RedundancyReport(
        cache.asked(), cache.whole(), cache.needed(), cache.canLose(), replicas);
  }

  /** In a line: how many are whole, and what the cache survives. */
  String text() {
    String survives =
        whole < needed
            ? "%d needed to read and write".formatted(needed)
            : switch (canLose) {
              case 0 -> "survives no further loss";
              case 1 -> "survives 1 further loss";
              default -> "survives %d further losses".formatted(canLose);
            };
    return "%d of %d whole; %s".formatted(whole, asked, survives);
  }

  /** What is to be said of one replica. */
  String text(String replica) {
    String state = replicas.get(replica);
    if (state == null) {
      return "not checked: the cache is changing";
    }
    ReplicaState known = ReplicaState.valueOf(state.toUpperCase(Locale.ROOT));
    return known.isMissing() ? "MISSING: " + known.reason() : known.reason();
  }
}
