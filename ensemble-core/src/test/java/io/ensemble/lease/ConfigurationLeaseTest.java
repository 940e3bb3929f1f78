package io.ensemble.lease;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How long the answers of sites are valid. */
final class ConfigurationLeaseTest {

  private static final ConfigurationLeaseRules RULES = new ConfigurationLeaseRules(100, 10);

  @Test
  void trustCountsFromBeforeTheQuestion() {
    ConfigurationLease trust = new ConfigurationLease(RULES, 1, 1);

    trust.showedNoEnd(0, 1_000, 1_090);

    assertThat(trust.holds(1_099)).isTrue();
    assertThat(trust.holds(1_100)).isFalse();
  }

  @Test
  void theWholeIsAsOldAsTheOldestWordThatItNeeds() {
    ConfigurationLease trust = new ConfigurationLease(RULES, 3, 2);
    assertThat(trust.holds(0)).isFalse();

    trust.showedNoEnd(0, 10, 20);
    assertThat(trust.holds(20)).as("one of two").isFalse();
    trust.showedNoEnd(1, 50, 60);
    trust.showedNoEnd(2, 40, 60);

    assertThat(trust.holds(139)).isTrue();
    assertThat(trust.holds(140)).as("the second youngest word is of 40").isFalse();
    assertThat(trust.holds(1, 140)).isTrue();
  }

  @Test
  void anEndIsNeverTakenBack() {
    ConfigurationLease trust = new ConfigurationLease(RULES, 3, 2);
    trust.showedNoEnd(0, 10, 11);
    trust.showedNoEnd(1, 10, 11);

    trust.showedEnd(1);
    trust.showedNoEnd(1, 20, 21);

    assertThat(trust.holds(22)).isFalse();
    assertThat(trust.isEnding()).isTrue();
    trust.showedNoEnd(2, 20, 21);
    assertThat(trust.holds(22)).as("another majority").isTrue();
  }

  @Test
  void anAnswerThatWasOvertakenDoesNotMakeTrustOlder() {
    ConfigurationLease trust = new ConfigurationLease(RULES, 1, 1);

    trust.showedNoEnd(0, 50, 51);
    trust.showedNoEnd(0, 10, 52);

    assertThat(trust.holds(149)).isTrue();
  }

  @Test
  void whoOutwaitsWaitsLongerThanAnybodyTrusts() {
    assertThat(RULES.hasOutwaited(0, 109)).isFalse();
    assertThat(RULES.hasOutwaited(0, 110)).isTrue();
    assertThat(RULES.renewalNanos()).isEqualTo(33);
  }
}
