package io.ensemble.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks share managers, of which few stay open without a task. Needs no running Spark. */
@Timeout(120)
class ManagerPoolTest {

  private final ManagerPool pool = new ManagerPool(Duration.ofMillis(100));
  private final Executor thread = task -> new Thread(task, "first task").start();
  private final EnsembleCacheManager manager = InProcessFederation.manager();

  @AfterEach
  void close() {
    pool.closeAll();
    manager.stop();
  }

  private static SourceOptions options(String localSite, String cache) {
    return new SourceOptions(
        Map.of(
            "setup", InProcessFederation.class.getName(), "local-site", localSite, "cache", cache));
  }

  @Test
  void soManyManagersStayOpenWithoutATask() {
    manager.createCache(CacheDefinition.of("pooled", Mode.WEAK).sites("a", "b", "c").build());
    List<ManagerPool.Lease> leases = new ArrayList<>();
    for (int i = 0; i < ManagerPool.MOST_IDLE + 2; i++) {
      leases.add(pool.open(options("site" + i, "pooled")));
      leases.add(pool.open(options("site" + i, "pooled")));
    }
    assertThat(pool.size()).isEqualTo(ManagerPool.MOST_IDLE + 2);

    ManagerPool.Lease last = leases.remove(leases.size() - 1);
    leases.forEach(ManagerPool.Lease::close);
    assertThat(pool.size()).isEqualTo(ManagerPool.MOST_IDLE + 1);
    last.cache().put("k", "v"); // Its manager is in use, so still open.
    last.close();

    assertThat(pool.size()).isEqualTo(ManagerPool.MOST_IDLE);
  }

  @Test
  void aCacheThatDoesNotExistLeavesNoManagerInUse() {
    for (int i = 0; i < ManagerPool.MOST_IDLE + 2; i++) {
      SourceOptions absent = options("site" + i, "absent");
      assertThatIllegalArgumentException().isThrownBy(() -> pool.open(absent));
    }

    assertThat(pool.size()).isEqualTo(ManagerPool.MOST_IDLE);
  }

  /** As the shared sites, once the test permits it. */
  public static final class HangingSetup implements SparkSetup {

    private static CountDownLatch begun = new CountDownLatch(1);
    private static CompletableFuture<SparkSetup> permitted = new CompletableFuture<>();

    static void prepare() {
      begun = new CountDownLatch(1);
      permitted = new CompletableFuture<>();
    }

    @Override
    public void configure(EnsembleCacheManagerBuilder builder) {
      begun.countDown();
      permitted.join().configure(builder);
    }
  }

  private static SourceOptions hanging(String cache) {
    return new SourceOptions(Map.of("setup", HangingSetup.class.getName(), "cache", cache));
  }

  @Test
  void aFederationThatHangsDelaysNoTaskOfAnother() throws Exception {
    manager.createCache(CacheDefinition.of("prompt", Mode.WEAK).sites("a", "b", "c").build());
    HangingSetup.prepare();
    CompletableFuture<ManagerPool.Lease> first =
        CompletableFuture.supplyAsync(() -> pool.open(hanging("prompt")), thread);
    HangingSetup.begun.await();

    pool.open(options("a", "prompt")).close(); // Would hang.
    assertThatIllegalStateException()
        .isThrownBy(() -> pool.open(hanging("prompt")))
        .withMessageContaining("must connect within PT0.1S");
    assertThat(pool.size()).isEqualTo(2);

    HangingSetup.permitted.complete(new InProcessFederation());
    first.get().close();
    pool.open(hanging("prompt")).close();
    assertThat(pool.size()).isEqualTo(2);
  }

  @Test
  void afterAFailureToConnectTheNextTaskTriesAgain() throws Exception {
    manager.createCache(CacheDefinition.of("failing", Mode.WEAK).sites("a", "b", "c").build());
    HangingSetup.prepare();
    CompletableFuture<ManagerPool.Lease> first =
        CompletableFuture.supplyAsync(() -> pool.open(hanging("failing")), thread);
    HangingSetup.begun.await();
    HangingSetup.permitted.completeExceptionally(new UncheckedIOException(new IOException("no")));

    assertThatThrownBy(first::get).hasRootCauseMessage("no");
    assertThat(pool.size()).isZero();
    HangingSetup.prepare();
    HangingSetup.permitted.complete(new InProcessFederation());
    pool.open(hanging("failing")).close();
    assertThat(pool.size()).isEqualTo(1);
  }

  /** Spark kills a task that it no longer needs. */
  @Test
  void aTaskConnectsWhenTheOneThatItWaitsForIsKilled() throws Exception {
    ManagerPool patient = new ManagerPool(Duration.ofMinutes(1));
    manager.createCache(CacheDefinition.of("killed", Mode.WEAK).sites("a", "b", "c").build());
    HangingSetup.prepare();
    CompletableFuture<ManagerPool.Lease> first =
        CompletableFuture.supplyAsync(() -> patient.open(hanging("killed")), thread);
    HangingSetup.begun.await();
    CompletableFuture<SparkSetup> killed = HangingSetup.permitted;
    CompletableFuture<ManagerPool.Lease> second =
        CompletableFuture.supplyAsync(() -> patient.open(hanging("killed")), thread);
    while (patient.tasks() < 2) {
      Thread.onSpinWait();
    }
    HangingSetup.prepare();
    HangingSetup.permitted.complete(new InProcessFederation());
    killed.completeExceptionally(new CancellationException("killed"));

    assertThatThrownBy(first::get).hasRootCauseInstanceOf(CancellationException.class);
    second.get().close();
    patient.closeAll();
  }
}
