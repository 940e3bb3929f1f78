package io.ensemble;

import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.SiteAccess;
import io.ensemble.catalog.SiteEntries;
import io.ensemble.catalog.SiteEntry;
import io.ensemble.catalog.SiteEntry.State;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.catalog.TaskEntries;
import io.ensemble.catalog.TaskEntry;
import io.ensemble.change.Change;
import io.ensemble.change.Remains;
import io.ensemble.site.SiteFigures;
import io.ensemble.site.hotrod.Endpoint;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The sites of a federation, as its catalog has them: they join, are drained of their caches, and
 * leave. What is entered here is known to every process of the federation when it wants it, after
 * five seconds at the latest.
 *
 * <p>Methods wait for the catalog, some round trips each, and fail with {@link CatalogException}
 * when it cannot be had: whether a change was made then is not known, and it may be repeated. They
 * fail with {@link NoSuchElementException} when a site is not in the catalog. Thread-safe.
 */
public final class Membership {

  private static final int MOST_TRIES = 8;

  private final Federation federation;
  private final OpenCaches caches;
  private final SiteChanges changes;
  private final Placing placing;
  private final Alterations alterations;
  private final HealthWatch health;
  private @Nullable Maintenance maintenance;

  Membership(
      Federation federation,
      OpenCaches caches,
      SiteChanges changes,
      Alterations alterations,
      Placing placing) {
    this.placing = placing;
    this.federation = federation;
    this.caches = caches;
    this.changes = changes;
    this.alterations = alterations;
    this.health =
        new HealthWatch(federation.sites(), federation.scheduler(), federation.registry());
    health.start();
  }

  /** Cares for the sites from now on. */
  void maintain(String owner, Duration beat) {
    SiteCare.Means means = new SiteCare.Means(federation, caches, changes, alterations, this, beat);
    maintenance = new Maintenance(means, catalog(), federation.tasks().orElseThrow(), owner, beat);
    maintenance.start();
  }

  /** Watches and cares no more. */
  void close() {
    health.close();
    if (maintenance != null) {
      maintenance.close();
    }
  }

  /** What this process thinks of the sites that it uses, by name. Asks nobody. */
  public List<SiteHealth> health() {
    return health.now();
  }

  /**
   * Has {@code told} told, within a second, when this process thinks otherwise of a site than
   * before; on the scheduler, so it must not wait.
   *
   * @return closed to be told no more
   */
  public AutoCloseable listen(Consumer<SiteHealth> told) {
    return health.listen(told);
  }

  /** The sites that the catalog has, by name. */
  public List<SiteEntry> entries() {
    return waitFor(catalog().all());
  }

  /** A site; empty when the catalog has none of that name. */
  public Optional<SiteEntry> entry(String site) {
    return waitFor(catalog().get(site));
  }

  /** The sites that the catalog has, by name, and what is there. One read for each cache. */
  public List<SiteUse> sites() {
    List<SiteEntry> entries = entries();
    Map<String, StoredDefinition> stored = stored();
    return entries.stream().map(entry -> use(entry, stored)).toList();
  }

  private static SiteUse use(SiteEntry entry, Map<String, StoredDefinition> stored) {
    Set<String> there = new TreeSet<>();
    Set<String> only = new TreeSet<>();
    stored.forEach(
        (name, cache) -> {
          if (Departures.isAt(entry.name(), cache)) {
            there.add(name);
          }
          if (cache.incarnations().keySet().equals(Set.of(entry.name()))) {
            only.add(name);
          }
        });
    return new SiteUse(entry, List.copyOf(there), List.copyOf(only));
  }

  /**
   * Enters a site. Nobody is asked whether it is there.
   *
   * @throws IllegalArgumentException if there is one of that name, or its entry cannot be used
   */
  public void add(SiteEntry site) {
    SiteAccess.configuration(site);
    if (!waitFor(catalog().create(site))) {
      throw new IllegalArgumentException("there is a site of that name; site=" + site.name());
    }
  }

  /** Has caches come to a site again that was being drained. */
  public void serve(String site) {
    change(site, State.SERVING);
  }

  /**
   * What has to leave a site, after which no cache comes to it any more. Each is moved by {@link
   * #move}; ask again then, until nothing has to leave. May be repeated by anybody at any time: who
   * began it may be dead.
   *
   * @throws SiteInUseException if there are too few other sites for a cache; nothing was done
   */
  public List<Departure> drain(String site, SiteChoice choice) {
    known(site);
    departures(site, choice);
    change(site, State.DRAINING);
    return departures(site, choice);
  }

  /**
   * As the other method: each cache goes where it would be placed now, by what was wished for it
   * when it was created by a wish.
   */
  public List<Departure> drain(String site) {
    return drain(site, SiteChoice.of(placing));
  }

  /** What has still to leave a site that is being drained; nothing if that was undone. */
  List<Departure> leaving(String site) {
    return entry(site).filter(now -> now.state() == State.DRAINING).isPresent()
        ? departures(site, SiteChoice.of(placing))
        : List.of();
  }

  private List<Departure> departures(String site, SiteChoice choice) {
    return new Departures(site, choice, sites()).of(stored().values());
  }

  /**
   * Moves a cache, as {@link ChangeRun} says. A change of it that is under way is joined, and taken
   * over when whoever carries it out falls silent; it is what is returned.
   *
   * <p>Fails with {@link CatalogException} of {@link CatalogException.Reason#CHANGED} when the
   * cache has come to other sites since {@code leaving} was told: nothing was done, ask again.
   *
   * @throws UnsupportedOperationException if it cannot leave
   * @throws NoSuchElementException if the cache is gone
   */
  public ChangeRun move(Departure leaving) {
    return move(leaving, 0);
  }

