package io.ensemble.cli.migrations;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.repartition.Repartition;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A change of a cache as commands report it: of its configuration or of its parts.
 *
 * @param number the number of the configuration, or of the generation of a distributed cache, that
 *     it leads to
 * @param from the present state; null once the cache has reached the new state
 * @param step its present step
 * @param copied the number of keys compared or copied in the copy under way, or moved
 * @param of the number of keys of the copy before; null while unknown
 * @param rate the maximum number of keys copied per second; null for no limit
 * @param turn the number of its present mover, counted from the first
 * @param owner that mover
 * @param lost sites that answer without its new stores while keys are taken over, if no majority of
 *     the others is left. Unless such a site is only starting, the change cannot end; empty as long
 *     as it can
 * @param left stores that must be removed, as {@code SITE STORE}
 */
public record ChangeReport(
    String cache,
    long number,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable CacheState from,
    CacheState to,
    String step,
    long copied,
    @Nullable Long of,
    @Nullable Long rate,
    long turn,
    String owner,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> lost,
    List<String> left) {

  /** The state of a cache, in short: at sites, or partitioned into parts. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record CacheState(
      String mode,
      @Nullable List<String> sites,
      @Nullable List<String> parts,
      @Nullable String acknowledgement) {

    static CacheState of(CacheDefinition cache) {
      return new CacheState(
          lower(cache.mode()), cache.siteNames(), null, lower(cache.acknowledgement()));
    }

    static CacheState of(DistributedDefinition cache) {
      return new CacheState("distributed", null, cache.parts(), null);
    }

    String text() {
      List<String> places = sites == null ? parts : sites;
      return mode + " " + String.join(",", places == null ? List.of() : places);
    }

    /** The same, with the acknowledgement. */
    String fullText() {
      return acknowledgement == null ? text() : text() + ", acknowledged by " + acknowledgement;
    }
  }

  /** Every change that is under way, by the names of caches. */
  static List<ChangeReport> all(EnsembleCacheManager manager) {
    Stream<ChangeReport> configurations =
        manager.changes().underWay().stream()
            .map(stored -> of(stored, manager.changes().lostStores(stored)));
    Stream<ChangeReport> parts = manager.parts().underWay().stream().map(ChangeReport::of);
    return Stream.concat(configurations, parts)
        .sorted(Comparator.comparing(ChangeReport::cache))
        .toList();
  }

  static ChangeReport of(StoredDistribution stored) {
    Repartition growth = stored.growth().orElseThrow();
    return new ChangeReport(
        stored.definition().name(),
        stored.generation() + 1,
        CacheState.of(stored.definition()),
        CacheState.of(growth.to()),
        lower(growth.step()),
        growth.beat().copied(),
        null,
        null,
        growth.turn(),
        growth.owner(),
        List.of(),
        List.of());
  }

  static ChangeReport of(StoredDefinition stored) {
    return of(stored, Set.of());
  }

  /**
   * @param lost the sites that have lost its new stores
   */
  static ChangeReport of(StoredDefinition stored, Set<String> lost) {
    ConfigurationChange change = stored.change().orElseThrow();
    boolean switched = change.step() == ChangePhase.CLOSING;
    return new ChangeReport(
        stored.definition().name(),
        change.step() == ChangePhase.ABORTING ? stored.configuration() + 1 : stored.leadsTo(),
        switched ? null : CacheState.of(stored.definition()),
        CacheState.of(change.to()),
        lower(change.step()),
        change.beat().copied(),
        change.beat().of() == 0 ? null : change.beat().of(),
        change.rate() == 0 ? null : change.rate(),
        change.turn(),
        change.owner(),
        List.copyOf(lost),
        change.remains().stream().map(one -> one.site() + " " + one.store()).toList());
  }

  /** Its progress, in a few words. */
  String text() {
    if (copied == 0 && of == null) {
      return step;
    }
    return of == null
        ? "%s, %,d keys".formatted(step, copied)
        : "%s, %,d of %,d keys %s".formatted(step, copied, of, ProgressLine.bar(copied, of));
  }

  /** The same after a single check, which cannot distinguish a lost store from a starting site. */
  public static String missingAt(Collection<String> sites) {
    return lostAt(sites) + ", or the site is starting";
  }

  /** The stores that it has lost, and the step. */
  public static String lostAt(Collection<String> sites) {
    return "lost its stores at %s during lazy migration".formatted(String.join(",", sites));
  }

  static String lower(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }
}
