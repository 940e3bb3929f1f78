package io.ensemble.objects;

import io.ensemble.objects.store.EmbeddedCluster;
import io.ensemble.objects.store.EmbeddedObjectStore;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Factories on the nodes of one cluster, in the processes of the nodes. */
@Timeout(120)
class FactoryOnNodesIT {

  private static final int CALLS = 150;

  private final HistoryRecorder recorder = HistoryRecorder.inMemory(System::nanoTime, 1_000_000);

  @Tag("nightly")
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
      try {
        countWhileNodesAreKilled(cluster, deaths);
      } catch (AssertionError e) {
        // This history is not judged; it shows the operations before the failure.
        Path kept = FailureArtifacts.keep(recorder.history(), FactoryOnNodesIT.class, "failed");
        throw new AssertionError(e.getMessage() + "\nhistory: " + kept, e);
      }

      int alive = cluster.primary("object/" + CountingThreads.NAME);
      // A dead node's lock on the key is rolled back first; calls wait for that.
      try (AtomicObjectFactory after =
          AtomicObjectFactory.builder(new EmbeddedObjectStore(cluster.cache(alive)))
              .timeout(Duration.ofSeconds(30))
              .build()) {
        long seen = after.open(CountingThreads.NAME, Counter.TYPE).get();
        CounterHistoryChecker.linearizable(recorder.history(), seen, FactoryOnNodesIT.class);
      }
    }
  }

  private void countWhileNodesAreKilled(EmbeddedCluster cluster, int deaths) throws Exception {
    List<UnresponsiveStore> stores = new ArrayList<>();
    List<CountingThreads> counting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      join(cluster, i, stores, counting);
    }

    counting.forEach(each -> each.awaitCalls(CALLS));
    for (int i = 0; i < deaths; i++) {
      int doomed = cluster.primary("object/" + CountingThreads.NAME);
      stores.get(doomed).die(1);
      cluster.kill(doomed);
      awaitCalls(stores, counting);
      if (i + 1 < deaths) {
        join(cluster, cluster.add(), stores, counting);
        awaitCalls(stores, counting);
        cluster.awaitBalance();
      }
    }
    for (int i = 0; i < counting.size(); i++) {
      if (!stores.get(i).isDead()) {
        counting.get(i).end();
      }
    }
  }

  private void join(
      EmbeddedCluster cluster,
      int node,
      List<UnresponsiveStore> stores,
      List<CountingThreads> counting) {
    UnresponsiveStore store = new UnresponsiveStore(new EmbeddedObjectStore(cluster.cache(node)));
    stores.add(store);
    counting.add(CountingThreads.start(AtomicObjectFactory.on(store), recorder, 2, store::isDead));
  }

  /** Waits for calls on the nodes that are alive. */
  private static void awaitCalls(List<UnresponsiveStore> stores, List<CountingThreads> counting) {
    for (int i = 0; i < counting.size(); i++) {
      if (!stores.get(i).isDead()) {
        counting.get(i).awaitCalls(CALLS);
      }
    }
  }
}
