package io.ensemble.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.RacingDefinitions;
import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.codec.Codec;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.stamp.HybridClock;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OpenCachesTest {

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final RacingDefinitions definitions = new RacingDefinitions();
  private final OpenCaches caches =
      new OpenCaches(
          new ManagerContext(
              SiteDirectory.of(Map.of("a", new StubSite("a"))),
              definitions,
              scheduler,
              Optional.empty(),
              new HybridClock(scheduler::epochMicros),
              null,
              Duration.ofSeconds(10),
              new SecureRandom(),
              List.of()),
          new Codec(List.of()),
          Map.of(Mode.MWMR, cache -> new InMemoryEngine(scheduler, scheduler::epochMicros)));

  @AfterEach
  void close() {
    caches.stop();
    scheduler.close();
  }

  private static StoredDefinition born(int number) {
    return StoredDefinition.first(
        CacheDefinition.of("s", Mode.MWMR).sites("a").build(),
        "%024x".formatted(number),
        Map.of("a", "00000001"));
  }

  @Test
  void aBirthThatSomebodyOpensMeanwhileIsCheckedToo() {
    StoredDefinition present = born(3);
    definitions.create(present);
    caches.opened(born(1));
    definitions.beforeGet.set(
        () ->
            elsewhere(
                () -> {
                  caches.stop("s");
                  caches.opened(born(2)); // From a record that was read before the deletion.
                }));

    assertThat(caches.opened(present).isOf(present)).isTrue();
    assertThat(caches.get("s").orElseThrow().isOf(present)).isTrue();
  }

  private static void elsewhere(Runnable task) {
    CompletableFuture.runAsync(task, run -> new Thread(run).start()).join();
  }
}
