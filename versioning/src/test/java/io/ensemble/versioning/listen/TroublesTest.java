package io.ensemble.versioning.listen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TroublesTest {

  private final Troubles troubles = new Troubles("pages");

  @Test
  void theOneThatHasLastedLongestIsTold() {
    Exception first = new Exception("first");
    Exception second = new Exception("second");
    troubles.begin("a", first);
    troubles.begin("b", second);

    assertThat(troubles.now()).contains(first);
    troubles.end("a");
    assertThat(troubles.now()).contains(second);
    troubles.end("b");
    troubles.end("never");
    assertThat(troubles.now()).isEmpty();
  }
}
