package io.ensemble.migrate;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.migration.KeyMigrator;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A mover's part in taking keys over: all keys that no client accesses. Clients, or a mover that
 * has lost its turn, may take over the same keys without harm. Opens the stores on first use.
 */
final class BackgroundMigration implements AutoCloseable {

  /** The new configuration, open. */
  private record NewConfiguration(
      List<StoreHandle> stores, int sitesToScan, MwmrEngine engine, KeyMigrator keyMigrator) {}

  private final MoverContext moverContext;
  private final WriterId writer;
  private final StoredDefinition stored;
  private final DefinitionWatch watch;
  private final MigrationSource source;
  private @Nullable NewConfiguration target; // guarded by this object's lock

  /**
   * @param watch watches the cache's record
   * @param source the former configuration
   */
  BackgroundMigration(
      MoverContext moverContext,
      WriterId writer,
      StoredDefinition stored,
      DefinitionWatch watch,
      MigrationSource source) {
    this.moverContext = moverContext;
    this.writer = writer;
    this.stored = stored;
    this.watch = watch;
    this.source = source;
  }

  /** The stores to scan: the former configuration, and seeds of keys that it no longer has. */
  CompletionStage<List<KeyspaceScan.StoreGroup>> stretches() {
    return source
        .awaitEnds()
        .thenApply(
            done -> {
              NewConfiguration migrationTarget = openTarget();
              return List.of(
                  KeyspaceScan.StoreGroup.of(source),
                  new KeyspaceScan.StoreGroup(
                      migrationTarget.stores, migrationTarget.sitesToScan, site -> true));
            });
  }

  /** Takes a key over. */
  CompletionStage<?> settle(Bytes key) {
    return openTarget()
        .keyMigrator
        .takeUnasked(key, Deadline.after(KeyMigrator.LONGEST, moverContext.scheduler()))
        .thenAccept(
            isTaken -> {
              if (!isTaken) {
                throw new IllegalStateException("the change has advanced; key=" + key);
              }
            });
  }

  private synchronized NewConfiguration openTarget() {
    NewConfiguration current = target;
    if (current == null) {
      current = createTarget();
      target = current;
    }
    return current;
  }

  private NewConfiguration createTarget() {
    ConfigurationChange change = stored.change().orElseThrow();
    StoredDefinition served = stored.with(Optional.of(change.at(ChangePhase.CUTOVER))).served();
    CacheDefinition definition = served.definition();
    CacheMetrics metrics = CacheMetrics.of(null, definition.name(), definition.mode());
    List<StoreHandle> handles = new ArrayList<>();
    for (String site : definition.sites()) {
      handles.add(
          new SiteHandle(
              moverContext.sites().of(site), watch, served, moverContext.scheduler(), metrics));
    }
    MwmrEngine engine =
        MwmrEngine.openUnswept(
            new EngineContext(
                definition,
                handles,
                Optional.empty(),
                moverContext.scheduler(),
                moverContext.clock(),
                writer,
                metrics));
    KeyMigrator keyMigrator =
        new KeyMigrator(
            engine,
            source::readAfterEnds,
            () -> isInCutover(watch, stored),
            moverContext.scheduler());
    return new NewConfiguration(
        handles, handles.size() - definition.majority() + 1, engine, keyMigrator);
  }

  /**
   * Whether the record says, or said a moment ago, that keys are taken over from the configuration
   * of {@code change} to the one to which it leads. A process that is paused until the next change
   * would read the former stores of this one. After a restart, such a process would read stores
   * that were abandoned.
   */
  static CompletionStage<Boolean> isInCutover(DefinitionWatch watch, StoredDefinition change) {
    return watch
        .presentWithin(KeyMigrator.SEEN_WITHIN.toNanos())
        .thenApply(
            now ->
                now.configuration() == change.configuration()
                    && now.leadsTo() == change.leadsTo()
                    && now.change().filter(ConfigurationChange::isInCutover).isPresent());
  }

  @Override
  public synchronized void close() {
    if (target != null) {
      target.engine.close();
    }
  }
}
