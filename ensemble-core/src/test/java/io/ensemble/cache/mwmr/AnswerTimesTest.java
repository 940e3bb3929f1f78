package io.ensemble.cache.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

/** Which majority a read asks first. */
class AnswerTimesTest {

  private final AnswerTimes times = new AnswerTimes(5);

  private void take(long... millis) {
    for (int i = 0; i < 50; i++) {
      for (int site = 0; site < millis.length; site++) {
        times.recordAnswer(site, millis[site] * 1_000_000);
      }
    }
  }

  private static BitSet sites(int... numbers) {
    BitSet sites = new BitSet();
    for (int number : numbers) {
      sites.set(number);
    }
    return sites;
  }

  @Test
  void theNearestAreAsked() {
    take(100, 1, 20, 90, 10);

    for (int i = 0; i < 10; i++) {
      assertThat(times.nearestMajority()).isEqualTo(sites(1, 2, 4));
    }
  }

  @Test
  void ofThoseThatAreAboutEquallyNearOthersAreAskedEachTime() {
    take(10, 11, 12, 11, 100);
    BitSet asked = new BitSet();

    for (int i = 0; i < 5; i++) {
      BitSet majority = times.nearestMajority();
      assertThat(majority.cardinality()).isEqualTo(3);
      asked.or(majority);
    }

    assertThat(asked).isEqualTo(sites(0, 1, 2, 3));
  }

  @Test
  void aSiteThatDidNotAnswerIsTheLastUntilItDoes() {
    take(10, 10, 10, 200, 200);
    times.recordSilence(0, 20_000_000);

    for (int i = 0; i < 10; i++) {
      assertThat(times.nearestMajority().get(0)).isFalse();
    }
    times.recordAnswer(0, 10_000_000);
    assertThat(times.nearestMajority()).isEqualTo(sites(0, 1, 2));
  }

  @Test
  void oneThatIsFarNearerIsAlwaysAsked() {
    take(1, 100, 110, 105, 108);
    BitSet asked = new BitSet();

    for (int i = 0; i < 5; i++) {
      BitSet majority = times.nearestMajority();
      assertThat(majority.get(0)).isTrue();
      assertThat(majority.cardinality()).isEqualTo(3);
      asked.or(majority);
    }

    assertThat(asked.cardinality()).isEqualTo(5);
  }

  /** A request may time out before its site had the usual time to answer. */
  @Test
  void aSiteThatHadLittleTimeIsNotSilent() {
    take(10, 10, 10, 200, 200);
    times.recordSilence(0, 9_000_000);

    assertThat(times.nearestMajority()).isEqualTo(sites(0, 1, 2));
  }

  /** Each request that is under way while a site pauses takes as long as the pause. */
  @Test
  void aPauseDoesNotMakeANearSiteAFarOne() {
    take(2, 3, 150, 150, 2);
    for (int i = 0; i < 50; i++) {
      times.recordAnswer(0, 300_000_000);
    }
    int reads = 0;
    while (!times.nearestMajority().equals(sites(0, 1, 4))) {
      reads++;
      times.recordAnswer(0, 2_000_000);
      assertThat(reads).isLessThan(120);
    }
  }

  @Test
  void aReadIsAsPatientAsTheSitesThatItAsksAreNear() {
    take(2, 3, 4, 150, 150);

    assertThat(times.patienceNanos(sites(0, 1, 2))).isBetween(15_000_000L, 17_000_000L);
    assertThat(times.patienceNanos(sites(0, 1, 3))).isEqualTo(500_000_000);
  }

  @Test
  void oneReadInSixteenAsksAll() {
    int full = 0;
    for (int i = 0; i < 160; i++) {
      full += times.isFullReadDue() ? 1 : 0;
    }

    assertThat(full).isEqualTo(10);
  }

  @Test
  void whereMostAreLostAMajorityIsAskedAllTheSame() {
    take(10, 10, 10, 10, 10);
    for (int site = 1; site < 5; site++) {
      times.recordSilence(site, 20_000_000);
    }

    assertThat(times.nearestMajority().cardinality()).isEqualTo(3);
  }
}
