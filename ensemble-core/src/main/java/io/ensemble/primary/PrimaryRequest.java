package io.ensemble.primary;

/**
 * A message to one site, answered by one call of {@link PrimaryOperation}'s {@code on…} methods
 * with the same site and tag.
 */
public sealed interface PrimaryRequest<V> {

  /** The index of the site. */
  int site();

  /** The number of the request within the operation. */
  int tag();

  /** Requests the copy and its entry version. */
  record Read<V>(int site, int tag) implements PrimaryRequest<V> {}

  /** Asks the site to replace exactly the copy that {@code expected} shows by {@code copy}. */
  record Swap<V>(int site, int tag, VersionedCopy<V> expected, Copy<V> copy)
      implements PrimaryRequest<V> {}
}
