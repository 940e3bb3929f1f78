package io.ensemble.rest.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A round that ended early is gone on with, so that each cache has its turn. */
class TermLookTest {

  @Test
  void theNextRoundBeginsWhereTheLastOneEnded() {
    List<String> names = List.of("a", "b", "c", "d");

    assertThat(TermLook.after("", names)).containsExactly("a", "b", "c", "d");
    assertThat(TermLook.after("b", names)).containsExactly("c", "d", "a", "b");
    assertThat(TermLook.after("d", names)).containsExactly("a", "b", "c", "d");
    assertThat(TermLook.after("bb", names)).containsExactly("c", "d", "a", "b");
  }
}
