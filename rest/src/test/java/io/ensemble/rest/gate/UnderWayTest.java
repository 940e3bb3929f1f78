package io.ensemble.rest.gate;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.rest.http.ProblemException;
import org.junit.jupiter.api.Test;

/** How many may be under way. */
class UnderWayTest {

  @Test
  void eachHasABoundAndAllHaveOne() {
    UnderWay underWay = new UnderWay(2, 3);
    underWay.begin("a");
    underWay.begin("a");

    assertThatThrownBy(() -> underWay.begin("a")).isInstanceOf(ProblemException.class);
    underWay.begin("b");
    assertThatThrownBy(() -> underWay.begin("c")).isInstanceOf(ProblemException.class);
    underWay.end("a");
    assertThatCode(() -> underWay.begin("c")).doesNotThrowAnyException();
  }
}
