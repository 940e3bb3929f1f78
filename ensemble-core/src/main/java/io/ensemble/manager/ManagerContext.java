package io.ensemble.manager;

import io.ensemble.CacheOperationRecorder;
import io.ensemble.Mode;
import io.ensemble.OperationRecorder;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.RecordDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.site.SiteEntries;
import io.ensemble.catalog.task.TaskEntries;
import io.ensemble.schedule.Scheduler;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The components that all caches of a manager share.
 *
 * @param recorder observes the operations of all caches; null for none
 * @param administration the longest time for the creation of a cache
 * @param owned the actions that close the owned components, in this order
 */
public record ManagerContext(
    SiteDirectory sites,
    Definitions definitions,
    Scheduler scheduler,
    Optional<String> localSite,
    HybridClock clock,
    @Nullable MeterRegistry registry,
    @Nullable OperationRecorder recorder,
    Duration administration,
    SecureRandom random,
    List<Runnable> owned) {

  private static final Logger LOG = LoggerFactory.getLogger(ManagerContext.class);

  /** Without a recorder. */
  public ManagerContext(
      SiteDirectory sites,
      Definitions definitions,
      Scheduler scheduler,
      Optional<String> localSite,
      HybridClock clock,
      @Nullable MeterRegistry registry,
      Duration administration,
      SecureRandom random,
      List<Runnable> owned) {
    this(
        sites,
        definitions,
        scheduler,
        localSite,
        clock,
        registry,
        null,
        administration,
        random,
        owned);
  }

  /**
   * The meters and the recorder of a cache that is opened.
   *
   * @param isPrivate whether the cache is private
   */
  public CacheMetrics metrics(String cache, Mode mode, boolean isPrivate) {
    return CacheMetrics.of(registry, cache, mode, recorderOf(cache, isPrivate));
  }

  /** Null also if the recorder fails: then the operations of the cache are not recorded. */
  private @Nullable CacheOperationRecorder recorderOf(String cache, boolean isPrivate) {
    try {
      return recorder == null ? null : recorder.cacheOpened(cache, isPrivate);
    } catch (RuntimeException | Error broken) {
      LOG.error("operations are not recorded: the recorder failed; cache={}", cache, broken);
      return null;
    }
  }

  DefinitionWatch watch(StoredDefinition opened) {
    return new DefinitionWatch(opened, definitions, scheduler);
  }

  SiteHandle handle(String site, DefinitionWatch watch, CacheMetrics metrics) {
    return new SiteHandle(sites.of(site), watch, scheduler, metrics);
  }

  /**
   * Returns a writer id for one engine. Two engines that overlap must not take each other's writes
   * for their own.
   */
  public WriterId newWriter() {
    return new WriterId(random.nextLong(), random.nextLong());
  }

  /** Returns an unused token for an incarnation. */
  public String newToken() {
    return "%08x".formatted(random.nextInt());
  }

  /** The sites in the catalog. */
  public SiteEntries entries() {
    return definitions.sites();
  }

  /** The tasks in the catalog; empty if the definitions cannot keep tasks. */
  public Optional<TaskEntries> tasks() {
    return definitions instanceof RecordDefinitions records
        ? Optional.of(records.tasks())
        : Optional.empty();
  }

  public void close() {
    owned.forEach(Runnable::run);
  }
}
