package io.ensemble.register;

/**
 * A message to one site. Every request is answered by exactly one call of {@link
 * RegisterOperation}'s {@code on…} methods with the same site and tag, whether by the site or, for
 * want of an answer, by the driver.
 */
public sealed interface RegisterRequest<V> {

  /** The index of the site. */
  int site();

  /** Which question of the operation this is; the answer repeats it. */
  int tag();

  /** Asks for the cell and its token. */
  record Read<V>(int site, int tag) implements RegisterRequest<V> {}

  /**
   * Asks the site to replace what {@code expected} shows (by its token, or as absent) by {@code
   * cell}, or else to do nothing.
   */
  record Swap<V>(int site, int tag, VersionedCell<V> expected, Cell<V> cell)
      implements RegisterRequest<V> {}
}
