package io.ensemble.rest.http;

/** A role in a cache or in the whole federation. */
public enum Role {
  /** No role and no authentication: health, and the description of the service itself. */
  NONE,
  /**
   * See that a thing exists, and its definition. This role is never granted: every other role
   * includes it.
   */
  SEE,
  /** Read entries; in the federation, sites and meters. */
  READ,
  /** Change entries. */
  WRITE,
  /** Receive changes. */
  LISTEN,
  /** Change sites and caches, and control their operations. */
  ADMIN
}
