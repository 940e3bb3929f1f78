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
  TLS_AND_USERS,
  /**
   * As {@link #TLS_AND_USERS}, and a client must also present the certificate of the federation's
   * clients in the TLS handshake.
   */
  MUTUAL_TLS_AND_USERS;

  /** Whether clients are users. */
  boolean hasUsers() {
    return this == TLS_AND_USERS || this == MUTUAL_TLS_AND_USERS;
  }

  /** Whether clients must present a certificate. */
  boolean hasClientCertificates() {
    return this == MUTUAL_TLS_AND_USERS;
  }
}
