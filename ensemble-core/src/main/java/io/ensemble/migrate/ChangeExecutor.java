package io.ensemble.migrate;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.mwmr.RegisterSeed;
import io.ensemble.cache.swmr.copy.CopySeed;
import io.ensemble.cache.weak.entry.EntrySeed;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangeStateMachine;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The actions of one turn of a mover at the sites. */
final class ChangeExecutor implements AutoCloseable {

  /**
   * How long a store must have been missing to count as lost: a site that is starting has no store
   * yet.
   */
  static final Duration GONE_AFTER = Duration.ofSeconds(60);

  private static final Duration LONGEST = Duration.ofSeconds(10);

  private final MoverContext moverContext;
  private final WriterId writer;
  private final StoredDefinition stored;
  private final ConfigurationChange change;
  private final ChangeStateMachine changeStateMachine;
  private final List<StoreHandle> formerStores = new ArrayList<>();
  private final MigrationSource source;
  private final BackgroundMigration backgroundMigration;
  private final AbandonedStores abandonedStores;
  private final Set<Bytes> doubtfulKeys = ConcurrentHashMap.newKeySet();
  private final Map<Integer, Long> missedSince = new ConcurrentHashMap<>();
  private final CopyProgress copyProgress;
  private final CopyRateLimiter copyRateLimiter;

