package io.ensemble.jcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.cache.expiry.AccessedExpiryPolicy;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;
import javax.cache.expiry.EternalExpiryPolicy;
import javax.cache.expiry.ExpiryPolicy;
import javax.cache.expiry.ModifiedExpiryPolicy;
import javax.cache.expiry.TouchedExpiryPolicy;
import org.junit.jupiter.api.Test;

/** The durations of JCache as lifespans. */
class ExpiryRulesTest {

  private static final Duration MINUTE = new Duration(TimeUnit.MINUTES, 1);

  private record Policy(Duration creation, Duration update, Duration access, AtomicInteger asked)
      implements ExpiryPolicy {

    @Override
    public Duration getExpiryForCreation() {
      return answer(creation);
    }

    @Override
    public Duration getExpiryForUpdate() {
      return answer(update);
    }

    @Override
    public Duration getExpiryForAccess() {
      return answer(access);
    }

    private Duration answer(Duration duration) {
      asked.incrementAndGet();
      if (duration == MINUTE) {
        throw new IllegalStateException("on purpose");
      }
      return duration;
    }
  }

  @Test
  void durationsBecomeLifespans() {
    ExpiryRules rules =
        new ExpiryRules(
            new Policy(
                new Duration(TimeUnit.SECONDS, 5),
                Duration.ETERNAL,
                Duration.ZERO,
                new AtomicInteger()));

    assertThat(rules.creation().lifespan()).isEqualTo(java.time.Duration.ofSeconds(5));
    assertThat(rules.update().lifespan()).isEqualTo(java.time.Duration.ZERO);
    assertThat(rules.update().isExpired()).isFalse();
    assertThat(rules.access().isExpired()).isTrue();
  }

  @Test
  void noDurationAndAFailureLeaveTheExpiry() {
    for (Duration none : new Duration[] {null, MINUTE}) {
      ExpiryRules rules = new ExpiryRules(new Policy(none, none, none, new AtomicInteger()));

      assertThat(rules.creation().lifespan()).isEqualTo(java.time.Duration.ZERO);
      assertThat(rules.update().lifespan()).isNull();
      assertThat(rules.access().lifespan()).isNull();
    }
  }

  @Test
  void aPolicyIsAskedOnceInAnOperation() {
    AtomicInteger asked = new AtomicInteger();
    ExpiryRules rules = new ExpiryRules(new Policy(null, null, null, asked));

    for (int i = 0; i < 3; i++) {
      rules.creation();
      rules.update();
      rules.access();
    }

    assertThat(asked).hasValue(3);
  }

  @Test
  void onlyKnownPoliciesAreSkipped() {
    assertThat(ExpiryRules.isEternal(new EternalExpiryPolicy())).isTrue();
    assertThat(ExpiryRules.isEternal(new CreatedExpiryPolicy(MINUTE))).isFalse();
    assertThat(ExpiryRules.ignoresReads(new CreatedExpiryPolicy(MINUTE))).isTrue();
    assertThat(ExpiryRules.ignoresReads(new ModifiedExpiryPolicy(MINUTE))).isTrue();
    assertThat(ExpiryRules.ignoresReads(new AccessedExpiryPolicy(MINUTE))).isFalse();
    assertThat(ExpiryRules.ignoresReads(new TouchedExpiryPolicy(MINUTE))).isFalse();
  }
}
