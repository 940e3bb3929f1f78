package io.ensemble.versioning.listen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnreadableKeysTest {

  private final UnreadableKeys unreadableKeys = new UnreadableKeys("pages");

  @Test
  void theOneThatHasLastedLongestIsTold() {
    Exception first = new Exception("first");
    Exception second = new Exception("second");
    unreadableKeys.begin("a", first);
    unreadableKeys.begin("b", second);

    assertThat(unreadableKeys.now()).contains(first);
    unreadableKeys.end("a");
    assertThat(unreadableKeys.now()).contains(second);
    unreadableKeys.end("b");
    unreadableKeys.end("never");
    assertThat(unreadableKeys.now()).isEmpty();
  }
}
