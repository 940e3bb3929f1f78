package io.ensemble.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.change.Change;
import io.ensemble.deploy.federation.FederationFile;
import io.ensemble.deploy.federation.LocalPlan;
import io.ensemble.deploy.federation.RunningFederation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The only new store of a cache is lost while keys are taken over into it: commands say so, none
 * waits for ever, a drain goes on with the other caches, and the cache can be deleted.
 */
@Timeout(180)
class LostInJointIT {

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

  @Test
  void itIsToldAndNobodyWaitsForIt() throws Exception {
    ok("caches", "create", "d2", "--mode", "mwmr", "--sites", "lyon");
    ok("caches", "create", "other", "--mode", "mwmr", "--sites", "lyon");
    for (int i = 0; i < 40; i++) {
      ok("put", "d2", "k" + i, "v");
    }
    try (EnsembleCacheManager mover =
        EnsembleCacheManager.builder().catalog(federation.state().catalog()).build()) {
      mover.changes().alter(mover.stored("d2").orElseThrow().definition().at(List.of("oslo")), 4);
      CountDownLatch never = new CountDownLatch(1);
      while (mover
          .stored("d2")
          .flatMap(StoredDefinition::change)
          .filter(Change::isJoint)
          .isEmpty()) {
        assertThat(never.await(20, TimeUnit.MILLISECONDS)).isFalse(); // Until the timeout.
      }
      loses("oslo", mover.stored("d2").orElseThrow().served().store("oslo").orElseThrow());
    }

    assertThat(run("migrations").out()).contains("lost its stores at oslo in joint");
    assertThat(run("migrations", "show", "d2").out())
        .contains("stuck", "lost its stores at oslo in joint", "delete the cache");
    assertThat(run("migrations", "list", "--json").json().at("/migrations/0/lost/0").asText())
        .isEqualTo("oslo");
    Ran call = run("get", "d2", "k1");
    assertThat(call.err()).contains("lost its stores at oslo in joint");
    assertThat(call.code()).isEqualTo(ExitCode.FAILED);
    refused("migrations", "resume", "d2");
    Ran recovered = run("sites", "recover", "oslo");
    assertThat(recovered.out()).contains("lost its stores at oslo in joint");
    assertThat(recovered.code()).isEqualTo(ExitCode.FAILED);

    Ran drained = run("sites", "drain", "lyon");
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
    assertThat(run("migrations").out()).startsWith("no cache is being changed");
    ok("sites", "drain", "lyon");
    assertThat(run("sites", "list", "--catalog", federation.state().catalog()).out())
        .doesNotContain("d2");
  }

  /** As a site that was killed and started again has none. */
  private static void loses(String site, String store) {
    String endpoint =
        federation.state().sites().stream()
            .filter(place -> place.name().equals(site))
            .findFirst()
            .orElseThrow()
            .endpoints()
            .get(0);
    try (RemoteCacheManager hotrod =
        new RemoteCacheManager(new ConfigurationBuilder().uri("hotrod://" + endpoint).build())) {
      hotrod.administration().removeCache(store);
    }
  }

  private static void refused(String... arguments) {
    Ran ran = run(arguments);
    assertThat(ran.err()).contains("lost its stores at oslo in joint", "delete the cache");
    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
  }

  private static void ok(String... arguments) {
    Ran ran = run(arguments);
    assertThat(ran.code()).as(ran.err() + ran.out()).isZero();
  }

  private static Ran run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    if (!all.contains("--catalog")) {
      all.addAll(List.of("--federation", file.path().toString()));
    }
    return Ran.ensemble(all);
  }
}
