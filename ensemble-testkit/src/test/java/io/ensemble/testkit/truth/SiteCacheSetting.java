package io.ensemble.testkit.truth;

import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.StoreConfigurations;
import io.ensemble.site.hotrod.configuration.SiteStorage;

/** Settings of a site's cache, and of the routing of clients. */
enum SiteCacheSetting {
  /** A replica's store in memory: LOCAL, accessed at one node. */
  REPLICA(
      "LOCAL, one node is asked (in memory)",
      true,
      StoreConfigurations.of(StoreKind.REPLICA, SiteStorage.MEMORY)),
  /** A store of an SWMR cache at two sites, in memory. */
  ALL_NODES(
      "PESSIMISTIC, two owners, DENY_READ_WRITES (in memory)",
      false,
      StoreConfigurations.of(StoreKind.ACCEPTOR, SiteStorage.MEMORY)),
  /** A store of an SWMR cache at two sites, on disk. */
  ALL_NODES_ON_DISK(
      "PESSIMISTIC, every node an owner, DENY_READ_WRITES (on disk)",
      false,
      StoreConfigurations.of(StoreKind.ACCEPTOR, SiteStorage.DISK)),
  /** A replica's store on disk, at a site of one node. */
  ONE_NODE_ON_DISK(
      "LOCAL, one node (on disk)",
      true,
      StoreConfigurations.of(StoreKind.REPLICA, SiteStorage.DISK)),
  TWO_NODES("two nodes, otherwise as on all nodes in memory", false, ALL_NODES.xml),
  ANY_NODE("as on all nodes in memory, BASIC routing", false, ALL_NODES.xml),
  REPLICATED(
      "REPL_SYNC, which tells no owner; PESSIMISTIC, DENY_READ_WRITES",
      false,
      "<replicated-cache mode=\"SYNC\">"
          + Parts.BYTES
          + Parts.PESSIMISTIC
          + Parts.DENY
          + "</replicated-cache>"),
  NOT_TRANSACTIONAL("not transactional", false, distributed("SYNC", 2, Parts.DENY)),
  OPTIMISTIC("OPTIMISTIC", false, distributed("SYNC", 2, Parts.OPTIMISTIC + Parts.DENY)),
  READ_COMMITTED(
      "READ_COMMITTED",
      false,
      distributed(
          "SYNC", 2, Parts.PESSIMISTIC.replace("REPEATABLE_READ", "READ_COMMITTED") + Parts.DENY)),
  ASYNCHRONOUS(
      "DIST_ASYNC, which cannot be transactional", false, distributed("ASYNC", 2, Parts.DENY)),
  ONE_OWNER(
      "one owner, which requires ALLOW_READ_WRITES",
      false,
      distributed("SYNC", 1, Parts.PESSIMISTIC + Parts.ALLOW)),
  ALLOWED("ALLOW_READ_WRITES", false, distributed("SYNC", 2, Parts.PESSIMISTIC + Parts.ALLOW)),
  EXPIRING(
      "native expiry, 2 s",
      false,
      distributed(
          "SYNC",
          2,
          Parts.PESSIMISTIC + "<expiration lifespan=\"2000\" interval=\"500\"/>" + Parts.DENY)),
  EVICTING(
      "native eviction, 2 entries a node",
      false,
      distributed(
          "SYNC",
          2,
          Parts.PESSIMISTIC + "<memory max-count=\"2\" when-full=\"REMOVE\"/>" + Parts.DENY));

  private static final class Parts {
    static final String BYTES = "<encoding media-type=\"application/octet-stream\"/>";
    static final String PESSIMISTIC =
        "<locking isolation=\"REPEATABLE_READ\"/>"
            + "<transaction mode=\"NON_XA\" locking=\"PESSIMISTIC\" transaction-manager-lookup="
            + "\"org.infinispan.transaction.lookup.EmbeddedTransactionManagerLookup\"/>";
    static final String OPTIMISTIC = PESSIMISTIC.replace("PESSIMISTIC", "OPTIMISTIC");
    static final String DENY =
        "<partition-handling when-split=\"DENY_READ_WRITES\" merge-policy=\"NONE\"/>";
    static final String ALLOW = "<partition-handling when-split=\"ALLOW_READ_WRITES\"/>";
  }

  private final String told;
  private final boolean accepted;
  private final String xml;

  SiteCacheSetting(String told, boolean accepted, String xml) {
    this.told = told;
    this.accepted = accepted;
    this.xml = xml;
  }

  private static String distributed(String mode, int owners, String parts) {
    return "<distributed-cache mode=\"%s\" owners=\"%d\">%s%s</distributed-cache>"
        .formatted(mode, owners, Parts.BYTES, parts);
  }

  /** The description for tables. */
  String told() {
    return told;
  }

  /** Whether stores of replicas use it. */
  boolean isAccepted() {
    return accepted;
  }

  String xml() {
    return xml;
  }

  /** Whether it is for sites of fewer than three nodes. */
  boolean isForFewerNodes() {
    return this == ONE_NODE_ON_DISK || this == TWO_NODES;
  }

  /** Whether the site defines the cache again when it starts. */
  boolean isPermanent() {
    return this == ONE_NODE_ON_DISK;
  }

  /** Whether one node holds the store and receives all requests. */
  boolean isOfOneNode() {
    return this == REPLICA || this == ONE_NODE_ON_DISK;
  }

  /** Whether clients use the nodes in turn, not the owner of the key. */
  boolean asksAnyNode() {
    return this == ANY_NODE || this == REPLICATED;
  }
}
