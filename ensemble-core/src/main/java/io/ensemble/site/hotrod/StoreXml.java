package io.ensemble.site.hotrod;

import io.ensemble.site.StoreKind;

/**
 * The configuration that a store is created from, the same on one node as on many: only a
 * distributed cache tells its clients where keys live. No expiry and no eviction, or a site would
 * forget on its own. It bears no name: the one that accompanies it decides.
 */
final class StoreXml {

  private static final String PLAIN =
      """
      <distributed-cache mode="SYNC" owners="2">
        <encoding media-type="application/octet-stream"/>
        <partition-handling when-split="ALLOW_READ_WRITES"/>
      </distributed-cache>
      """;

  private static final String ACCEPTOR =
      """
      <distributed-cache mode="SYNC" owners="2">
        <encoding media-type="application/octet-stream"/>
        <locking isolation="REPEATABLE_READ"/>
        <transaction mode="NON_XA" locking="PESSIMISTIC"
          transaction-manager-lookup="org.infinispan.transaction.lookup.EmbeddedTransactionManagerLookup"/>
        <partition-handling when-split="DENY_READ_WRITES" merge-policy="NONE"/>
      </distributed-cache>
      """;

  private StoreXml() {}

  static String of(StoreKind kind) {
    return kind == StoreKind.ACCEPTOR ? ACCEPTOR : PLAIN;
  }
}
