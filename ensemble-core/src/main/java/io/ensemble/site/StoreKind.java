package io.ensemble.site;

/** The guarantees of a store, whatever fails inside its site. */
public enum StoreKind {
  /**
   * For WEAK caches: replicated in the site, so that acknowledged writes survive the loss of one
   * node. A compare-and-set may be lost with a node.
   */
  PLAIN,
  /**
   * For strong caches created before replicas existed, until they are altered or rebuilt. A
   * compare-and-set is one step as long as no node joins or leaves, and acknowledged writes survive
   * the loss of one node. Configured as transactional PESSIMISTIC, REPEATABLE_READ,
   * DENY_READ_WRITES, two owners, on three nodes or more, or exactly one.
   */
  ACCEPTOR,
  /**
   * For the strong modes: entries of one node, in a cache in which no other node takes part, so
   * that a compare-and-set is one atomic step of that node. Lost with the node's memory. Its name
   * contains the node, see {@link Site#incarnation}.
   */
  REPLICA
}
