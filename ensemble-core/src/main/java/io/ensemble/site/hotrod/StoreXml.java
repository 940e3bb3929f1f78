package io.ensemble.site.hotrod;

import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.configuration.SiteStorage;

/**
 * The configuration from which a store is created. A store of a whole site has the same
 * configuration on one node as on many: only a distributed cache announces to its clients where
 * keys live. The store has no expiry and no eviction, because a site must not drop entries on its
 * own. The statistics show the load of the site. The configuration has no name: the name passed
 * with it decides.
 *
 * <p>On disk every node holds every entry. With fewer owners, the first node to start after all
 * have died would bring back its own part as if it were everything.
 */
final class StoreXml {

  private static final String PLAIN =
      """
      <distributed-cache mode="SYNC" owners="%d" statistics="true">
        <encoding media-type="application/octet-stream"/>
        <partition-handling when-split="ALLOW_READ_WRITES"/>
      %s</distributed-cache>
      """;

  private static final String ACCEPTOR =
      """
      <distributed-cache mode="SYNC" owners="%d" statistics="true">
        <encoding media-type="application/octet-stream"/>
        <locking isolation="REPEATABLE_READ"/>
        <transaction mode="NON_XA" locking="PESSIMISTIC"
          transaction-manager-lookup="org.infinispan.transaction.lookup.EmbeddedTransactionManagerLookup"/>
        <partition-handling when-split="DENY_READ_WRITES" merge-policy="NONE"/>
      %s</distributed-cache>
      """;

  /** Each node has a cache of its own, without the entries of the others. */
  private static final String REPLICA =
      """
      <local-cache statistics="true">
        <encoding media-type="application/octet-stream"/>
      %s</local-cache>
      """;

  /** Written through and forced to the disk: a crash loses no acknowledged write. */
  private static final String ON_DISK =
      """
        <persistence passivation="false">
          <file-store purge="false" shared="false"><data sync-writes="true"/></file-store>
        </persistence>
      """;

  /** Without it, every user of the site would have all permissions on the store. */
  private static final String PERMISSIONS =
      """
        <security><authorization/></security>
      """;

  private static final int COPIES_IN_MEMORY = 2;
  private static final int MORE_THAN_NODES = 64;

  private StoreXml() {}

  /**
   * The configuration.
   *
   * @param guarded whether the site checks the permissions of each user of the store, which a site
   *     without roles refuses
   */
  static String of(StoreKind kind, SiteStorage storage, boolean guarded) {
    String permissions = guarded ? PERMISSIONS : "";
    if (kind == StoreKind.REPLICA) {
      return REPLICA.formatted(storage == SiteStorage.DISK ? permissions + ON_DISK : permissions);
    }
    String form = kind == StoreKind.ACCEPTOR ? ACCEPTOR : PLAIN;
    return storage == SiteStorage.DISK
        ? form.formatted(MORE_THAN_NODES, permissions + ON_DISK)
        : form.formatted(COPIES_IN_MEMORY, permissions);
  }
}
