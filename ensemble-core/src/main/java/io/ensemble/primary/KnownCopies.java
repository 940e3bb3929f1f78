package io.ensemble.primary;

import java.util.List;
import java.util.Optional;

/**
 * The copies of a key that sites showed before an operation began. They may be outdated, so they
 * serve only for a compare-and-set, which verifies them. No copy counts as held or recovered
 * because of them, and no decision is based on them.
 *
 * @param sites the copy that each site showed, in the order of sites; an empty list for none
 */
public record KnownCopies<V>(List<Optional<VersionedCopy<V>>> sites) {

  private static final KnownCopies<?> NOTHING = new KnownCopies<>(List.of());

  /** Copies the list. */
  public KnownCopies {
    sites = List.copyOf(sites);
  }

  /** No copy of any site is known. */
  @SuppressWarnings("unchecked")
  public static <V> KnownCopies<V> nothing() {
    return (KnownCopies<V>) NOTHING;
  }

  Optional<VersionedCopy<V>> of(int site) {
    return site < sites.size() ? sites.get(site) : Optional.empty();
  }
}
