package io.ensemble.placement;

/** What was decided about a site, and why. */
public sealed interface SiteDecision {

  /** The site. */
  String site();

  /** The decision, for people. */
  String text();

  /** What is said of a site that does not answer. */
  String SILENT = "does not answer";

  /** It was wished for by name; {@code place} counts from 1. */
  record Named(String site, int place, boolean answers) implements SiteDecision {
    @Override
    public String text() {
      return "taken as number %d: named%s".formatted(place, answers ? "" : ", " + SILENT);
    }
  }

  /**
   * It was taken; {@code place} counts from 1, the best first. One that does not answer is taken
   * when there are too few others.
   */
  record Taken(String site, int place, boolean answers, SiteScore score) implements SiteDecision {
    @Override
    public String text() {
      String silent = answers ? "" : SILENT + ", and there are too few others: ";
      return "taken as number %d: %s%s".formatted(place, silent, score.text());
    }
  }

  /** It may hold the cache, but others shall. */
  record Passed(String site, boolean answers, SiteScore score) implements SiteDecision {
    @Override
    public String text() {
      return "not chosen: " + (answers ? "" : SILENT + ": ") + score.text();
    }
  }

  /** It may not hold the cache, or was not named. */
  record LeftOut(String site, String why) implements SiteDecision {
    @Override
    public String text() {
      return "left out: " + why;
    }
  }
}
