package io.ensemble.placement;

import java.util.OptionalLong;

/**
 * How good a site is for a cache, as a sum of whole numbers, which every process adds up alike. A
 * preferred site beats one that is not by more than everything else together.
 *
 * @param preferred {@value #PREFERRED} if it is preferred, else 0
 * @param near the part of {@value #NEAR} that is the part of the near caches that are there
 * @param held {@value #HELD} if it holds the cache: no cache moves for a smaller advantage
 * @param keeping {@value #DISK} if the cache comes from disk and its stores would be on disk
 * @param entries less by what the site holds
 * @param load less by what the site is asked
 */
public record SiteScore(
    int preferred, int near, int held, Keeping keeping, Share entries, Share load) {

  static final int PREFERRED = 5000;
  static final int NEAR = 1200;
  static final int HELD = 150;

  /** More than all that follows and nearness: what is on disk shall not end with a site. */
  static final int DISK = 2400;

  /** What a site loses that has the mean number of entries; at most twice that. */
  static final int ENTRIES = 300;

  /** What a site loses that gets the mean number of requests; at most twice that. */
  static final int LOAD = 200;

  /** Where the stores of a cache would be that is kept on disk now. */
  public enum Keeping {
    /** It is not kept on disk: that does not count. */
    ANY(0, ""),
    /** On disk again. */
    DISK(SiteScore.DISK, "on disk " + SiteScore.DISK + ", "),
    /** In memory. */
    MEMORY(0, "on disk 0 (keeps its stores in memory), ");

    private final int term;
    private final String text;

    Keeping(int term, String text) {
      this.term = term;
      this.text = text;
    }
  }

  /**
   * A site's share of something.
   *
   * @param figure its figure, if it is known
   * @param permille of the mean of all known figures; at most {@value #MOST_PERMILLE}
   * @param term what it adds to the score
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
                  : "not known, taken as the mean");
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
