package io.ensemble.manager;

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

/**
 * What all caches of a manager share.
 *
 * @param administration how long creating a cache may take
 * @param owned what ends with the manager, in this order
 */
public record ManagerContext(
    SiteDirectory sites,
    Definitions definitions,
    Scheduler scheduler,
    Optional<String> localSite,
    HybridClock clock,
    @Nullable MeterRegistry registry,
    Duration administration,
    SecureRandom random,
    List<Runnable> owned) {

  DefinitionWatch watch(StoredDefinition opened) {
    return new DefinitionWatch(opened, definitions, scheduler);
  }

  SiteHandle handle(String site, DefinitionWatch watch, CacheMetrics metrics) {
    return new SiteHandle(sites.of(site), watch, scheduler, metrics);
  }

  /** A writer for one engine: two that overlap must not take each other's writes for their own. */
  public WriterId newWriter() {
    return new WriterId(random.nextLong(), random.nextLong());
  }

  /** An incarnation that nobody has used. */
  public String newToken() {
    return "%08x".formatted(random.nextInt());
  }

  /** The sites that the catalog has. */
  public SiteEntries entries() {
    return definitions.sites();
  }

  /** The tasks that the catalog has, if it is one that can have some. */
  public Optional<TaskEntries> tasks() {
    return definitions instanceof RecordDefinitions records
        ? Optional.of(records.tasks())
        : Optional.empty();
  }

  public void close() {
    owned.forEach(Runnable::run);
  }
}
