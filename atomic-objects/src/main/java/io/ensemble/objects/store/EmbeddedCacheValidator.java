package io.ensemble.objects.store;

import java.util.ArrayList;
import java.util.List;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.ClusteringConfiguration;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.cache.IsolationLevel;
import org.infinispan.partitionhandling.PartitionHandling;
import org.infinispan.transaction.LockingMode;
import org.infinispan.transaction.TransactionMode;
import org.infinispan.transaction.lookup.EmbeddedTransactionManagerLookup;

/** The required configuration of an embedded cache, so that no acknowledged step is lost. */
final class EmbeddedCacheValidator {

  private static final long LOCK_MILLIS = 5_000;
  private static final long REMOTE_MILLIS = 10_000;

  /** The maximum time of a request: an older transaction of a node that died is rolled back. */
  private static final long LOST_TRANSACTION_MILLIS = LOCK_MILLIS + REMOTE_MILLIS;

  private static final long LOOKS_FOR_LOST_MILLIS = 1_000;

  private EmbeddedCacheValidator() {}

  static ConfigurationBuilder fitting(boolean clustered) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    builder
        .clustering()
        .cacheMode(clustered ? CacheMode.DIST_SYNC : CacheMode.LOCAL)
        .transaction()
        .transactionMode(TransactionMode.TRANSACTIONAL)
        .lockingMode(LockingMode.PESSIMISTIC)
        .transactionManagerLookup(new EmbeddedTransactionManagerLookup())
        .useSynchronization(true)
        .completedTxTimeout(LOST_TRANSACTION_MILLIS)
        .reaperWakeUpInterval(LOOKS_FOR_LOST_MILLIS)
        .locking()
        .isolationLevel(IsolationLevel.REPEATABLE_READ)
        .lockAcquisitionTimeout(LOCK_MILLIS);
    if (clustered) {
      builder
          .clustering()
          .remoteTimeout(REMOTE_MILLIS)
          .hash()
          .numOwners(2)
          .partitionHandling()
          .whenSplit(PartitionHandling.DENY_READ_WRITES);
    }
    return builder;
  }

  static void check(String cache, Configuration is) {
    List<String> wrong = new ArrayList<>();
    want(wrong, "no simple cache", !is.simpleCache(), "one");
    CacheMode mode = is.clustering().cacheMode();
    boolean fits = mode == CacheMode.LOCAL || mode.isSynchronous() && !mode.isInvalidation();
    want(wrong, "mode LOCAL, DIST_SYNC or REPL_SYNC", fits, mode);
    TransactionMode transactions = is.transaction().transactionMode();
    want(
        wrong,
        "transactions",
        transactions == TransactionMode.TRANSACTIONAL && !is.invocationBatching().enabled(),
        transactions);
    LockingMode locking = is.transaction().lockingMode();
    want(wrong, "locking PESSIMISTIC", locking == LockingMode.PESSIMISTIC, locking);
    IsolationLevel isolation = is.locking().lockIsolationLevel();
    want(
        wrong, "isolation REPEATABLE_READ", isolation == IsolationLevel.REPEATABLE_READ, isolation);
    want(
        wrong,
        "no expiry",
        is.expiration().lifespan() <= 0 && is.expiration().maxIdle() <= 0,
        "lifespan " + is.expiration().lifespan() + " ms, max idle " + is.expiration().maxIdle());
    want(wrong, "no eviction", !is.memory().isEvictionEnabled(), is.memory().whenFull());
    if (mode.isClustered()) {
      checkClustered(is.clustering(), wrong);
    }
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException(
          "a cache of atomic objects requires " + String.join("; ", wrong) + "; cache=" + cache);
    }
  }

  private static void checkClustered(ClusteringConfiguration is, List<String> wrong) {
    PartitionHandling split = is.partitionHandling().whenSplit();
    want(
        wrong,
        "partition handling DENY_READ_WRITES",
        split == PartitionHandling.DENY_READ_WRITES,
        split);
    int owners = is.hash().numOwners();
    want(wrong, "at least two owners", !is.cacheMode().isDistributed() || owners >= 2, owners);
    want(wrong, "no L1", !is.l1().enabled(), "it");
    want(wrong, "state transfer", is.stateTransfer().fetchInMemoryState(), "none");
  }

  private static void want(List<String> wrong, String wanted, boolean met, Object came) {
    if (!met) {
      wrong.add(wanted + " (found " + came + ")");
    }
  }
}
