package io.ensemble.cache;

/** An engine whose sites may miss writes and keep what they had. */
public interface Mendable {

  /** Brings them up to date. */
  Mending mending();
}