  /** A new store no longer exists. */
  static final class NewStoreLostException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NewStoreLostException(Throwable cause) {
      super("a new store is lost", cause);
    }
  }

  ChangeExecutor(
      MoverContext moverContext,
      WriterId writer,
      StoredDefinition stored,
      ChangeStateMachine changeStateMachine,
      CopyProgress copyProgress,
      CopyRateLimiter copyRateLimiter) {
    this.moverContext = moverContext;
    this.writer = writer;
    this.stored = stored;
    this.change = stored.change().orElseThrow();
    this.changeStateMachine = changeStateMachine;
    this.copyProgress = copyProgress;
    this.copyRateLimiter = copyRateLimiter;
    CacheDefinition definition = stored.definition();
    DefinitionWatch watch =
        new DefinitionWatch(stored, moverContext.definitions(), moverContext.scheduler());
    CacheMetrics metrics = CacheMetrics.of(null, definition.name(), definition.mode());
    for (String site : definition.sites()) {
      formerStores.add(
          new SiteHandle(
              moverContext.sites().of(site), watch, stored, moverContext.scheduler(), metrics));
    }
    source =
        MigrationSources.of(
            stored, formerStores, moverContext.scheduler(), moverContext.clock(), writer, true);
    backgroundMigration = new BackgroundMigration(moverContext, writer, stored, watch, source);
    abandonedStores = new AbandonedStores(moverContext, writer, stored, copyProgress);
  }

  /** Whether each site of the present configuration responds on its own. */
  static boolean endsAtEachSite(StoredDefinition stored) {
    return stored.definition().mode() == Mode.WEAK;
  }

  /** Creates the new stores; existing ones belong to this owner, from an earlier attempt. */
  CompletionStage<?> createStores() {
    return forEach(stored.newStores(), this::createStore).thenRun(changeStateMachine::made);
  }

  private CompletionStage<?> createStore(ObsoleteStore newStore) {
    Site site = moverContext.sites().of(newStore.site());
    return site.create(newStore.store(), kind(), requestDeadline())
        .handle(
            (createdStore, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(createdStore);
              }
              Throwable cause = CompletionCause.of(failure);
              return cause instanceof SiteException exception && exception.reason() == Reason.FAILED
                  ? site.open(newStore.store(), kind(), requestDeadline())
                      .exceptionallyCompose(ChangeExecutor::failHalfCreated)
                  : CompletableFuture.<SiteStore>failedFuture(cause);
            })
        .thenCompose(stage -> stage);
  }

  /** A store that an earlier attempt left half created does not count as a store. */
  private static CompletionStage<SiteStore> failHalfCreated(Throwable failure) {
    return CompletableFuture.failedStage(
        CompletionCause.of(failure) instanceof SiteException exception
                && exception.reason() == Reason.STORE_LOST
            ? new NewStoreLostException(exception)
            : failure);
  }

  private StoreKind kind() {
    return SiteHandle.kindOf(change.to());
  }

  /** Copies every key, and compares keys that were copied before. */
  CompletionStage<?> copy(boolean isLast) {
    List<SiteStore> targets = new ArrayList<>();
    return forEach(
            stored.newStores(),
            newStore ->
                moverContext
                    .sites()
                    .of(newStore.site())
                    .open(newStore.store(), kind(), requestDeadline())
                    .handle(
                        (store, failure) -> {
                          if (failure == null) {
                            synchronized (targets) {
                              return targets.add(viewToFill(store));
                            }
                          }
                          throw toMoverException(failure);
                        }))
        .thenCompose(
            opened -> {
              copyProgress.beginScan();
              CopyRateLimiter rateLimiter =
                  // The last copy is unlimited, because no client is served meanwhile.
                  isLast ? copyRateLimiter.withoutLimit() : copyRateLimiter;
              SeedWriter seedWriter =
                  new SeedWriter(
                      source, targets, seedFactory(), doubtfulKeys, moverContext.scheduler());
              return scanKeyspace(
                  List.of(KeyspaceScan.StoreGroup.of(source), OpenStoreHandle.stretch(targets)),
                  seedWriter::writeSeed,
                  rateLimiter);
            })
        .thenRun(() -> changeStateMachine.copied(isLast));
  }

  private CompletionStage<Void> scanKeyspace(
      List<KeyspaceScan.StoreGroup> stretches,
      Function<Bytes, CompletionStage<?>> settle,
      CopyRateLimiter rateLimiter) {
    return new KeyspaceScan(
            stretches,
            () -> List.copyOf(doubtfulKeys),
            settle,
            copyProgress,
            rateLimiter,
            moverContext.scheduler(),
            writer.low())
        .run();
  }

  /** Writes the end mark into the stores that a restarted change has abandoned. */
  CompletionStage<?> fence() {
    return abandonedStores
        .fence()
        .thenRun(() -> changeStateMachine.fenced(moverContext.scheduler().nanos()));
  }

  /**
   * Copies the content of the remaining abandoned stores into the new ones, unless a missing one
   * has returned.
   */
  CompletionStage<?> salvage() {
    copyProgress.beginScan();
    return abandonedStores
        .salvage(copyRateLimiter.withoutLimit()) // Unlimited, because no client is served.
        .thenAccept(
            isComplete -> {
              if (isComplete) {
                changeStateMachine.salvaged();
              } else {
                changeStateMachine.unfenced();
              }
            });
  }

  /** Takes over every key that the former configuration holds or of which there is a seed. */
  CompletionStage<?> takeOver() {
    copyProgress.beginScan();
    return backgroundMigration
        .stretches()
        .thenCompose(
            stretches -> scanKeyspace(stretches, backgroundMigration::settle, copyRateLimiter))
        .thenRun(changeStateMachine::tookOver)
        .whenComplete((done, failure) -> recordMissedSite(failure));
  }

  /**
   * A former store that is missing counts as ended after a while; data that it alone had is lost.
   */
  private void recordMissedSite(@Nullable Throwable failure) {
    if (failure != null && CompletionCause.of(failure) instanceof SiteException exception) {
      for (int site = 0; site < formerStores.size(); site++) {
        if (formerStores.get(site).site().equals(exception.site())) {
          acceptSiteLoss(site, exception);
        }
      }
    }
  }

  static RuntimeException toMoverException(Throwable failure) {
    Throwable cause = CompletionCause.of(failure);
    if (cause instanceof SiteException exception && exception.reason() == Reason.STORE_LOST) {
      return new NewStoreLostException(cause);
    }
    return cause instanceof RuntimeException exception
        ? exception
        : new IllegalStateException(cause);
  }

  private Function<Optional<Payload>, Bytes> seedFactory() {
    return switch (change.to().mode()) {
      case WEAK ->
          MigrationSources.carriesSiblings(stored)
              ? siblings -> EntrySeed.ofSiblings(writer, siblings)
              : value -> EntrySeed.of(writer, value);
      case MWMR -> value -> RegisterSeed.of(writer, value);
      case SWMR -> value -> CopySeed.of(writer, value);
    };
  }

  /** A new store, addressed by its users' keys. */
  private SiteStore viewToFill(SiteStore store) {
    return change.to().mode() == Mode.SWMR ? CopySeed.copiesIn(store) : store;
  }

  /** Writes end marks at the sites that can be reached. */
  CompletionStage<?> sealSites(Set<Integer> sites) {
    Set<Throwable> failures = ConcurrentHashMap.newKeySet();
    return forEach(sites, site -> sealSite(site, failures))
        .thenRun(
            () -> {
              long endedSites = sites.stream().filter(changeStateMachine::knowsEnd).count();
              if (endedSites == 0 && !failures.isEmpty()) {
                throw toMoverException(failures.iterator().next());
              }
            });
  }

  private CompletionStage<?> sealSite(int site, Set<Throwable> failures) {
    return source
        .end(site, requestDeadline())
        .handleAsync(
            (accepted, failure) -> {
              if (failure == null || acceptSiteLoss(site, CompletionCause.of(failure))) {
                synchronized (changeStateMachine) {
                  changeStateMachine.ended(site, moverContext.scheduler().nanos());
                }
              } else {
                failures.add(CompletionCause.of(failure));
              }
              return true;
            },
            moverContext.scheduler());
  }

  /**
   * Excludes the store of a site if it is lost, and returns whether it was excluded. A missing
   * store answers no client, but a site that is starting may find it again.
   */
  private boolean acceptSiteLoss(int site, Throwable failure) {
    if (!(failure instanceof SiteException exception) || exception.reason() != Reason.STORE_LOST) {
      missedSince.remove(site);
      return false;
    }
    long now = moverContext.scheduler().nanos();
    Long missedSinceNanos = missedSince.putIfAbsent(site, now);
    boolean isConfirmed =
        missedSinceNanos != null && now - missedSinceNanos >= GONE_AFTER.toNanos();
    return isConfirmed && source.acceptLoss(formerStores.get(site).site());
  }

  /** Removes the stores that can be reached; the rest is left to a later attempt. */
  CompletionStage<?> remove(Set<ObsoleteStore> obsoleteStores) {
    Set<ObsoleteStore> removed = ConcurrentHashMap.newKeySet();
    return forEach(
            obsoleteStores,
            obsoleteStore -> {
              Site site = moverContext.sites().find(obsoleteStore.site()).orElse(null);
              return site == null
                  ? CompletableFuture.completedFuture(true)
                  : site.remove(obsoleteStore.store(), requestDeadline())
                      .handle((done, failure) -> failure == null && removed.add(obsoleteStore));
            })
        .thenRunAsync(
            () -> changeStateMachine.removed(new HashSet<>(removed)), moverContext.scheduler());
  }

  private Deadline requestDeadline() {
    return Deadline.after(LONGEST, moverContext.scheduler());
  }

  static <T> CompletableFuture<Void> forEach(
      Set<T> elements, Function<T, CompletionStage<?>> step) {
    return CompletableFuture.allOf(
        elements.stream()
            .map(element -> step.apply(element).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new));
  }

  @Override
  public void close() {
    backgroundMigration.close();
    source.close();
  }
}
