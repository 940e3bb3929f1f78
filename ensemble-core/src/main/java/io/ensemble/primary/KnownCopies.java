package io.ensemble.primary;

import java.util.List;
import java.util.Optional;

/**
 * What sites showed of a key before an operation was begun. It may be old, so it is good for
 * nothing but a compare-and-set, which finds out: no copy is taken for held, recovered or decided
 * on for it.
 *
 * @param sites what each showed, in the order of sites; an empty list for nothing
 */
public record KnownCopies<V>(List<Optional<VersionedCopy<V>>> sites) {

  private static final KnownCopies<?> NOTHING = new KnownCopies<>(List.of());

  /** Copies the list. */
  public KnownCopies {
    sites = List.copyOf(sites);
  }

  /** Nothing is known of any site. */
  @SuppressWarnings("unchecked")
  public static <V> KnownCopies<V> nothing() {
    return (KnownCopies<V>) NOTHING;
  }

  Optional<VersionedCopy<V>> of(int site) {
    return site < sites.size() ? sites.get(site) : Optional.empty();
  }
}
