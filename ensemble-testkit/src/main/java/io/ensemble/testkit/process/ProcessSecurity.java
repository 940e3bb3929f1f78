package io.ensemble.testkit.process;

/** The requirements of the sites for clients, and for nodes that join. */
public enum ProcessSecurity {
  /** None: any process on this machine may connect. */
  OPEN,
  /**
   * Clients use TLS and verify the identity of each site. Nodes of a site use TLS with each other,
   * by a key that they alone have, so that no other process joins.
   */
  TLS,
  /** As {@link #TLS}, and clients are users with passwords and permissions. */
  TLS_AND_USERS
}
