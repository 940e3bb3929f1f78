package io.ensemble.placement;

import java.util.Map;
import java.util.OptionalLong;

/**
 * A site, and what it has to do. Figures that are not known count as the mean of those that are.
 *
 * @param name its name
 * @param labels what it is, such as {@code region=eu}
 * @param state whether it may be given caches
 * @param entries how many entries it holds, of all caches; 0 to {@link #MOST}
 * @param requestsPerSecond how many requests it gets; 0 to {@link #MOST}
 * @param freeEntries for how many more entries it has room; 0 to {@link #MOST}
 * @param answers whether it answered just now; one that does not is taken only when without it
 *     there are too few
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

  /** Whether a site may be given caches. */
  public enum State {
    /** It is not ready yet. */
    JOINING,
    /** It may. */
    SERVING,
    /** It gives away what it has. */
    DRAINING
  }

  public SiteLoad {
    labels = Map.copyOf(labels);
    check(name, entries);
    check(name, requestsPerSecond);
    check(name, freeEntries);
  }

  /** A site that serves and answers, with its stores in memory, of which no figure is known. */
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

  /** The same site in another state. */
  public SiteLoad in(State other) {
    return new SiteLoad(
        name, labels, other, entries, requestsPerSecond, freeEntries, answers, onDisk);
  }

  /** The same site with these figures. */
  public SiteLoad with(long held, long requests) {
    return with(OptionalLong.of(held), OptionalLong.of(requests));
  }

  /** The same site with these figures, as far as they are known. */
  public SiteLoad with(OptionalLong held, OptionalLong requests) {
    return new SiteLoad(name, labels, state, held, requests, freeEntries, answers, onDisk);
  }

  /** The same site with room for so many entries. */
  public SiteLoad withRoom(long free) {
    OptionalLong room = OptionalLong.of(free);
    return new SiteLoad(name, labels, state, entries, requestsPerSecond, room, answers, onDisk);
  }

  /** The same site, which does not answer. */
  public SiteLoad silent() {
    return new SiteLoad(
        name, labels, state, entries, requestsPerSecond, freeEntries, false, onDisk);
  }

  /** The same site, with its stores on disk. */
  public SiteLoad withDisk() {
    return new SiteLoad(
        name, labels, state, entries, requestsPerSecond, freeEntries, answers, true);
  }

  private static void check(String name, OptionalLong figure) {
    if (figure.isPresent() && (figure.getAsLong() < 0 || figure.getAsLong() > MOST)) {
      throw new IllegalArgumentException(
          "a figure is 0 to %d; site=%s figure=%d".formatted(MOST, name, figure.getAsLong()));
    }
  }
}
