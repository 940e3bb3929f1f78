package io.ensemble.cache.weak.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RequestFailuresTest {

  @ParameterizedTest
  @EnumSource(Reason.class)
  void whatWasNotSentIsHarmlessWhateverTheReason(Reason reason) {
    SiteException notSent = SiteException.notSent("a", reason, "told to");

    assertThat(RequestFailures.isHarmless(notSent)).isTrue();
    assertThat(
            RequestFailures.isHarmless(
                new RequestNotSentException(new SiteException("a", reason, "told to"))))
        .isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = Reason.class,
      names = {"UNREACHABLE", "TIMED_OUT", "DEGRADED", "FAILED", "NOT_ALLOWED", "DELETED"})
  void whatTheSiteMayHaveGotIsNot(Reason reason) {
    assertThat(RequestFailures.isHarmless(new SiteException("a", reason, "told to"))).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      value = Reason.class,
      names = {"BUSY", "STORE_LOST", "UNSUITABLE"})
  void whatNoStoreCanHoldIsHarmless(Reason reason) {
    assertThat(RequestFailures.isHarmless(new SiteException("a", reason, "told to"))).isTrue();
  }
}
