package io.ensemble.testkit.change;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.reconfiguration.ChangeRun;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process that changes a cache is killed, and another process completes the change. */
class MoverKilledIT {

  private static final int ENTRIES = 40;
  private static final List<String> ERRANDS =
      List.of(
          "Make",
          "Advance",
          "Copy",
          "Advance",
          "Seal",
          "AwaitLeaseExpiry",
          "Advance",
          "TakeOver",
          "Advance",
          "Remove",
          "Finish");

  @TempDir static Path directory;
  private static EmbeddedFederation federation;
  private static EnsembleCacheManager manager;

  @BeforeAll
  static void start() {
    federation = SharedFederation.threeSites();
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .definitions(FileDefinitions.in(directory))
            // It would also take over changes that only have stores to remove.
            .refilling(false);
    for (EmbeddedSite site : federation.sites()) {
      builder.site(SiteConfiguration.builder(site.name()).endpoint(endpoint(site)).build());
    }
    manager = builder.build();
  }

  @AfterAll
  static void stop() {
    manager.stop();
  }

  private static String endpoint(EmbeddedSite site) {
    return site.endpoints().get(0).getHostString() + ":" + site.endpoints().get(0).getPort();
  }

  @Test
  void whileItCopiesAndWhileNobodyIsServedAndWhileItTakesOver() throws Exception {
    killedAt(List.of(2, 5, 7));
  }

  @Tag("deep")
  @Test
  void beforeEveryErrand() throws Exception {
    killedAt(IntStream.range(0, ERRANDS.size()).boxed().toList());
  }

  /** All movers run concurrently, because detecting a silent mover takes most of the time. */
  private static void killedAt(List<Integer> errands) throws Exception {
    List<Process> movers = new ArrayList<>();
    try {
      for (int errand : errands) {
        EnsembleCache<String, Integer> cache =
            manager.createCache(
                CacheDefinition.of("c" + errand, Mode.MWMR)
                    .sites("lyon", "oslo")
                    .deadline(Duration.ofSeconds(30))
                    .build());
        for (int i = 0; i < ENTRIES; i++) {
          cache.put("k" + i, i);
        }
        movers.add(mover(errand));
      }
      for (int i = 0; i < errands.size(); i++) {
        awaited(movers.get(i), "at " + ERRANDS.get(errands.get(i)));
        movers.get(i).destroyForcibly();
        assertThat(movers.get(i).waitFor(30, TimeUnit.SECONDS)).isTrue();
      }
    } finally {
      movers.forEach(Process::destroyForcibly);
    }
    List<ChangeRun> runs = new ArrayList<>();
    for (int errand : errands) {
      String name = "c" + errand;
      runs.add(errand % 2 == 0 ? watched(name) : manager.changes().join(name));
    }
    for (int i = 0; i < errands.size(); i++) {
      StoredDefinition stored = runs.get(i).done().toCompletableFuture().get(180, TimeUnit.SECONDS);
      verify("c" + errands.get(i), stored);
      manager.deleteCache("c" + errands.get(i)); // The other test creates caches of these names.
    }
  }

  /** Takes the change over as a process does that monitors all changes. */
  private static ChangeRun watched(String name) {
    return await("the mover is silent")
        .pollInterval(Duration.ofMillis(200))
        .atMost(Duration.ofMinutes(3))
        .until(() -> takeOverIfSilent(name), Optional::isPresent)
        .orElseThrow();
  }

  private static Optional<ChangeRun> takeOverIfSilent(String name) {
    StoredDefinition seen = manager.stored(name).orElseThrow();
    assertThat(seen.change()).as("a change without a mover; cache=%s", name).isPresent();
    return manager.changes().takeOverIfSilent(seen);
  }

  private static void verify(String name, StoredDefinition stored) {
    assertThat(stored.definition().sites()).as(name).containsExactly("oslo", "rome");
    assertThat(stored.configuration()).as(name).isEqualTo(2);
    assertThat(stored.change()).as(name).isEmpty();
    EnsembleCache<String, Integer> cache = manager.getCache(name);
    for (int i = 0; i < ENTRIES; i++) {
      assertThat(cache.get("k" + i)).as(name).isEqualTo(i);
    }
    assertThat(cache.put("k0", 7)).isNull();
    assertThat(cache.size()).as(name).isEqualTo(ENTRIES);
    assertThat(
            federation.sites().stream()
                .filter(site -> stored.store(site.name()).filter(site::holds).isPresent())
                .map(EmbeddedSite::name))
        .containsExactly("oslo", "rome");
  }

  private static Process mover(int errand) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                PausingMoverProgram.class.getName(),
                directory.toString(),
                "c" + errand,
                "oslo,rome",
                String.valueOf(errand)));
    federation.sites().forEach(site -> command.add(site.name() + "=" + endpoint(site)));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static void awaited(Process mover, String word) throws IOException {
    BufferedReader lines = mover.inputReader(UTF_8);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("at ")) {
        assertThat(line).isEqualTo(word);
        return;
      }
    }
    throw new AssertionError("the mover ended before it came to its errand; expected=" + word);
  }
}
