package io.ensemble.testkit.process;

/** What the sites ask of clients, and of nodes that want to join. */
public enum ProcessSecurity {
  /** Nothing: they are open to anyone on this machine. */
  OPEN,
  /**
   * Clients speak TLS, and can tell that a site is the one that it says it is. Nodes of a site
   * speak TLS with each other, by a key that they alone have: no other process joins.
   */
  TLS,
  /** The same, and clients are users with passwords and permissions. */
  TLS_AND_USERS
}
