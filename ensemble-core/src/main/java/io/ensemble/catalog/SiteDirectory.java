package io.ensemble.catalog;

import io.ensemble.CacheDefinition;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Site;
import io.ensemble.site.SiteFigures;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The sites that a process knows, by their names. They may come, move and go while it lives. What
 * was found stays usable by those who have it; a site that has gone fails what it is asked for.
 * Thread-safe.
 */
public interface SiteDirectory {

  /** The site of that name, as far as it is known here. Asks nobody. */
  Optional<Site> find(String name);

  /** The names of the sites that are known here. Asks nobody. */
  SortedSet<String> names();

  /** The sites that are open here. Opens none. */
  List<Site> open();

  /**
   * Makes known which of {@code wanted} there are. Completes at once when all are known; else the
   * catalog is asked for the others, and it fails with {@link CatalogException} when that cannot be
   * had. Those that there are not stay unknown.
   */
  CompletionStage<Void> learn(Collection<String> wanted);

  /**
   * What {@code wanted} have to do, by name. Those are not in it that do not tell by {@code
   * deadline}. Fails only as {@link #learn} does.
   */
  default CompletionStage<Map<String, SiteFigures>> figures(
      Collection<String> wanted, Deadline deadline) {
    return learn(wanted).thenCompose(known -> figuresOfKnown(wanted, deadline));
  }

  private CompletionStage<Map<String, SiteFigures>> figuresOfKnown(
      Collection<String> wanted, Deadline deadline) {
    Map<String, SiteFigures> told = new ConcurrentHashMap<>();
    CompletableFuture<?>[] asked =
        wanted.stream()
            .flatMap(name -> find(name).stream())
            .map(
                site ->
                    deadline
                        .asking(site.name(), "", "figures", false, () -> site.figures(deadline))
                        .thenAccept(figures -> told.put(site.name(), figures))
                        .exceptionally(silent -> null)
                        .toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(asked).thenApply(all -> told);
  }

  /**
   * Completes when caches may come to {@code wanted}, as the catalog has them now. Fails with
   * {@link IllegalArgumentException} when a site is unknown or {@link SiteEntry.State#DRAINING},
   * with {@link CatalogException} when that cannot be said.
   */
  CompletionStage<Void> mayHold(Collection<String> wanted);

  /** Lives for the stores that {@code cache} is to have, one a site. Asks nobody. */
  default Map<String, String> lives(CacheDefinition cache, Supplier<String> tokens) {
    Map<String, String> lives = new TreeMap<>();
    cache.sites().forEach(site -> lives.put(site, life(site, cache, tokens)));
    return lives;
  }

  /** A life for the store that {@code cache} is to have at {@code site}. Asks nobody. */
  default String life(String site, CacheDefinition cache, Supplier<String> tokens) {
    String token = tokens.get();
    return find(site)
        .map(known -> known.incarnation(token, SiteHandle.kindOf(cache)))
        .orElse(token);
  }

  /**
   * The site called {@code name}.
   *
   * @throws SitesNotKnownHereException if this process does not know it
   */
  default Site of(String name) {
    return find(name)
        .orElseThrow(
            () ->
                new SitesNotKnownHereException(
                    "this process does not know a site of the cache; wanted=%s known=%s"
                        .formatted(name, names()),
                    Set.of(name)));
  }

  /** Whether all of {@code wanted} are known here. */
  default boolean knows(Collection<String> wanted) {
    return wanted.stream().allMatch(name -> find(name).isPresent());
  }

  /** What to say of a site that there is not. */
  default UnknownSitesException unknown(String name) {
    SortedSet<String> known = names();
    return new UnknownSitesException(
        "unknown site; wanted one of %s, came '%s'".formatted(known, name), Set.of(name), known);
  }

  /** Sites that are what they are for good. */
  static SiteDirectory of(Map<String, Site> sites) {
    Map<String, Site> all = Map.copyOf(sites);
    return new SiteDirectory() {
      @Override
      public Optional<Site> find(String name) {
        return Optional.ofNullable(all.get(name));
      }

      @Override
      public SortedSet<String> names() {
        return new TreeSet<>(all.keySet());
      }

      @Override
      public List<Site> open() {
        return List.copyOf(all.values());
      }

      @Override
      public CompletionStage<Void> learn(Collection<String> wanted) {
        return CompletableFuture.completedFuture(null);
      }

      @Override
      public CompletionStage<Void> mayHold(Collection<String> wanted) {
        return wanted.stream()
            .filter(name -> !all.containsKey(name))
            .findFirst()
            .map(name -> CompletableFuture.<Void>failedFuture(unknown(name)))
            .orElseGet(() -> CompletableFuture.completedFuture(null));
      }
    };
  }
}
