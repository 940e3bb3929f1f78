package io.ensemble.register;

/**
 * A message to one site. Every request is answered by exactly one call of {@link
 * RegisterOperation}'s {@code on…} methods with the same site and tag. The call comes from the
 * site's response or, if there is none, from the driver.
 */
public sealed interface RegisterRequest<V> {

  /** The index of the site. */
  int site();

  /** The number of the request within the operation; the response repeats it. */
  int tag();

  /** Requests the cell and its entry version. */
  record Read<V>(int site, int tag) implements RegisterRequest<V> {}

  /**
   * Asks the site to replace the cell that {@code expected} shows (by its entry version, or as
   * absent) by {@code cell}. If the cell is another one, the site does nothing.
   */
  record Swap<V>(int site, int tag, VersionedCell<V> expected, Cell<V> cell)
      implements RegisterRequest<V> {}
}
