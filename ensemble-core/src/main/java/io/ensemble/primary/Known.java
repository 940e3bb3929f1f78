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
public record Known<V>(List<Optional<Shown<V>>> sites) {

  private static final Known<?> NOTHING = new Known<>(List.of());

  /** Copies the list. */
  public Known {
    sites = List.copyOf(sites);
  }

  /** Nothing is known of any site. */
  @SuppressWarnings("unchecked")
  public static <V> Known<V> nothing() {
    return (Known<V>) NOTHING;
  }

  Optional<Shown<V>> of(int site) {
    return site < sites.size() ? sites.get(site) : Optional.empty();
  }
}
