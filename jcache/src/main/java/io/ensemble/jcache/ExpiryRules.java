package io.ensemble.jcache;

import java.time.Duration;
import java.util.function.Supplier;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.EternalExpiryPolicy;
import javax.cache.expiry.ExpiryPolicy;
import javax.cache.expiry.ModifiedExpiryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The expiry policy of a cache during one operation. An operation may decide several times; the
 * policy is asked once for each kind. Not thread-safe: the decisions of an operation follow each
 * other.
 */
final class ExpiryRules {

  /** A lifespan of zero means for Ensemble that an entry does not expire. */
  private static final Duration ETERNAL = Duration.ZERO;

  /**
   * The answer of a policy.
   *
   * @param isExpired whether the entry expires immediately
   * @param lifespan zero for no expiry; null to leave the expiry as it is
   */
  record EntryLifespan(boolean isExpired, @Nullable Duration lifespan) {

    static final EntryLifespan UNCHANGED = new EntryLifespan(false, null);
  }

  private final ExpiryPolicy policy;
  private @Nullable EntryLifespan creation;
  private @Nullable EntryLifespan update;
  private @Nullable EntryLifespan access;

  ExpiryRules(ExpiryPolicy policy) {
    this.policy = policy;
  }

  /** Whether all entries that are written by {@code policy} never expire. */
  static boolean isEternal(ExpiryPolicy policy) {
    return policy.getClass() == EternalExpiryPolicy.class;
  }

  /** Whether a read never changes the expiry, so that the policy need not be asked. */
  static boolean ignoresReads(ExpiryPolicy policy) {
    Class<?> type = policy.getClass();
    return type == EternalExpiryPolicy.class
        || type == CreatedExpiryPolicy.class
        || type == ModifiedExpiryPolicy.class;
  }

  EntryLifespan creation() {
    EntryLifespan known = creation;
    if (known == null) {
      known = asked(policy::getExpiryForCreation);
      // JCache requires a duration here: none, and an exception, mean that it does not expire.
      known = known.lifespan() == null ? new EntryLifespan(false, ETERNAL) : known;
      creation = known;
    }
    return known;
  }

  EntryLifespan update() {
    EntryLifespan known = update == null ? asked(policy::getExpiryForUpdate) : update;
    update = known;
    return known;
  }

  EntryLifespan access() {
    EntryLifespan known = access == null ? asked(policy::getExpiryForAccess) : access;
    access = known;
    return known;
  }

  private static EntryLifespan asked(Supplier<javax.cache.expiry.@Nullable Duration> question) {
    javax.cache.expiry.Duration duration;
    try {
      duration = question.get();
    } catch (RuntimeException e) { // JCache: an expiry that cannot be determined stays as it is.
      return EntryLifespan.UNCHANGED;
    }
    if (duration == null) {
      return EntryLifespan.UNCHANGED;
    }
    if (duration.isEternal()) {
      return new EntryLifespan(false, ETERNAL);
    }
    if (duration.isZero()) {
      return new EntryLifespan(true, ETERNAL);
    }
    return new EntryLifespan(
        false, Duration.of(duration.getDurationAmount(), duration.getTimeUnit().toChronoUnit()));
  }
}
