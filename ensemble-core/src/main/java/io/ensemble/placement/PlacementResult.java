package io.ensemble.placement;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A placement, and its explanation.
 *
 * @param sites the sites for the cache, the best site first
 * @param verdicts one for each site of the federation: those that were taken, in that order, then
 *     the others by name
 * @param notes the parts of the policy without effect: names of sites and caches that do not exist
 */
public record PlacementResult(List<String> sites, List<SiteDecision> verdicts, List<String> notes) {

  public PlacementResult {
    sites = List.copyOf(sites);
    verdicts = List.copyOf(verdicts);
    notes = List.copyOf(notes);
  }

  /** A line for each site, then one for each note. */
  public String text() {
    return Stream.concat(
            verdicts.stream().map(verdict -> verdict.site() + ": " + verdict.text()),
            notes.stream().map(note -> "note: " + note))
        .collect(Collectors.joining("\n"));
  }
}
