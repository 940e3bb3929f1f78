package io.ensemble.reconfiguration;

import io.ensemble.CacheDefinition;
import io.ensemble.ChangeInProgressException;
import io.ensemble.Mode;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.distribution.PartUsers;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import io.ensemble.membership.CatalogView;
import io.ensemble.migrate.Mover;
import io.ensemble.migrate.MoverContext;
import io.ensemble.migrate.Movers;
import io.ensemble.migrate.OwnerFailureDetectors;
import io.ensemble.placement.ReplicaName;
import io.ensemble.repartition.RepartitionRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** Begins, joins, takes over and restarts changes of caches for a manager. Thread-safe. */
public record Alterations(
    ManagerContext federation,
    Catalog catalog,
    OpenCaches caches,
    Movers movers,
    OwnerFailureDetectors ownerDetectors) {

  private static final int MOST_TRIES = 8;
  public static final RepartitionRules PART_RULES =
      new RepartitionRules(ConfigurationLeaseRules.STANDARD);
  public static final ChangeRules RULES = new ChangeRules(ConfigurationLeaseRules.STANDARD);

  public ChangeRun alter(
      StoredDefinition stored, CacheDefinition newDefinition, long keysPerSecond) {
    return changed(stored, admitted(stored, newDefinition), false, keysPerSecond);
  }

  /** As {@link CacheChanges#alterIfUnchanged}. */
  Optional<ChangeRun> alterIfUnchanged(
      StoredDefinition stored, CacheDefinition newDefinition, long keysPerSecond) {
    return changeOnce(stored, admitted(stored, newDefinition), false, keysPerSecond);
  }

  /** The definition to which {@code stored} may be altered, with its number of replicas. */
  private CacheDefinition admitted(StoredDefinition stored, CacheDefinition newDefinition) {
    caches.engine(newDefinition.mode());
    check(stored, newDefinition);
    checkMarks(stored, newDefinition);
    caches.waitFor(
        () -> federation.sites().mayHold(newDefinition.sites()), OpenCaches.LONGEST_LOOKUP);
    return counted(stored, newDefinition);
  }

  /** As {@link CacheChanges#rebuild}. */
  ChangeRun rebuild(StoredDefinition stored, long keysPerSecond) {
    CacheDefinition definition = stored.definition();
    caches.engine(definition.mode());
    check(stored, definition);
    return changed(stored, definition, true, keysPerSecond);
  }

  /**
   * @param isRebuild whether the cache receives new stores although its definition stays the same
   */
  private ChangeRun changed(
      StoredDefinition stored, CacheDefinition to, boolean isRebuild, long keysPerSecond) {
    StoredDefinition now = stored;
    for (int i = 0; i < MOST_TRIES; i++) {
      Optional<ChangeRun> run = changeOnce(now, to, isRebuild, keysPerSecond);
      if (run.isPresent()) {
        return run.get();
      }
      now = requireStored(to.name());
    }
    throw changed(to.name());
  }

  /** Begins or joins the change, unless the record is no longer {@code now}. */
  private Optional<ChangeRun> changeOnce(
      StoredDefinition now, CacheDefinition to, boolean isRebuild, long keysPerSecond) {
    Optional<ConfigurationChange> activeChange = now.change().filter(change -> !change.isEnding());
    WriterId writer = federation.newWriter();
    if (activeChange.isPresent()) {
      if (!activeChange.get().to().equals(to)) {
        throw new ChangeInProgressException(now.definition(), activeChange.get().to());
      }
      return Optional.of(startMover(new Mover(createMoverContext(), writer, now)));
    }
    if (!isRebuild && now.definition().equals(to)) {
      return Optional.of(
          now.change().isPresent() // Only stores of an ended change are left.
              ? resume(now)
              : startMover(new Mover(createMoverContext(), writer, now)));
    }
    return beginChange(now, to, writer, keysPerSecond);
  }

  /**
   * Begins a rebuild if {@code stored} is still the record. Otherwise nothing is done and the
   * result is empty.
   */
  public Optional<ChangeRun> rebuildIfUnchanged(StoredDefinition stored, long keysPerSecond) {
    check(stored, stored.definition());
    return beginChange(stored, stored.definition(), federation.newWriter(), keysPerSecond);
  }

  private Optional<ChangeRun> beginChange(
      StoredDefinition now, CacheDefinition to, WriterId writer, long keysPerSecond) {
    SortedSet<ObsoleteStore> obsoleteStores = new TreeSet<>();
    now.change().ifPresent(formerChange -> obsoleteStores.addAll(formerChange.remains()));
    ConfigurationChange newChange =
        ConfigurationChange.begun(to, newIncarnations(to), Mover.owner(writer), obsoleteStores)
            .paced(keysPerSecond);
    StoredDefinition next = now.with(Optional.of(newChange));
    return caches.waitFor(() -> federation.definitions().replace(next), OpenCaches.LONGEST_LOOKUP)
        ? Optional.of(startMover(new Mover(createMoverContext(), writer, next)))
        : Optional.empty();
  }

  private CacheDefinition counted(StoredDefinition stored, CacheDefinition newDefinition) {
    CacheDefinition next =
        stored
            .change()
            .filter(change -> !change.isEnding())
            .map(ConfigurationChange::to)
            .orElse(stored.definition());
    Duration longest = federation.administration();
    return caches.waitFor(
        () -> catalog.counted(newDefinition, next, Deadline.after(longest, federation.scheduler())),
        longest.plus(Catalog.REMOVAL));
  }

  public ChangeRun join(StoredDefinition stored) {
    change(stored);
    return startMover(new Mover(createMoverContext(), federation.newWriter(), stored));
  }

  public ChangeRun resume(StoredDefinition stored) {
    change(stored);
    Mover mover = new Mover(createMoverContext(), federation.newWriter(), stored);
    caches.waitFor(mover::takeOver, OpenCaches.LONGEST_LOOKUP);
    return startMover(mover);
  }

  /** As {@link CacheChanges#restart}. */
  ChangeRun restart(StoredDefinition stored, LostStoreDetector detector) {
    ConfigurationChange change = change(stored);
    if (!RULES.mayRestart(change.step())) {
      throw new IllegalStateException(
          ("a change can be restarted only if its new stores are lost during lazy migration; "
                  + "cache=%s step=%s: %s")
              .formatted(stored.definition().name(), change.step(), suggestRemedy(change)));
    }
    LostStoreDetector.LostStores lost = detector.check(stored);
    if (lost.sites().isEmpty()) {
      throw new IllegalStateException(
          "a majority of the new stores exists or may exist, so none is declared lost; start the "
              + "sites that do not answer, and resume the change; cache="
              + stored.definition().name());
    }
    if (!lost.isConfirmed()) {
      throw new IllegalStateException(
          ("the new stores are missing, but not long enough to be declared lost: a site may be "
                  + "starting; cache=%s sites=%s")
              .formatted(stored.definition().name(), lost.sites()));
    }
    Set<String> silentSites = new NewStoreProbe(federation, caches).silent(stored);
    if (!silentSites.isEmpty()) {
      // A restart would wait for that node, and the cache would not be served.
      throw new IllegalStateException(
          ("a change can be restarted only if each new store is known to exist or to be lost: "
                  + "start the nodes of those that do not answer; cache=%s replicas=%s")
              .formatted(stored.definition().name(), silentSites));
    }
    Mover mover = new Mover(createMoverContext(), federation.newWriter(), stored);
    caches.waitFor(mover::restart, OpenCaches.LONGEST_LOOKUP);
    return startMover(mover);
  }

  private static String suggestRemedy(ConfigurationChange change) {
    return switch (change.step()) {
      case PREPARING, COPYING -> "resume it with other new stores, or cancel it";
      case SEALING ->
          change.restarts() > 0
              ? "it was restarted already: resume it"
              : "resume it with other new stores";
      case CUTOVER -> throw new AssertionError("it may be restarted; step=CUTOVER");
      case CLOSING -> "only the new configuration is used: recover its sites";
      case ABORTING -> "it was cancelled: the cache is unchanged";
    };
  }

  public Optional<ChangeRun> takeOverIfSilent(StoredDefinition stored) {
    if (!ownerDetectors.isSilent(stored, federation.scheduler().nanos())) {
      return Optional.empty();
    }
    Mover mover = new Mover(createMoverContext(), federation.newWriter(), stored);
    return caches.unlessRaced(() -> mover.takeOver(stored)).map(taken -> startMover(mover));
  }

  /** As {@link CacheChanges#lostStores}. */
  Set<String> lostStores(StoredDefinition stored) {
    return new NewStoreProbe(federation, caches).of(stored);
  }

  public LostStoreDetector lostStoreDetector() {
    return new LostStoreDetector(this::lostStores, this::isOnDisk, federation.scheduler()::nanos);
  }

  private boolean isOnDisk(String replica) {
    return new CatalogView(federation, caches)
        .entry(ReplicaName.siteOf(replica))
        .filter(entry -> entry.storage() == SiteStorage.DISK)
        .isPresent();
  }

  void pace(String cache, long keysPerSecond) {
    for (int i = 0; i < MOST_TRIES; i++) {
      StoredDefinition now = requireStored(cache);
      StoredDefinition next = now.with(Optional.of(change(now).paced(keysPerSecond)));
      if (caches.waitFor(() -> federation.definitions().replace(next), OpenCaches.LONGEST_LOOKUP)) {
        return;
      }
    }
    throw changed(cache);
  }

  private static ConfigurationChange change(StoredDefinition stored) {
    return stored
        .change()
        .orElseThrow(
            () ->
                new NoSuchElementException(
                    "no change of the cache is in progress; cache=" + stored.definition().name()));
  }

  private static CatalogException changed(String cache) {
    return new CatalogException(
        CatalogException.Reason.CHANGED,
        "other processes changed the definition at each attempt; cache=" + cache);
  }

  private ChangeRun startMover(Mover mover) {
    movers.start(mover);
    return new ChangeRun(mover, caches);
  }

  public static void check(StoredDefinition stored, CacheDefinition to) {
    if (!stored.fenced()) {
      throw new UnsupportedOperationException(
          "a cache whose record has an earlier format cannot be changed; cache=%s change=%s"
              .formatted(to.name(), stored.definition().differences(to)));
    }
    if (stored.definition().keepsSiblings() && !to.keepsSiblings()) {
      throw new IllegalArgumentException(
          "a cache with siblings must keep siblings, or values would be lost; cache=%s change=%s"
              .formatted(to.name(), stored.definition().differences(to)));
    }
    if (stored.definition().privacy() != to.privacy()) {
      throw new IllegalArgumentException(
          "the privacy of a cache cannot be changed: the mover has no keys; cache=%s change=%s"
              .formatted(to.name(), stored.definition().differences(to)));
    }
    List<String> countedSites = stored.roll().sites();
    if (!countedSites.containsAll(stored.definition().sites())) {
      throw new IllegalStateException(
          ("a cache that continues without a site cannot be changed: recover that site first; "
                      + "cache=%s")
                  .formatted(to.name())
              + " sites=%s active=%s".formatted(stored.definition().sites(), countedSites));
    }
  }

  /**
   * Rejects a change away from MWMR for parts of fenced distributed caches. Processes look for
   * generation marks in the parts, and reads in other modes may miss them.
   */
  private void checkMarks(StoredDefinition stored, CacheDefinition to) {
    if (to.mode() == Mode.MWMR || stored.definition().mode() != Mode.MWMR) {
      return;
    }
    List<String> users =
        new PartUsers(federation.definitions().distributions(), caches)
            .of(to.name(), StoredDistribution::fenced);
    if (!users.isEmpty()) {
      throw new IllegalStateException(
          ("the cache is a part of distributed caches whose parts may change, and must stay MWMR: "
                  + "delete those first; cache=%s mode=%s distributed=%s")
              .formatted(to.name(), to.mode(), users));
    }
  }

  Set<String> names() {
    return caches.waitFor(() -> federation.definitions().list(), OpenCaches.LONGEST_LOOKUP);
  }

  public Optional<StoredDefinition> find(String cache) {
    return caches.waitFor(() -> federation.definitions().get(cache), OpenCaches.LONGEST_LOOKUP);
  }

  StoredDefinition requireStored(String cache) {
    return find(cache).orElseThrow(() -> new NoSuchElementException("no such cache: " + cache));
  }

  private Map<String, String> newIncarnations(CacheDefinition to) {
    return federation.sites().lives(to, federation::newToken);
  }

  private MoverContext createMoverContext() {
    return new MoverContext(
        federation.sites(),
        federation.definitions(),
        federation.scheduler(),
        federation.clock(),
        federation::newToken,
        RULES,
        action -> {});
  }
}
