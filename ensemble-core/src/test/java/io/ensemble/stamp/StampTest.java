package io.ensemble.stamp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StampTest {

  private static Stamp at(long micros, long high, long low) {
    return new Stamp(micros, new WriterId(high, low));
  }

  @Test
  void nothingIsBetweenAStampAndTheOneRightAfter() {
    assertThat(at(5, 7, 9).rightAfter()).isEqualTo(at(5, 7, 10));
    assertThat(at(5, 7, -1).rightAfter()).isEqualTo(at(5, 8, 0));
    assertThat(at(5, -1, -1).rightAfter()).isEqualTo(at(6, 0, 0));
  }

  @Test
  void everyLaterWriteWinsAgainstTheStampRightAfter() {
    Stamp later = at(6, 0, 1);

    assertThat(at(5, 7, 9).rightAfter().isAfter(at(5, 7, 9))).isTrue();
    assertThat(later.isAfter(at(5, 7, 9).rightAfter())).isTrue();
  }
}
