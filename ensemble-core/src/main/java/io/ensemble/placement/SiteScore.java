package io.ensemble.placement;

import java.util.OptionalLong;

/**
 * How good a site is for a cache, as a sum of whole numbers, which every process computes alike. A
 * preferred site beats every other site by more than all other terms together.
 *
 * @param preferred {@value #PREFERRED} if it is preferred, otherwise 0
 * @param near {@value #NEAR} times the fraction of the near caches that the site holds
 * @param held {@value #HELD} if it holds the cache: no cache moves for a smaller advantage
 * @param keeping {@value #DISK} if the cache is on disk and its stores would stay on disk
 * @param entries a negative term that grows with the entries of the site
 * @param load a negative term that grows with the requests to the site
 */
public record SiteScore(
    int preferred, int near, int held, StoreMedium keeping, Share entries, Share load) {

  static final int PREFERRED = 5000;
  static final int NEAR = 1200;
  static final int HELD = 150;

  /** More than all terms below and nearness: a cache on disk should not end up in memory. */
  static final int DISK = 2400;

  /** The deduction for a site with the mean number of entries; at most twice that. */
  static final int ENTRIES = 300;

  /** The deduction for a site with the mean number of requests; at most twice that. */
  static final int LOAD = 200;

  /** Where a cache that is on disk now would keep its stores. */
  public enum StoreMedium {
    /** The cache is not on disk, so that this term does not count. */
    ANY(0, ""),
    /** The stores would be on disk. */
    DISK(SiteScore.DISK, "on disk " + SiteScore.DISK + ", "),
    /** The stores would be in memory. */
    MEMORY(0, "on disk 0 (keeps its stores in memory), ");

    private final int term;
    private final String text;

    StoreMedium(int term, String text) {
      this.term = term;
      this.text = text;
    }
  }

  /**
   * A site's share of a figure.
   *
   * @param figure its figure, if it is known
   * @param permille of the mean of all known figures; at most {@value #MOST_PERMILLE}
   * @param term the term in the score
   */
  public record Share(OptionalLong figure, int permille, int term) {

    static final int MOST_PERMILLE = 2000;

    private String text(String what) {
      return "%s %d (%s)"
          .formatted(
              what,
              term,
              figure.isPresent()
                  ? "%d, %d permille of the mean".formatted(figure.getAsLong(), permille)
                  : "unknown, the mean is assumed");
    }
  }

  /** The sum. */
  public int total() {
    return preferred + near + held + keeping.term + entries.term() + load.term();
  }

  /** The sum and its terms, for people. */
  public String text() {
    return "score %d: preferred %d, near %d, held %d, %s%s, %s"
        .formatted(
            total(),
            preferred,
            near,
            held,
            keeping.text,
            entries.text("entries"),
            load.text("load"));
  }
}
