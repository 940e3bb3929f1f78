package io.ensemble.catalog;

import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.ParsedRecords;
import io.ensemble.catalog.record.StageList;
import io.ensemble.catalog.site.SiteConfigurationFactory;
import io.ensemble.catalog.site.SiteEntries;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.site.SiteEntry.State;
import io.ensemble.placement.ReplicaName;
import io.ensemble.schedule.PeriodicTask;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Site;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.hotrod.HotRod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sites of a catalog, and those that a process was given explicitly, which take precedence over
 * entries of the same name. A site is opened at its first use. From then on the catalog is read
 * every {@link #INTERVAL}. If an entry has changed, the site uses the new entry from its next
 * connection on. If an entry is gone, the site is closed. While the catalog is unavailable nothing
 * changes.
 *
 * <p>Thread-safe; stages complete on the scheduler.
 */
public final class CatalogSites implements SiteDirectory, AutoCloseable {

  /** The longest delay until a change elsewhere is noticed, while the catalog can be read. */
  public static final Duration INTERVAL = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(CatalogSites.class);

  private final Map<String, Site> given;
  private final SiteEntries entries;
  private final Function<Supplier<SiteEntry>, Site> opener;
  private final Scheduler scheduler;
  private final PeriodicTask periodicReads;

  // All fields below are guarded by this object's lock.
  private final Map<String, CatalogSite> sitesByName = new TreeMap<>();
  private boolean closed;

  /** An entry, and the site once it is open. */
  private static final class CatalogSite {
    private volatile SiteEntry entry;
    private @Nullable Site site;

    /** The entry with which the site could not be opened; the reason and the time follow. */
    private @Nullable SiteEntry refused;

    private String why = "";
    private long triedNanos;

    CatalogSite(SiteEntry entry) {
      this.entry = entry;
    }
  }

  /**
   * @param given sites that stay open when this object is closed
   * @param opener opens a site by its entry; the supplier always returns the latest entry
   */
  public CatalogSites(
      Map<String, Site> given,
      SiteEntries entries,
      Function<Supplier<SiteEntry>, Site> opener,
      Scheduler scheduler) {
    this.given = Map.copyOf(given);
    this.entries = entries;
    this.opener = opener;
    this.scheduler = scheduler;
    this.periodicReads = new PeriodicTask("sites", scheduler, INTERVAL, this::readSites);
  }

  /**
   * Creates a directory of sites over Hot Rod.
   *
   * @param addresses the allowed addresses of the catalog's sites; null for all
   */
  public static CatalogSites overHotRod(
      Map<String, Site> given,
      SiteEntries entries,
      @Nullable AddressPolicy addresses,
      Scheduler scheduler) {
    return new CatalogSites(
        given,
        entries,
        entry ->
            HotRod.connect(
                () -> SiteConfigurationFactory.configuration(entry.get()).within(addresses),
                scheduler),
        scheduler);
  }

  @Override
  public Optional<Site> findSite(String name) {
    Site own = given.get(name);
    if (own != null) {
      return Optional.of(own);
    }
    synchronized (this) {
      CatalogSite found = closed ? null : sitesByName.get(name);
      if (found == null) {
        return Optional.empty();
      }
      if (found.site == null) {
        found.site = open(found);
        periodicReads.start();
      }
      return Optional.ofNullable(found.site);
    }
  }

  /**
   * Opens a site. After a failure it is retried when its entry has changed, or after {@link
   * #INTERVAL}.
   */
  private @Nullable Site open(CatalogSite found) {
    long now = scheduler.nanos();
    SiteEntry entry = found.entry;
    if (entry == found.refused && now - found.triedNanos < INTERVAL.toNanos()) {
      return null;
    }
    try {
      return opener.apply(() -> found.entry);
    } catch (RuntimeException e) {
      String why = e.toString();
      if (entry != found.refused || !why.equals(found.why)) { // Logged once per entry and reason.
        LOG.error("a site of the catalog cannot be used here; site={}", entry.name(), e);
      }
      found.refused = entry;
      found.why = why;
      found.triedNanos = now;
      return null;
    }
  }

  @Override
  public synchronized SortedSet<String> names() {
    SortedSet<String> names = new TreeSet<>(given.keySet());
    names.addAll(sitesByName.keySet());
    return names;
  }

  @Override
  public synchronized List<Site> open() {
    List<Site> open = new ArrayList<>(given.values());
    sitesByName.values().stream().map(one -> one.site).filter(Objects::nonNull).forEach(open::add);
    return open;
  }

  /** The last known entry of a site; empty if the site is not known, or has no entry. */
  public synchronized Optional<SiteEntry> entry(String name) {
    return Optional.ofNullable(sitesByName.get(name)).map(found -> found.entry);
  }

  @Override
  public CompletionStage<Void> learn(Collection<String> wanted) {
    List<String> missing =
        wanted.stream()
            .map(ReplicaName::siteOf)
            .distinct()
            .filter(name -> findSite(name).isEmpty())
            .toList();
    return missing.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : StageList.all(missing.stream().map(entries::get).toList())
            .thenAcceptAsync(
                found -> found.forEach(entry -> entry.ifPresent(this::met)), scheduler);
  }

  private synchronized void met(SiteEntry entry) {
    if (!closed && sitesByName.putIfAbsent(entry.name(), new CatalogSite(entry)) == null) {
      LOG.info("site found in the catalog; site={} endpoints={}", entry.name(), entry.endpoints());
    }
  }

  @Override
  public CompletionStage<Void> mayHold(Collection<String> wanted) {
    List<String> names = ReplicaName.sitesOf(List.copyOf(wanted));
    return StageList.all(names.stream().map(entries::get).toList())
        .thenAcceptAsync(
            found -> {
              found.forEach(entry -> entry.ifPresent(this::met));
              for (int i = 0; i < names.size(); i++) {
                if (found.get(i).isEmpty() && !given.containsKey(names.get(i))) {
                  throw unknown(names.get(i));
                }
                found.get(i).ifPresent(CatalogSites::refuseDraining);
              }
            },
            scheduler);
  }

  private static void refuseDraining(SiteEntry entry) {
    if (entry.state() == State.DRAINING) {
      throw new IllegalArgumentException(
          "the site is being drained and accepts no further caches; site=" + entry.name());
    }
  }

  /** Reads all entries now. Fails with {@link CatalogException}; then nothing changed. */
  public CompletionStage<Void> look() {
    Map<String, SiteEntry> before = new HashMap<>();
    synchronized (this) {
      sitesByName.forEach((name, found) -> before.put(name, found.entry));
    }
    return entries.legible().thenAcceptAsync(now -> saw(before, now), scheduler);
  }

  /**
   * Applies the entries that were read. Entries that became known after the read began are newer
   * than the read.
   */
  private void saw(Map<String, SiteEntry> before, ParsedRecords<SiteEntry> read) {
    List<SiteEntry> now = read.entries();
    // Unreadable entries keep their last known state.
    before.keySet().removeAll(read.unreadable().keySet());
    List<Site> gone;
    Set<Site> moved = new HashSet<>();
    synchronized (this) {
      if (closed) {
        return;
      }
      gone = List.copyOf(goneSince(before, now));
      for (SiteEntry entry : now) {
        CatalogSite found = sitesByName.get(entry.name());
        if (found == null) {
          met(entry);
        } else if (found.entry == before.get(entry.name())) {
          changed(found, entry).ifPresent(moved::add);
        }
      }
    }
    gone.forEach(Site::close);
    moved.forEach(Site::moved);
  }

  private Set<Site> goneSince(Map<String, SiteEntry> before, List<SiteEntry> now) {
    Set<String> names = new HashSet<>(before.keySet());
    now.forEach(entry -> names.remove(entry.name()));
    Set<Site> closing = new HashSet<>();
    for (String name : names) {
      CatalogSite found = sitesByName.get(name);
      if (found != null && found.entry == before.get(name)) {
        sitesByName.remove(name);
        LOG.info("site removed from the catalog; site={}", name);
        if (found.site != null) {
          closing.add(found.site);
        }
      }
    }
    return closing;
  }

  /**
   * Updates an entry and returns the site, if it is open. An open site may not have connected to
   * its new endpoints yet.
   */
  private static Optional<Site> changed(CatalogSite found, SiteEntry entry) {
    if (!found.entry.endpoints().equals(entry.endpoints())) {
      LOG.info(
          "endpoints of a site changed; site={} endpoints={}", entry.name(), entry.endpoints());
    }
    if (!found.entry.equals(entry)) {
      found.entry = entry;
    }
    return Optional.ofNullable(found.site);
  }

  private CompletionStage<?> readSites() {
    return look()
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.debug(
                    "the sites of the catalog are not available", CompletionCause.of(failure));
              }
            });
  }

  /** Closes the sites that were opened here. */
  @Override
  public void close() {
    periodicReads.close();
    List<Site> open;
    synchronized (this) {
      closed = true;
      open =
          sitesByName.values().stream()
              .flatMap(one -> Optional.ofNullable(one.site).stream())
              .toList();
    }
    open.forEach(Site::close);
  }
}
