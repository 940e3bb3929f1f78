package io.ensemble.primary;

/**
 * A message to one site, answered by one call of {@link Operation}'s {@code on…} methods with the
 * same site and tag.
 */
public sealed interface Request<V> {

  /** The index of the site. */
  int site();

  /** Which question of the operation this is. */
  int tag();

  /** Asks for the copy and its token. */
  record Read<V>(int site, int tag) implements Request<V> {}

  /** Asks the site to replace exactly what {@code expected} shows by {@code copy}. */
  record Swap<V>(int site, int tag, Shown<V> expected, Copy<V> copy) implements Request<V> {}
}
