package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The limits that follow from the size of the heap. */
class RestLimitsTest {

  @Test
  void bodiesAndAnswersAreAPartOfTheHeapAndBounded() {
    assertThat(RestLimits.ofMemory(1 << 30, 8, 256 << 20)).isEqualTo(128 << 20);
    assertThat(RestLimits.ofMemory(64L << 30, 8, 256 << 20)).isEqualTo(256 << 20);
    long heap = Runtime.getRuntime().maxMemory();
    assertThat(RestLimits.DEFAULT.bodiesBytes()).isLessThanOrEqualTo(heap / 8);
    assertThat((long) RestLimits.DEFAULT.valueBytes()).isLessThanOrEqualTo(heap / 32);
  }
}
