package io.ensemble.membership;

import io.ensemble.Membership;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.site.SiteEntry.State;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import io.ensemble.placement.ReplicaName;
import io.ensemble.site.hotrod.configuration.Endpoint;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;

/**
 * The sites and the caches in the catalog, as a manager reads and changes them. Methods block and
 * fail as {@link Membership} describes. Thread-safe.
 */
public record CatalogView(ManagerContext federation, OpenCaches caches) {

  static final int MOST_TRIES = 8;

  public List<SiteEntry> entries() {
    return waitFor(federation.entries().all());
  }

  public Optional<SiteEntry> entry(String site) {
    return waitFor(federation.entries().get(site));
  }

  SiteEntry known(String site) {
    return entry(site)
        .orElseThrow(
            () -> new NoSuchElementException("the catalog has no site of that name; site=" + site));
  }

  /** Every cache that is not distributed, by name. One read for each. */
  Map<String, StoredDefinition> stored() {
    Map<String, StoredDefinition> all = new TreeMap<>();
    for (String name : waitFor(federation.definitions().list())) {
      cache(name).ifPresent(found -> all.put(name, found));
    }
    return all;
  }

  /** As {@link #stored}, without caches whose record cannot be read. */
  Map<String, StoredDefinition> legible() {
    Map<String, StoredDefinition> all = new TreeMap<>();
    waitFor(federation.definitions().inventory())
        .caches()
        .forEach(cache -> all.put(cache.definition().name(), cache));
    return all;
  }

  /** As {@link #entries}, without entries that cannot be read. */
  List<SiteEntry> legibleEntries() {
    return waitFor(federation.entries().legible()).entries();
  }

  Optional<StoredDefinition> cache(String name) {
    return waitFor(federation.definitions().get(name));
  }

  /** The sites, by name, with the caches at each. */
  public List<SiteUsage> uses() {
    return uses(entries(), stored());
  }

  public List<SiteUsage> uses(List<SiteEntry> entries, Map<String, StoredDefinition> stored) {
    return entries.stream().map(entry -> use(entry, stored)).toList();
  }

  SiteUsage use(SiteEntry entry) {
    return use(entry, stored());
  }

  private static SiteUsage use(SiteEntry entry, Map<String, StoredDefinition> stored) {
    Set<String> there = new TreeSet<>();
    Set<String> only = new TreeSet<>();
    stored.forEach(
        (name, cache) -> {
          if (DrainPlanner.isAt(entry.name(), cache)) {
            there.add(name);
          }
          List<String> held = List.copyOf(cache.incarnations().keySet());
          if (ReplicaName.sitesOf(held).equals(List.of(entry.name()))) {
            only.add(name);
          }
        });
    return new SiteUsage(entry, List.copyOf(there), List.copyOf(only));
  }

  public boolean create(SiteEntry site) {
    return waitFor(federation.entries().create(site));
  }

  boolean replace(SiteEntry next) {
    return waitFor(federation.entries().replace(next));
  }

  boolean delete(SiteEntry known) {
    return waitFor(federation.entries().delete(known));
  }

  /** Sets the change of a cache. Returns false if its record has changed since {@code seen}. */
  boolean change(StoredDefinition seen, Optional<ConfigurationChange> next) {
    return waitFor(federation.definitions().replace(seen.with(next)));
  }

  /** Sets the state of a site. */
  public void in(State state, String site) {
    for (int i = 0; i < MOST_TRIES; i++) {
      SiteEntry now = known(site);
      if (now.state() == state || replace(now.in(state))) {
        return;
      }
    }
    throw others(site);
  }

  /** Updates the endpoints of a site, unless its entry was changed meanwhile. */
  public void moved(SiteEntry known, List<Endpoint> now) {
    replace(known.at(now));
  }

  static CatalogException others(String site) {
    return new CatalogException(
        CatalogException.Reason.CHANGED,
        "other processes changed the site at each attempt; site=" + site);
  }

  <T> T waitFor(CompletionStage<T> stage) {
    return caches.waitFor(() -> stage, OpenCaches.LONGEST_LOOKUP);
  }
}
