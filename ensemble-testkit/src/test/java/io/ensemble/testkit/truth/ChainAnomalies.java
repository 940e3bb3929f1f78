package io.ensemble.testkit.truth;

import java.util.ArrayList;
import java.util.List;

/**
 * The anomalies of one chain, or of several together.
 *
 * @param acknowledged acknowledged compare-and-sets
 * @param reads answered reads
 * @param twoWinners acknowledged compare-and-sets beyond the first on the same predecessor
 * @param lost acknowledged compare-and-sets that are not in the final chain
 * @param undone reads of a value that is not in the final chain
 * @param wentBack reads of an older value than was known when they began
 * @param denied attempts that were refused and are in the chain; no anomaly, because the protocol
 *     reads again, but reported
 * @param differing nodes that return another final value than the owner
 * @param silent chains that cannot be read any more
 */
record ChainAnomalies(
    int acknowledged,
    int reads,
    int twoWinners,
    int lost,
    int undone,
    int wentBack,
    int denied,
    int differing,
    int silent) {

  static final ChainAnomalies NONE = new ChainAnomalies(0, 0, 0, 0, 0, 0, 0, 0, 0);

  ChainAnomalies plus(ChainAnomalies other) {
    return new ChainAnomalies(
        acknowledged + other.acknowledged,
        reads + other.reads,
        twoWinners + other.twoWinners,
        lost + other.lost,
        undone + other.undone,
        wentBack + other.wentBack,
        denied + other.denied,
        differing + other.differing,
        silent + other.silent);
  }

  ChainAnomalies withDiffering(int nodes) {
    return new ChainAnomalies(
        acknowledged, reads, twoWinners, lost, undone, wentBack, denied, nodes, silent);
  }

  /** The result for a chain that cannot be read any more. */
  static ChainAnomalies silence(int acknowledged) {
    return new ChainAnomalies(acknowledged, 0, 0, 0, 0, 0, 0, 0, 1);
  }

  /** Whether an acknowledgement or a read is contradicted, or a chain cannot be read any more. */
  boolean any() {
    return twoWinners + lost + undone + wentBack + differing + silent > 0;
  }

  /** As {@link #any}, without stale reads. */
  boolean forgets() {
    return twoWinners + lost + undone + differing + silent > 0;
  }

  /** The kinds that occurred, with their numbers. */
  String kinds() {
    List<String> kinds = new ArrayList<>();
    add(kinds, twoWinners, "two winners");
    add(kinds, lost, "acknowledged and lost");
    add(kinds, undone, "read and undone");
    add(kinds, wentBack, "reads went back");
    add(kinds, differing, "nodes differ");
    add(kinds, silent, "refused for good");
    return String.join(", ", kinds);
  }

  private static void add(List<String> kinds, int count, String kind) {
    if (count > 0) {
      kinds.add(kind + " " + count);
    }
  }
}
