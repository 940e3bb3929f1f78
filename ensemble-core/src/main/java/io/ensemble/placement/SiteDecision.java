package io.ensemble.placement;

/** The decision about a site, and its reason. */
public sealed interface SiteDecision {

  /** The site. */
  String site();

  /** The decision, as text for people. */
  String text();

  /** The text for a site that does not answer. */
  String SILENT = "does not answer";

  /** The policy names the site; {@code place} counts from 1. */
  record NamedSite(String site, int place, boolean answers) implements SiteDecision {
    @Override
    public String text() {
      return "chosen as number %d: named%s".formatted(place, answers ? "" : ", " + SILENT);
    }
  }

  /**
   * The site was taken; {@code place} counts from 1, the best first. A site that does not answer is
   * taken when there are too few others.
   */
  record ChosenSite(String site, int place, boolean answers, SiteScore score)
      implements SiteDecision {
    @Override
    public String text() {
      String silent = answers ? "" : SILENT + ", but too few others do: ";
      return "chosen as number %d: %s%s".formatted(place, silent, score.text());
    }
  }

  /** The site may hold the cache, but others were taken. */
  record NotChosenSite(String site, boolean answers, SiteScore score) implements SiteDecision {
    @Override
    public String text() {
      return "not chosen: " + (answers ? "" : SILENT + ": ") + score.text();
    }
  }

  /** The site may not hold the cache, or was not named. */
  record ExcludedSite(String site, String why) implements SiteDecision {
    @Override
    public String text() {
      return "excluded: " + why;
    }
  }
}
