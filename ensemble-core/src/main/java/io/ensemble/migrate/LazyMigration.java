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
  private final MigrationSource former;
  private final ConfigurationFollower.Surroundings around;
  private final DefinitionWatch watch;
  private @Nullable LazyMigrationEngine engine;
  private @Nullable MwmrEngine registers;
  private volatile boolean isOver;

  private LazyMigration(
      StoredDefinition cutover,
      MigrationSource former,
      ConfigurationFollower.Surroundings around,
      DefinitionWatch watch) {
    this.cutover = cutover;
    this.served = cutover.served();
    this.former = former;
    this.around = around;
    this.watch = watch;
  }

  /**
   * The lazy migration of the change in {@code now}.
   *
   * @param former handles of the former configuration
   */
  static LazyMigration of(
      StoredDefinition now,
      List<SiteHandle> former,
      ConfigurationFollower.Surroundings around,
      DefinitionWatch watch) {
    MigrationSource source =
        MigrationSources.of(
            now,
            List.copyOf(former),
            around.scheduler(),
            around.clock(),
            around.writers().get(),
            false);
    return new LazyMigration(now, source, around, watch);
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
    return isOver
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
  synchronized ServingConfiguration serving(ConfigurationEndReader trust, List<SiteHandle> stores) {
    CacheDefinition definition = served.definition();
    MwmrEngine inner = MwmrEngine.openUnswept(around.cache(definition, stores));
    KeyMigrator takeovers =
        new KeyMigrator(
            inner,
            former::readEnded,
            () -> BackgroundMigration.isInCutover(watch, cutover),
            around.scheduler());
    LazyMigrationEngine outer =
        new LazyMigrationEngine(
            new LeasedEngine(inner, definition, trust),
            definition,
            takeovers,
            around.scheduler(),
            () -> lost(stores),
            watch::look,
            former::close);
    registers = inner;
    engine = outer;
    return new ServingConfiguration(number(), definition, outer, inner, trust::isEnding);
  }

  private static Set<String> lost(List<SiteHandle> stores) {
    return stores.stream()
        .filter(SiteHandle::isLost)
        .map(SiteHandle::site)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Records that all keys are taken over: the former configuration is no longer needed. */
  void over() {
    isOver = true;
    LazyMigrationEngine outer;
    MwmrEngine inner;
    synchronized (this) {
      outer = engine;
      inner = registers;
    }
    // Outside the lock, because waiting calls continue and their completions run foreign code.
    if (outer != null && inner != null) {
      outer.over();
      inner.beginSweeping();
    }
  }
}
