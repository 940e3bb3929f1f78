package io.ensemble.cli.migrations;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.RunningFederation;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The only new store of a cache is lost during its lazy migration. Commands report that, none waits
 * for ever, a drain goes on with the other caches, and the cache can be deleted.
 */
@Timeout(180)
@Tag("deep")
class LostStoreInCutoverIT {

  private static final String LOST = "lost its stores at oslo during lazy migration";
  private static final int KEYS = 16;

  @TempDir static Path directory;
  private static FederationFile file;
  private static RunningFederation federation;

  @BeforeAll
  static void up() {
    file = FederationFile.at(directory.resolve("federation.json"));
    federation = RunningFederation.start(file.claim(), LocalPlan.embedded(2, 1), line -> {});
  }

  @AfterAll
  static void down() {
    federation.close();
  }

  /** Starts a change of {@code d2} from lyon to oslo, and removes the store at oslo during it. */
  private static void lost() throws Exception {
    try (EnsembleCacheManager mover =
        EnsembleCacheManager.builder().catalog(federation.state().catalog()).build()) {
      EnsembleCache<String, String> cache =
          mover.createCache(
              CacheDefinition.of("d2", Mode.MWMR)
                  .sites("lyon")
                  .deadline(Duration.ofSeconds(2))
                  .build());
      for (int i = 0; i < KEYS; i++) {
        cache.put("k" + i, "v");
      }
      mover
          .changes()
          .alter(cache.definition().at(List.of("oslo")), 1); // Slow enough to lose the store.
      await("the change is in cutover")
          .atMost(Duration.ofMinutes(2))
          .pollInterval(20, MILLISECONDS)
          .until(() -> stored(mover).change().filter(ConfigurationChange::isInCutover).isPresent());
      loses("oslo", stored(mover).served().store("oslo").orElseThrow());
    }
  }

  private static StoredDefinition stored(EnsembleCacheManager manager) {
    return manager.stored("d2").orElseThrow();
  }

  @Test
  void itIsToldAndCanBeDeleted() throws Exception {
    lost();

    assertThat(run("migrations").out()).contains(LOST);
    assertThat(run("migrations", "show", "d2").out()).contains("stuck", LOST, "delete the cache");
    assertThat(run("migrations", "list", "--json").json().at("/migrations/0/lost/0").asText())
        .isEqualTo("oslo");
    CliResult call = run("get", "d2", "nobody");
    assertThat(call.err()).contains(LOST);
    assertThat(call.code()).isEqualTo(ExitCode.FAILED);
    CliResult resumed = run("migrations", "resume", "d2");
    assertThat(resumed.err()).contains(LOST, "delete the cache");
    assertThat(resumed.code()).isEqualTo(ExitCode.FAILED);

    ok("caches", "delete", "d2");
    assertThat(run("migrations").out()).startsWith("no cache is being changed");
    ok("caches", "create", "d2", "--mode", "mwmr", "--sites", "oslo");
    ok("put", "d2", "k", "anew");
    ok("caches", "delete", "d2");
  }

  @Test
  void itIsRestartedWithWhatTheFormerStoresHold() throws Exception {
    ok("caches", "create", "d3", "--mode", "mwmr", "--sites", "lyon");
    assertThat(run("migrations", "restart", "d3", "--accept-loss").err())
        .contains("no change of the cache is in progress");
    ok("caches", "delete", "d3");
    lost();

    CliResult refused = run("migrations", "restart", "d2");
    assertThat(refused.code()).isEqualTo(ExitCode.FAILED);
    assertThat(refused.err()).contains(LOST, "(none)", "--accept-loss");
    assertThat(run("migrations").out()).contains(LOST);
    CliResult restarted = run("migrations", "restart", "d2", "--accept-loss");
    assertThat(restarted.code()).as(restarted.err() + restarted.out()).isZero();
    assertThat(restarted.out()).contains("altered", "mwmr at oslo, configuration 3");

    for (int i = 0; i < KEYS; i++) {
      assertThat(run("get", "d2", "k" + i).out().trim()).isEqualTo("v");
    }
    ok("put", "d2", "k0", "anew");
    assertThat(run("get", "d2", "k0").out().trim()).isEqualTo("anew");
    assertThat(run("migrations").out()).startsWith("no cache is being changed");
    assertThat(run("migrations", "restart", "d2", "--accept-loss").code())
        .isEqualTo(ExitCode.FAILED);
    ok("caches", "delete", "d2");
  }

  @Test
  void aDrainGoesOnWithTheOtherCachesAndARecoverySaysWhatIsLost() throws Exception {
    ok("caches", "create", "other", "--mode", "mwmr", "--sites", "lyon");
    lost();

    CliResult recovered = run("sites", "recover", "oslo");
    assertThat(recovered.out()).contains(LOST);
    assertThat(recovered.code()).isEqualTo(ExitCode.FAILED);
    CliResult drained = run("sites", "drain", "lyon");
    assertThat(drained.code()).isEqualTo(ExitCode.FAILED);
    assertThat(drained.out().lines().filter(line -> line.startsWith("d2 ")))
        .singleElement()
        .asString()
        .contains("FAILED", "lost its stores");
    assertThat(drained.out().lines().filter(line -> line.startsWith("other ")))
        .singleElement()
        .asString()
        .contains("ok");

    ok("caches", "delete", "d2");
    ok("sites", "drain", "lyon");
    ok("sites", "drain", "lyon", "--undo");
    ok("caches", "delete", "other");
  }

  /** Removes a store, as a site that was killed and started again has none. */
  private static void loses(String site, String store) {
    String endpoint =
        federation.state().sites().stream()
            .filter(place -> place.name().equals(site))
            .findFirst()
            .orElseThrow()
            .endpoints()
            .get(0);
    try (RemoteCacheManager hotrod =
        new RemoteCacheManager(
            new ConfigurationBuilder().uri("hotrod://" + endpoint).socketTimeout(60_000).build())) {
      hotrod.administration().removeCache(store);
    }
  }

  private static void ok(String... arguments) {
    CliResult ran = run(arguments);
    assertThat(ran.code()).as(ran.err() + ran.out()).isZero();
  }

  private static CliResult run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    if (!all.contains("--catalog")) {
      all.addAll(List.of("--federation", file.path().toString()));
    }
    return CliResult.ensemble(all);
  }
}
