package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.definition.Inventory;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.maintenance.UnreadableRecords;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A catalog with records that cannot be read. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class UnreadableRecordsTest {

  @TempDir Path temporary;
  private Path directory;
  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final List<StubSite> sites =
      List.of(new StubSite("a"), new StubSite("b"), new StubSite("c"), new StubSite("d"));
  private FileDefinitions definitions;
  private EnsembleCacheManager manager;

  /** An engine that can fill a lost store. */
  private interface Filling extends CacheEngine, RecoverableEngine {}

  private CacheEngine engine(EngineContext cache) {
    InMemoryEngine inner = new InMemoryEngine(scheduler, scheduler::epochMicros);
    return (Filling)
        Proxy.newProxyInstance(
            Filling.class.getClassLoader(),
            new Class<?>[] {Filling.class},
            (proxy, method, arguments) ->
                method.getName().equals("refill")
                    ? CompletableFuture.completedFuture(7L)
                    : method.invoke(inner, arguments));
  }

  @BeforeEach
  void spoil() throws IOException {
    directory = temporary.resolve("catalog");
    definitions = FileDefinitions.in(directory);
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .maintenance(true)
            .beat(Duration.ofMillis(250))
            .engine(Mode.MWMR, this::engine);
    sites.forEach(builder::site);
    manager = builder.build();
    for (StubSite site : sites) {
      manager
          .membership()
          .add(
              SiteEntry.open(
                  site.name(), List.of(new Endpoint("127.0.0.1", 1)), SiteStorage.MEMORY));
    }
    manager.createCache(CacheDefinition.of("s", Mode.MWMR).sites("a", "b", "c").build());
    Files.writeString(directory.resolve("later.cache"), "ensemble-cache=99\n");
    Files.writeString(directory.resolve("whole.cache"), "ensemble-distributed=99\n");
    Files.writeString(directory.resolve("zz.site"), "garbage");
  }

  @AfterEach
  void stop() throws InterruptedException {
    manager.stop();
    scheduler.close();
    await("the directory is removed")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(this::isRemoved);
  }

  /** An operation under way may write a record meanwhile, which the next attempt deletes. */
  private boolean isRemoved() {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
      return true;
    } catch (IOException | UncheckedIOException written) {
      return Files.notExists(directory);
    }
  }

  private StoredDefinition stored() {
    return manager.stored("s").orElseThrow();
  }

  @Test
  void allOthersAreSeenTo() throws Exception {
    String before = stored().store("b").orElseThrow();

    sites.get(1).stores.clear();

    await("another store at b")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(() -> !stored().store("b").orElseThrow().equals(before));
  }

  @Test
  void aSiteIsDrainedAllTheSame() throws Exception {
    CacheDefinition only = CacheDefinition.of("only", Mode.MWMR).sites("a").build();
    manager.createCache(only);
    SiteEntry entry = manager.membership().entry("a").orElseThrow();
    assertThat(definitions.sites().replace(entry.in(SiteEntry.State.DRAINING)))
        .succeedsWithin(Duration.ofSeconds(30));

    await("the cache leaves the site")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(
            () ->
                manager
                    .stored("only")
                    .filter(now -> now.change().isPresent() || !now.definition().equals(only))
                    .isPresent());
  }

  @Test
  void theyAreNamedAndNotPassedOverWhereTheyCount() {
    manager.createDistributed(DistributedDefinition.of("d", "s"));

    Inventory all = manager.inventory();

    assertThat(all.caches()).extracting(one -> one.definition().name()).containsExactly("s");
    assertThat(all.distributed()).extracting(one -> one.definition().name()).containsExactly("d");
    assertThat(all.unreadable()).containsOnlyKeys("later", "whole");
    assertThat(all.unreadable().get("later")).contains("later.cache");
    // The unreadable cache may be at the site.
    Assertions.assertThatThrownBy(() -> manager.membership().remove("a"))
        .isInstanceOf(CatalogException.class);
  }

  @Test
  void theyAreToldOnceWhileItLasts() {
    UnreadableRecords caches = new UnreadableRecords("cache");
    assertThat(caches.now(Map.of("x", "damaged"))).containsOnlyKeys("x");

    assertThat(caches.now(Map.of("x", "damaged"))).isEmpty();
    assertThat(caches.now(Map.of("x", "damaged", "y", "too"))).containsOnlyKeys("y");
    assertThat(caches.now(Map.of("x", "otherwise"))).containsOnlyKeys("x");
    assertThat(caches.now(Map.of())).isEmpty();
    assertThat(caches.now(Map.of("x", "otherwise"))).containsOnlyKeys("x");
  }
}
