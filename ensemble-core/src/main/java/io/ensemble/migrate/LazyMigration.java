package io.ensemble.migrate;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.lease.ConfigurationEndReader;
import io.ensemble.cache.lease.LeasedEngine;
import io.ensemble.cache.lease.ServingConfiguration;
import io.ensemble.cache.migration.KeyMigrator;
import io.ensemble.cache.migration.LazyMigrationEngine;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The configuration that serves in one process while keys are taken over: the new one, which keeps
 * its tombstones meanwhile, with the former one beside it. Opened once.
 */
final class LazyMigration {

  private final StoredDefinition cutover;
  private final StoredDefinition served;
  private final MigrationSource source;
  private final ConfigurationFollower.FollowerContext context;
  private final DefinitionWatch watch;
  private @Nullable LazyMigrationEngine engine;
  private @Nullable MwmrEngine registers;
  private volatile boolean isFinished;

  private LazyMigration(
      StoredDefinition cutover,
      MigrationSource source,
      ConfigurationFollower.FollowerContext context,
      DefinitionWatch watch) {
    this.cutover = cutover;
    this.served = cutover.served();
    this.source = source;
    this.context = context;
    this.watch = watch;
  }

  /**
   * The lazy migration of the change in {@code now}.
   *
   * @param formerSites handles of the former configuration
   */
  static LazyMigration of(
      StoredDefinition now,
      List<SiteHandle> formerSites,
      ConfigurationFollower.FollowerContext context,
      DefinitionWatch watch) {
    MigrationSource source =
        MigrationSources.of(
            now,
            List.copyOf(formerSites),
            context.scheduler(),
            context.clock(),
            context.writers().get(),
            false);
    return new LazyMigration(now, source, context, watch);
  }

  /** The number of the new configuration. */
  long number() {
    return served.configuration();
  }

  /**
   * Whether the record names this configuration, or did a moment ago: a restart of the change
   * abandons it. Once all keys are taken over, no restart is possible.
   */
  CompletionStage<Boolean> isNamed() {
    return isFinished
        ? CompletableFuture.completedFuture(true)
        : watch
            .presentWithin(KeyMigrator.SEEN_WITHIN.toNanos())
            .thenApply(now -> now.served().configuration() == number());
  }

  /**
   * Opens the configuration.
   *
   * @param stores the new stores
   */
  synchronized ServingConfiguration toServingConfiguration(
      ConfigurationEndReader endReader, List<SiteHandle> stores) {
    CacheDefinition definition = served.definition();
    MwmrEngine registerEngine = MwmrEngine.openUnswept(context.engineContext(definition, stores));
    KeyMigrator keyMigrator =
        new KeyMigrator(
            registerEngine,
            source::readAfterEnds,
            () -> BackgroundMigration.isInCutover(watch, cutover),
            context.scheduler());
    LazyMigrationEngine migrationEngine =
        new LazyMigrationEngine(
            new LeasedEngine(registerEngine, definition, endReader, context.metrics()),
            definition,
            keyMigrator,
            context.scheduler(),
            () -> lostSites(stores),
            watch::look,
            source::close);
    registers = registerEngine;
    engine = migrationEngine;
    return new ServingConfiguration(
        number(), definition, migrationEngine, registerEngine, endReader::isEnding);
  }

  private static Set<String> lostSites(List<SiteHandle> stores) {
    return stores.stream()
        .filter(SiteHandle::isLost)
        .map(SiteHandle::site)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Records that all keys are taken over: the former configuration is no longer needed. */
  void finish() {
    isFinished = true;
    LazyMigrationEngine migrationEngine;
    MwmrEngine registerEngine;
    synchronized (this) {
      migrationEngine = engine;
      registerEngine = registers;
    }
    // Outside the lock, because waiting calls continue and their completions run foreign code.
    if (migrationEngine != null && registerEngine != null) {
      migrationEngine.over();
      registerEngine.beginSweeping();
    }
  }
}
