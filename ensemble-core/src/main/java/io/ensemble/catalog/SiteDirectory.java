package io.ensemble.catalog;

import io.ensemble.CacheDefinition;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.placement.ReplicaName;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.ReplicaSite;
import io.ensemble.site.Site;
import io.ensemble.site.SiteStatistics;
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
 * The sites that a process knows, by their names. Sites may be added, moved and removed while the
 * process runs. A {@link Site} that was found stays usable; if the site is removed, its requests
 * fail. Thread-safe.
 */
public interface SiteDirectory {

  /** The site of that name, if it is known here. Sends no request. */
  Optional<Site> findSite(String name);

  /**
   * The site that holds the replica called {@code replica}, as a view of that replica; for the only
   * replica at a site, the site itself. Sends no request.
   */
  default Optional<Site> find(String replica) {
    ReplicaName name = ReplicaName.of(replica);
    Optional<Site> site = findSite(name.site());
    return name.isNumbered() ? site.map(one -> new ReplicaSite(one, replica)) : site;
  }

  /** The names of the known sites. Sends no request. */
  SortedSet<String> names();

  /** The sites that are open here. Opens none. */
  List<Site> open();

  /**
   * Makes the existing ones of {@code wanted}, which are sites or replicas, known. Completes
   * immediately if all are known. Otherwise the catalog is read, and a failure to read it is a
   * {@link CatalogException}. Sites that do not exist stay unknown.
   */
  CompletionStage<Void> learn(Collection<String> wanted);

  /**
   * The load of {@code wanted}, by name. Sites that do not answer by {@code deadline} are left out.
   * Fails only as {@link #learn} does.
   */
  default CompletionStage<Map<String, SiteStatistics>> figures(
      Collection<String> wanted, Deadline deadline) {
    return learn(wanted).thenCompose(known -> figuresOfKnown(wanted, deadline));
  }

  private CompletionStage<Map<String, SiteStatistics>> figuresOfKnown(
      Collection<String> wanted, Deadline deadline) {
    Map<String, SiteStatistics> told = new ConcurrentHashMap<>();
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
   * Completes if caches may be placed at {@code wanted}, by the catalog's present entries. Fails
   * with {@link IllegalArgumentException} if a site is unknown or {@link SiteEntry.State#DRAINING},
   * and with {@link CatalogException} if the catalog cannot be read.
   */
  CompletionStage<Void> mayHold(Collection<String> wanted);

  /** Incarnations for the new stores of {@code cache}, one for each replica. Sends no request. */
  default Map<String, String> lives(CacheDefinition cache, Supplier<String> tokens) {
    Map<String, String> lives = new TreeMap<>();
    cache.sites().forEach(replica -> lives.put(replica, life(replica, cache, lives, tokens)));
    return lives;
  }

  /**
   * An incarnation for the new store of {@code cache} for {@code replica}, at another node than the
   * other replicas of its site. Sends no request.
   *
   * @param lives of the other replicas, as far as they exist
   */
  default String life(
      String replica, CacheDefinition cache, Map<String, String> lives, Supplier<String> tokens) {
    String site = ReplicaName.siteOf(replica);
    Set<String> taken = new TreeSet<>();
    lives.forEach(
        (other, life) -> {
          if (!other.equals(replica) && ReplicaName.siteOf(other).equals(site)) {
            taken.add(StoredDefinition.nodeOf(life));
          }
        });
    String token = tokens.get();
    return find(replica)
        .map(known -> known.incarnation(token, SiteHandle.kindOf(cache), taken))
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
                    "a site of the cache is not configured in this process; expected=%s known=%s"
                        .formatted(name, names()),
                    Set.of(name)));
  }

  /** Whether all of {@code wanted} are known here. */
  default boolean knows(Collection<String> wanted) {
    return wanted.stream().allMatch(name -> find(name).isPresent());
  }

  /** The exception for a site that does not exist. */
  default UnknownSitesException unknown(String name) {
    SortedSet<String> known = names();
    return new UnknownSitesException(
        "unknown site; expected one of %s, got '%s'".formatted(known, name), Set.of(name), known);
  }

  /** A directory of fixed sites. */
  static SiteDirectory of(Map<String, Site> sites) {
    Map<String, Site> all = Map.copyOf(sites);
    return new SiteDirectory() {
      @Override
      public Optional<Site> findSite(String name) {
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
            .map(ReplicaName::siteOf)
            .filter(name -> !all.containsKey(name))
            .findFirst()
            .map(name -> CompletableFuture.<Void>failedFuture(unknown(name)))
            .orElseGet(() -> CompletableFuture.completedFuture(null));
      }
    };
  }
}
