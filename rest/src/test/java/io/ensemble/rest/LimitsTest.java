package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How much is let in by how much memory there is. */
class LimitsTest {

  @Test
  void bodiesAndAnswersAreAPartOfTheHeapAndBounded() {
    assertThat(Limits.ofMemory(1 << 30, 8, 256 << 20)).isEqualTo(128 << 20);
    assertThat(Limits.ofMemory(64L << 30, 8, 256 << 20)).isEqualTo(256 << 20);
    long heap = Runtime.getRuntime().maxMemory();
    assertThat(Limits.DEFAULT.bodiesBytes()).isLessThanOrEqualTo(heap / 8);
    assertThat((long) Limits.DEFAULT.valueBytes()).isLessThanOrEqualTo(heap / 32);
  }
}
