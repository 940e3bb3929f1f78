package io.ensemble.cli.caches;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.PrimaryTerm;
import io.ensemble.QuorumUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * The term of an SWMR cache, as commands report it.
 *
 * @param epoch the term's number; null if too few sites answer
 * @param primary the site that answers reads; null if too few sites answer
 * @param active false while a new term has not begun yet; null if too few sites answer
 * @param whole whether every key has been recovered into the term; null if too few sites answer
 * @param writer the process that may write; null if there is none
 */
record TermReport(
    @Nullable Long epoch,
    @Nullable String primary,
    @Nullable Boolean active,
    @Nullable Boolean whole,
    @Nullable String writer) {

  static TermReport of(EnsembleCacheManager manager, String cache) {
    try {
      PrimaryTerm term = manager.primaryTerm(cache);
      return new TermReport(
          term.epoch(),
          term.primary(),
          term.active(),
          term.whole(),
          term.writer().map(Object::toString).orElse(null));
    } catch (QuorumUnavailableException silent) {
      return new TermReport(null, null, null, null, null);
    }
  }

  String text() {
    if (primary == null) {
      return "unknown: too few sites answer";
    }
    String state =
        !Boolean.TRUE.equals(active)
            ? ", not begun"
            : Boolean.TRUE.equals(whole) ? "" : ", recovery in progress";
    return "%s, epoch %d%s".formatted(primary, epoch, state);
  }
}
