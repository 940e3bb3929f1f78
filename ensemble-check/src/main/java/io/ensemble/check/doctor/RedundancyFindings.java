package io.ensemble.check.doctor;

import java.util.Map;
import java.util.TreeMap;

/** Whether caches have all their replicas. */
public final class RedundancyFindings {

  static final String CHECK = "redundancy";
  private static final String PAGE = "docs/federation.md#failure-and-repair";

  private RedundancyFindings() {}

  /**
   * @param asked the number of replicas that the cache was asked to have
   * @param needed how many a read or write needs
   * @param missing the missing replicas, with the reason of each
   */
  public static Finding of(String cache, int asked, int needed, Map<String, String> missing) {
    int whole = asked - missing.size();
    String seen = "%d of %d replicas are whole, %d needed".formatted(whole, asked, needed);
    if (missing.isEmpty()) {
      return Finding.ok(CHECK, cache, seen);
    }
    String all = seen + ": " + new TreeMap<>(missing);
    String remedy =
        "./ensemble caches describe %s; ./ensemble sites recover SITE; see %s"
            .formatted(cache, PAGE);
    return whole < needed
        ? Finding.error(CHECK, cache, all + "; the cache cannot be used", remedy)
        : Finding.warning(CHECK, cache, all, remedy);
  }

  /** The finding about a distributed cache with a part that does not exist. */
  public static Finding missingPart(String cache, String part) {
    return Finding.error(
        CHECK,
        cache,
        "its part '%s' does not exist: a deletion was interrupted".formatted(part),
        "./ensemble caches delete %s, to end the deletion".formatted(cache));
  }
}
