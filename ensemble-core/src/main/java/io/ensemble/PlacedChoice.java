package io.ensemble;

import io.ensemble.placement.PlacementImpossibleException;
import io.ensemble.placement.Score.Keeping;
import io.ensemble.placement.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A cache that leaves a site goes where it would be placed, by what was wished for it when it was
 * created, and by what is where. Looks once, when it is first asked: sites that do not answer are
 * waited for once, and all caches are placed by the same figures. Thread-safe.
 */
final class PlacedChoice implements SiteChoice {

  private final Placing placing;

  // Belongs to this object's lock.
  private Placing.@Nullable Look look;

  PlacedChoice(Placing placing) {
    this.placing = placing;
  }

  private synchronized Placing.Look look() {
    Placing.Look now = look;
    if (now == null) {
      now = placing.look();
      look = now;
    }
    return now;
  }

  @Override
  public Destination without(String leaving, CacheDefinition cache, List<SiteUse> sites) {
    try {
      Verdict.Taken instead = placing.instead(leaving, cache, look());
      return new Destination.Found(
          Departures.replaced(cache.sites(), leaving, instead.site()), notes(instead));
    } catch (PlacementImpossibleException none) {
      return new Destination.None(why(leaving, none));
    }
  }

  private static List<String> notes(Verdict.Taken instead) {
    List<String> notes = new ArrayList<>();
    if (!instead.answers()) {
      notes.add(instead.site() + " does not answer, and no other site may hold it");
    }
    if (instead.score().keeping() == Keeping.MEMORY) {
      notes.add(instead.site() + " keeps its stores in memory, the site that is left on disk");
    }
    return notes;
  }

  private static String why(String leaving, PlacementImpossibleException none) {
    String conditions = none.conditions();
    String others =
        new TreeMap<>(none.reasons())
            .entrySet().stream()
                .filter(reason -> !reason.getKey().equals(leaving))
                .map(reason -> reason.getKey() + ": " + reason.getValue())
                .collect(Collectors.joining("; "));
    return "wanted one more site%s, there %s"
        .formatted(
            conditions.isEmpty() ? "" : " (" + conditions + ")",
            others.isEmpty() ? "is none" : "are " + others);
  }
}
