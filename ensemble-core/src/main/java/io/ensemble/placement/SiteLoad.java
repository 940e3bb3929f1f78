package io.ensemble.placement;

import java.util.Map;
import java.util.OptionalLong;

/**
 * A site, and its load. An unknown figure counts as the mean of the known ones.
 *
 * @param name its name
 * @param labels its properties, such as {@code region=eu}
 * @param state whether it may receive caches
 * @param entries how many entries it holds, of all caches; 0 to {@link #MOST}
 * @param requestsPerSecond how many requests it gets; 0 to {@link #MOST}
 * @param freeEntries for how many more entries it has room; 0 to {@link #MOST}
 * @param answers whether it answered just now; a site that does not is taken only when there are
 *     too few without it
 * @param onDisk whether it is known to keep its stores on disk
 */
public record SiteLoad(
    String name,
    Map<String, String> labels,
    State state,
    OptionalLong entries,
    OptionalLong requestsPerSecond,
    OptionalLong freeEntries,
    boolean answers,
    boolean onDisk) {

  /** The highest figure. */
  public static final long MOST = 1_000_000_000_000L;

  /** Whether a site may receive caches. */
  public enum State {
    /** The site is not ready yet. */
    JOINING,
    /** The site may receive caches. */
    SERVING,
    /** The site gives away its caches. */
    DRAINING
  }

  public SiteLoad {
    labels = Map.copyOf(labels);
    check(name, entries);
    check(name, requestsPerSecond);
    check(name, freeEntries);
  }

  /** A site that serves and answers, with its stores in memory, without any known figure. */
  public static SiteLoad serving(String name, Map<String, String> labels) {
    return new SiteLoad(
        name,
        labels,
        State.SERVING,
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        true,
        false);
  }

  /** The site in another state. */
  public SiteLoad in(State other) {
    return new SiteLoad(
        name, labels, other, entries, requestsPerSecond, freeEntries, answers, onDisk);
  }

  /** The site with these figures. */
  public SiteLoad with(long held, long requests) {
    return with(OptionalLong.of(held), OptionalLong.of(requests));
  }

  /** The site with these figures, as far as they are known. */
  public SiteLoad with(OptionalLong held, OptionalLong requests) {
    return new SiteLoad(name, labels, state, held, requests, freeEntries, answers, onDisk);
  }

  /** The site with room for {@code free} entries. */
  public SiteLoad withRoom(long free) {
    OptionalLong room = OptionalLong.of(free);
    return new SiteLoad(name, labels, state, entries, requestsPerSecond, room, answers, onDisk);
  }

  /** The site, which does not answer. */
  public SiteLoad silent() {
    return new SiteLoad(
        name, labels, state, entries, requestsPerSecond, freeEntries, false, onDisk);
  }

  /** The site, with its stores on disk. */
  public SiteLoad withDisk() {
    return new SiteLoad(
        name, labels, state, entries, requestsPerSecond, freeEntries, answers, true);
  }

  private static void check(String name, OptionalLong figure) {
    if (figure.isPresent() && (figure.getAsLong() < 0 || figure.getAsLong() > MOST)) {
      throw new IllegalArgumentException(
          "a load figure must be in [0, %d]; site=%s figure=%d"
              .formatted(MOST, name, figure.getAsLong()));
    }
  }
}
