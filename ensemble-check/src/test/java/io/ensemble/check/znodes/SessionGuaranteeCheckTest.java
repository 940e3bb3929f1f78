package io.ensemble.check.znodes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SessionGuaranteeCheckTest {
  private final SessionGuaranteeCheck sessionGuaranteeCheck = new SessionGuaranteeCheck();

  @Test
  void whatGrowsIsAsPromised() {
    assertThat(sessionGuaranteeCheck.recordPresent("/a", 64, 64)).isNull();
    assertThat(sessionGuaranteeCheck.recordPresent("/a", 64, 128)).isNull();
    sessionGuaranteeCheck.recordAbsent("/a");

    assertThat(sessionGuaranteeCheck.recordPresent("/a", 256, 256)).isNull();
    assertThat(sessionGuaranteeCheck.recordPresent("/b", 1, 1)).isNull();
  }

  @Test
  void anEarlierChangeIsAStepBack() {
    sessionGuaranteeCheck.recordPresent("/a", 64, 128);

    assertThat(sessionGuaranteeCheck.recordPresent("/a", 64, 64))
        .contains("/a went back", "to zxid 64 from 128");
  }

  @Test
  void whatWasGoneDoesNotComeBackAsItWas() {
    sessionGuaranteeCheck.recordPresent("/a", 64, 128);
    sessionGuaranteeCheck.recordAbsent("/a");

    assertThat(sessionGuaranteeCheck.recordPresent("/a", 64, 128)).contains("reappeared unchanged");
  }

  @Test
  void anotherSessionIsPromisedNothingOfThat() {
    sessionGuaranteeCheck.recordPresent("/a", 64, 128);
    sessionGuaranteeCheck.forget();

    assertThat(sessionGuaranteeCheck.recordPresent("/a", 64, 64)).isNull();
  }
}
