package io.ensemble.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.store.EmbeddedCluster;
import io.ensemble.objects.store.EmbeddedStore;
import io.ensemble.testkit.history.HistoryRecorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Factories on the nodes of one cluster, which they are part of. */
@Timeout(120)
class FactoryOnNodesIT {

  private final CountDownLatch never = new CountDownLatch(1);
  private final HistoryRecorder recorder = HistoryRecorder.inMemory(System::nanoTime, 1_000_000);

  @Test
  void nothingIsLostWhereThePrimaryOwnerIsKilled() throws Exception {
    nodesKilled(1);
  }

  @Tag("deep")
  @RepeatedTest(10)
  @Timeout(300)
  void nothingIsLostWherePrimaryOwnersAreKilledOneAfterAnother() throws Exception {
    nodesKilled(5);
  }

  private void nodesKilled(int deaths) throws Exception {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(3)) {
      List<MuteStore> stores = new ArrayList<>();
      List<Counting> counting = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        join(cluster, i, stores, counting);
      }

      pass(1_000);
      for (int i = 0; i < deaths; i++) {
        int doomed = cluster.primary("object/" + Counting.NAME);
        stores.get(doomed).die(1);
        cluster.kill(doomed);
        pass(2_000);
        if (i + 1 < deaths) {
          join(cluster, cluster.add(), stores, counting);
          pass(1_000);
          cluster.awaitBalance();
        }
      }
      for (int i = 0; i < counting.size(); i++) {
        if (!stores.get(i).isDead()) {
          counting.get(i).end();
        }
      }

      int alive = cluster.primary("object/" + Counting.NAME);
      // Whoever meets a key that a node held when it died waits until that is rolled back.
      try (AtomicObjectFactory after =
          AtomicObjectFactory.builder(new EmbeddedStore(cluster.cache(alive)))
              .timeout(Duration.ofSeconds(30))
              .build()) {
        long seen = after.open(Counting.NAME, Counter.TYPE).get();
        Judged.linearizable(recorder.history(), seen);
      }
    }
  }

  private void join(
      EmbeddedCluster cluster, int node, List<MuteStore> stores, List<Counting> counting) {
    MuteStore store = new MuteStore(new EmbeddedStore(cluster.cache(node)));
    stores.add(store);
    counting.add(Counting.start(AtomicObjectFactory.on(store), recorder, 2, store::isDead));
  }

  private void pass(int millis) throws InterruptedException {
    assertThat(never.await(millis, TimeUnit.MILLISECONDS)).isFalse();
  }
}
