package io.ensemble.testkit.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.link.Ports;
import jakarta.transaction.TransactionManager;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.infinispan.Cache;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.lifecycle.ComponentStatus;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.transaction.LockingMode;
import org.infinispan.transaction.TransactionMode;
import org.infinispan.transaction.lookup.EmbeddedTransactionManagerLookup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

class ClusterMemberIT {

  /** The peers need more than a second to elect another coordinator. */
  @Tag("nightly")
  @Test
  @Timeout(600)
  void whoStartsRightAfterTheCoordinatorHasDiedMeetsTheOthers() {
    String cluster = "cluster-" + UUID.randomUUID();
    Deque<ClusterMember> members = new ArrayDeque<>();
    try {
      members.add(ClusterMember.start(cluster, "node", 0, Ports.reserve(2), List.of()));
      members.add(ClusterMember.start(cluster, "node", 1, Ports.reserve(2), List.copyOf(members)));
      for (int i = 2; i < 4; i++) {
        ClusterMember coordinator = members.removeFirst();
        coordinator.unplug();

        members.add(
            ClusterMember.start(cluster, "node", i, Ports.reserve(2), List.copyOf(members)));
        coordinator.stop();

        assertThat(members).extracting(ClusterSplit::reached).containsExactly(2, 2);
      }
    } finally {
      members.forEach(ClusterMember::stop);
    }
  }

  /**
   * A cache that stops in order waits for its open transactions, here for longer than the test's
   * timeout. The wait ignores interrupts, hence the separate thread.
   */
  @Test
  @Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
  void aMemberThatIsCutOffStopsWithoutWaitingForItsTransactions() throws Exception {
    ClusterMember member =
        ClusterMember.start("cluster-" + UUID.randomUUID(), "solo", 0, Ports.reserve(2), List.of());
    DefaultCacheManager manager = member.manager();
    ConfigurationBuilder configuration = new ConfigurationBuilder();
    configuration.clustering().cacheMode(CacheMode.DIST_SYNC);
    configuration
        .transaction()
        .transactionMode(TransactionMode.TRANSACTIONAL)
        .lockingMode(LockingMode.PESSIMISTIC)
        .useSynchronization(true)
        .transactionManagerLookup(new EmbeddedTransactionManagerLookup())
        .cacheStopTimeout(1, TimeUnit.HOURS);
    manager.defineConfiguration("alone", configuration.build());
    Cache<String, String> cache = manager.getCache("alone");
    TransactionManager transactions = cache.getAdvancedCache().getTransactionManager();
    transactions.begin();
    cache.put("k", "v");

    member.unplug();
    member.stop();

    assertThat(manager.getStatus()).isEqualTo(ComponentStatus.TERMINATED);
    assertThat(transactions.suspend()).as("the transaction, which is open still").isNotNull();
  }
}
