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
 * A change of a cache as commands report it, be it of its configuration or of its parts.
 *
 * @param number of the configuration, or of a distributed cache the generation, that it leads to
 * @param from what the cache is; null once it is what it was to become
 * @param step how far it has come
 * @param copied how many keys were compared or copied in the copy under way, or moved
 * @param of how many keys the copy before had; null while that is not known
 * @param rate how many keys a second may be copied; null for as many as can be
 * @param turn the how many-th mover has it
 * @param owner that mover
 * @param lost sites that answer without its new stores while keys are taken over, where no majority
 *     of the others is left: unless one is only starting, it cannot end; empty as long as it can
 * @param left stores that are to be removed, as {@code SITE STORE}
 */
public record ChangeReport(
    String cache,
    long number,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Placed from,
    Placed to,
    String step,
    long copied,
    @Nullable Long of,
    @Nullable Long rate,
    long turn,
    String owner,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> lost,
    List<String> left) {

  /** What a cache is, in short: at sites, or dealt out to parts. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Placed(
      String mode,
      @Nullable List<String> sites,
      @Nullable List<String> parts,
      @Nullable String acknowledgement) {

    static Placed of(CacheDefinition cache) {
      return new Placed(
          lower(cache.mode()), cache.siteNames(), null, lower(cache.acknowledgement()));
    }

    static Placed of(DistributedDefinition cache) {
      return new Placed("distributed", null, cache.parts(), null);
    }

    String text() {
      List<String> places = sites == null ? parts : sites;
      return mode + " " + String.join(",", places == null ? List.of() : places);
    }

    /** The same, and who acknowledges. */
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
        Placed.of(stored.definition()),
        Placed.of(growth.to()),
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
        switched ? null : Placed.of(stored.definition()),
        Placed.of(change.to()),
        lower(change.step()),
        change.beat().copied(),
        change.beat().of() == 0 ? null : change.beat().of(),
        change.rate() == 0 ? null : change.rate(),
        change.turn(),
        change.owner(),
        List.copyOf(lost),
        change.remains().stream().map(one -> one.site() + " " + one.store()).toList());
  }

  /** How far it has come, in a few words. */
  String text() {
    if (copied == 0 && of == null) {
      return step;
    }
    return of == null
        ? "%s, %,d keys".formatted(step, copied)
        : "%s, %,d of %,d keys %s".formatted(step, copied, of, ProgressLine.bar(copied, of));
  }

  /** The same after a single look, by which a site that starts cannot be told from that. */
  public static String missingAt(Collection<String> sites) {
    return lostAt(sites) + ", or the site is starting";
  }

  /** Which stores it has lost, and in which step. */
  public static String lostAt(Collection<String> sites) {
    return "lost its stores at %s in joint".formatted(String.join(",", sites));
  }

  static String lower(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }
}
