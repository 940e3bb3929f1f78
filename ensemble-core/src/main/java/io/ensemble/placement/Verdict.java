package io.ensemble.placement;

/** What was decided about a site, and why. */
public sealed interface Verdict {

  /** The site. */
  String site();

  /** The decision, for people. */
  String text();

  /** It was wished for by name; {@code place} counts from 1. */
  record Named(String site, int place) implements Verdict {
    @Override
    public String text() {
      return "taken as number %d: named".formatted(place);
    }
  }

  /** It was taken; {@code place} counts from 1, the best first. */
  record Taken(String site, int place, Score score) implements Verdict {
    @Override
    public String text() {
      return "taken as number %d: %s".formatted(place, score.text());
    }
  }

  /** It may hold the cache, but others shall. */
  record Passed(String site, Score score) implements Verdict {
    @Override
    public String text() {
      return "passed over: " + score.text();
    }
  }

  /** It may not hold the cache, or was not named. */
  record LeftOut(String site, String why) implements Verdict {
    @Override
    public String text() {
      return "left out: " + why;
    }
  }
}
