package io.ensemble.rest.http;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** How many requests may be under way. */
class ConcurrencyLimitTest {

  @Test
  void eachHasABoundAndAllHaveOne() {
    ConcurrencyLimit underWay = new ConcurrencyLimit("requests", 2, 3);
    underWay.begin("a");
    underWay.begin("a");

    assertThatThrownBy(() -> underWay.begin("a"))
        .isInstanceOf(ProblemException.class)
        .hasMessageContaining("2 requests of one caller");
    underWay.begin("b");
    assertThatThrownBy(() -> underWay.begin("c"))
        .isInstanceOf(ProblemException.class)
        .hasMessageContaining("at most 3 requests of all callers");
    underWay.end("a");
    assertThatCode(() -> underWay.begin("c")).doesNotThrowAnyException();
  }
}
