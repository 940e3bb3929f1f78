package io.ensemble.rest.http;

/** What somebody must be allowed to do, to a cache or to the whole federation. */
public enum Role {
  /** Nothing, and nobody is asked who they are: health and what describes the service itself. */
  NONE,
  /** See that it is there and what it is. Nobody is given this: whoever has another role has it. */
  SEE,
  /** See entries; of the federation sites and meters. */
  READ,
  /** Change entries. */
  WRITE,
  /** Be told of changes. */
  LISTEN,
  /** Change sites, caches and what becomes of them. */
  ADMIN
}