  /**
   * As the other method, with so many keys a second copied at most while the cache serves as it
   * was; 0 for as many as can be.
   */
  public ChangeRun move(Departure leaving, long keysPerSecond) {
    StoredDefinition now = cache(leaving.cache());
    if (now.change().filter(change -> !change.isEnding()).isPresent()) {
      return alterations.join(now);
    }
    List<String> sites = now.definition().sites();
    if (!sites.equals(leaving.from()) && !sites.equals(leaving.to())) {
      throw new CatalogException(
          CatalogException.Reason.CHANGED,
          "the cache has come to other sites meanwhile; cache=%s wanted=%s found=%s"
              .formatted(leaving.cache(), leaving.from(), sites));
    }
    return alterations.alter(now, now.definition().at(leaving.to()), keysPerSecond);
  }

  /**
   * What the process that cares for each site has found, by site: {@code state}, {@code phi},
   * {@code silent-ms}, {@code behind} ({@code no}, {@code perhaps}), what it is {@code doing}, and
   * {@code at} which second since 1970 by its clock: two seconds ago at most, unless it is dead.
   * Empty where no process has had maintenance on.
   */
  public Map<String, Map<String, String>> notes() {
    Map<String, Map<String, String>> all = new TreeMap<>();
    List<TaskEntry> tasks = waitFor(federation.tasks().map(TaskEntries::all).orElseThrow());
    for (SiteEntry entry : entries()) {
      tasks.stream()
          .filter(task -> task.name().equals(Maintenance.task(entry.name())))
          .forEach(task -> all.put(entry.name(), task.notes()));
    }
    return all;
  }

  /**
   * What each site has to do, by the statistics of its nodes, as placement takes it: how many
   * entries it holds and how many requests it gets. Those that do not tell within two seconds are
   * not there. A request for each store of each site.
   */
  public Map<String, SiteFigures> figures() {
    Set<String> names = entries().stream().map(SiteEntry::name).collect(Collectors.toSet());
    return Placing.figures(federation, caches, names);
  }

  /** Enters where a site is now, unless its entry was changed meanwhile. */
  void moved(SiteEntry known, List<Endpoint> now) {
    waitFor(catalog().replace(known.at(now)));
  }

  /**
   * Takes a site out of the catalog. What it holds is left as it is.
   *
   * @throws SiteInUseException if a cache is there, or comes there; nothing was done
   */
  public void remove(String site) {
    SiteEntry entry = known(site);
    refuseUsed(entry);
    change(site, State.DRAINING);
    for (int i = 0; i < MOST_TRIES; i++) {
      SiteEntry drained = known(site);
      refuseUsed(drained);
      if (waitFor(catalog().delete(drained))) {
        afterwards(drained);
        return;
      }
    }
    throw others(site);
  }

  /** Who began to make a cache before the site was being drained may have ended only now. */
  private void afterwards(SiteEntry gone) {
    try {
      refuseUsed(gone);
    } catch (SiteInUseException late) {
      waitFor(catalog().create(gone));
      throw late;
    }
    stored().values().forEach(cache -> forget(cache, gone.name()));
  }

  /** Nobody will remove what a former configuration has left at a site that is gone. */
  private void forget(StoredDefinition cache, String site) {
    Optional<Change> over = cache.change().filter(Change::isEnding);
    if (over.isEmpty()) {
      return;
    }
    List<Remains> left =
        over.get().remains().stream().filter(one -> !one.site().equals(site)).toList();
    if (left.size() < over.get().remains().size()) {
      Optional<Change> next =
          left.isEmpty() ? Optional.empty() : over.map(change -> change.leaving(left));
      waitFor(federation.definitions().replace(cache.with(next))); // If it fails, it stays named.
    }
  }

  private void refuseUsed(SiteEntry entry) {
    SiteUse use = use(entry, stored());
    if (!use.caches().isEmpty()) {
      throw new SiteInUseException(
          entry.name(), "caches are at the site; drain it first", use.caches(), use.only());
    }
  }

  private void change(String site, State state) {
    for (int i = 0; i < MOST_TRIES; i++) {
      SiteEntry now = known(site);
      if (now.state() == state || waitFor(catalog().replace(now.in(state)))) {
        return;
      }
    }
    throw others(site);
  }

  private static CatalogException others(String site) {
    return new CatalogException(
        CatalogException.Reason.CHANGED, "others change the site all the while; site=" + site);
  }

  private SiteEntry known(String site) {
    return entry(site)
        .orElseThrow(
            () -> new NoSuchElementException("the catalog has no site of that name; site=" + site));
  }

  private StoredDefinition cache(String name) {
    return waitFor(federation.definitions().get(name))
        .orElseThrow(() -> new NoSuchElementException("no such cache: " + name));
  }

  private Map<String, StoredDefinition> stored() {
    Map<String, StoredDefinition> all = new TreeMap<>();
    for (String name : waitFor(federation.definitions().list())) {
      waitFor(federation.definitions().get(name)).ifPresent(found -> all.put(name, found));
    }
    return all;
  }

  private SiteEntries catalog() {
    return federation
        .entries()
        .orElseThrow(
            () -> new IllegalStateException("these definitions are no catalog that has sites"));
  }

  private <T> T waitFor(CompletionStage<T> stage) {
    return caches.waitFor(() -> stage, OpenCaches.LONGEST_LOOKUP);
  }
}
