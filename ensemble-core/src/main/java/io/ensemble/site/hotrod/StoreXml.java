package io.ensemble.site.hotrod;

import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.configuration.SiteStorage;

/**
 * The configuration that a store is created from. One of a whole site is the same on one node as on
 * many: only a distributed cache tells its clients where keys live. No expiry and no eviction, or a
 * site would forget on its own. It keeps statistics, which tell what the site has to do. It bears
 * no name: the one that accompanies it decides.
 *
 * <p>On disk every node holds every entry: with fewer owners, whichever node is first after all
 * have died would bring back its own part and call it everything.
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

  /** Each node has one of its own, and knows nothing of the others'. */
  private static final String REPLICA =
      """
      <local-cache statistics="true">
        <encoding media-type="application/octet-stream"/>
      %s</local-cache>
      """;

  /** Written through and forced to the disk: nothing is acknowledged that a crash could take. */
  private static final String ON_DISK =
      """
        <persistence passivation="false">
          <file-store purge="false" shared="false"><data sync-writes="true"/></file-store>
        </persistence>
      """;

  /** Without it whoever may enter the site may do everything to the store. */
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
   * @param guarded whether the site checks what each user may do to the store, which a site that
   *     knows no roles refuses
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
