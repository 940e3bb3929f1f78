package io.ensemble.site;

/** What a store must guarantee on its own, whatever fails inside its site. */
public enum StoreKind {
  /**
   * For WEAK caches: replicated in the site, acknowledged writes survive one node; a
   * compare-and-set may be lost with a node.
   */
  PLAIN,
  /**
   * What strong caches were made of before replicas, and are until they are altered or rebuilt: a
   * compare-and-set is one step as long as no node comes or goes, and acknowledged writes survive
   * one node: transactional PESSIMISTIC, REPEATABLE_READ, DENY_READ_WRITES, two owners, on three
   * nodes or more, or exactly one.
   */
  ACCEPTOR,
  /**
   * For the strong modes: entries of one node, in a cache that no other node has a part in, so that
   * a compare-and-set is one atomic step of that node. Gone with the node's memory. Its name says
   * which node it is, see {@link Site#incarnation}.
   */
  REPLICA
}
