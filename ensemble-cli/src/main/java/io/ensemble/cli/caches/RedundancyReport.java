package io.ensemble.cli.caches;

import io.ensemble.redundancy.CacheRedundancy;
import io.ensemble.redundancy.ReplicaState;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The redundancy of a cache, as commands report it.
 *
 * @param asked the requested number of replicas
 * @param whole the number of replicas that are whole
 * @param needed the number of replicas required for reads and writes
 * @param canLose the number of further replicas that it can lose
 * @param replicas the state of each: {@code whole}, or its problem
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

  /** One line: the number of whole replicas, and the losses that the cache survives. */
  String text() {
    String survives =
        whole < needed
            ? "%d required to read and write".formatted(needed)
            : switch (canLose) {
              case 0 -> "survives no further loss";
              case 1 -> "survives 1 further loss";
              default -> "survives %d further losses".formatted(canLose);
            };
    return "%d of %d available; %s".formatted(whole, asked, survives);
  }

  /** The text about one replica. */
  String text(String replica) {
    String state = replicas.get(replica);
    if (state == null) {
      return "not checked: the cache is changing";
    }
    ReplicaState known = ReplicaState.valueOf(state.toUpperCase(Locale.ROOT));
    return known.isMissing() ? "MISSING: " + known.reason() : known.reason();
  }
}
