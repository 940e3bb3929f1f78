package io.ensemble.check.znodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class FifoOrderCheckTest {
  private static final ZnodeLayout.NodePair TWO =
      new ZnodeLayout.NodePair(
          new ZnodeLayout.LayoutNode("/a", false, false),
          new ZnodeLayout.LayoutNode("/b", false, false));
  private static final String SENT = "/a set_data [7,null] 3 0 9; /b set_data [7,null] 2 1 9; ";

  @Test
  void whoSeesTheSecondAndLooksLaterSeesTheFirst() {
    assertThat(violation(SENT + "/b get_data null [2,7] 4 5; /a get_data null [3,7] 6 8"))
        .isEmpty();
    assertThat(violation(SENT + "/b get_data null [2,7] 4 5; /a get_data null [4,9] 6 8"))
        .isEmpty();
  }

  @Test
  void aFirstThatIsNotThereYetIsAViolation() {
    assertThat(violation(SENT + "/b get_data null [2,7] 4 5; /a get_data null [2,1] 6 8"))
        .hasValueSatisfying(
            words -> assertThat(words).contains("/a was sent before /b").contains("version 3"));
  }

  @Test
  void looksAtTheSameTimeProveNothing() {
    assertThat(violation(SENT + "/b get_data null [2,7] 4 6; /a get_data null [2,1] 5 8"))
        .isEmpty();
  }

  @Test
  void aFirstThatNobodyKnowsOfIsNotAskedFor() {
    assertThat(
            violation(
                "/a set_data [7,null] ? 0; /b set_data [7,null] 2 1 9; /b get_data null [2,7] 4 5;"
                    + " /a get_data null [2,1] 6 8"))
        .isEmpty();
  }

  private static Optional<String> violation(String history) {
    return FifoOrderCheck.violation(ZnodeHistory.of(history), TWO);
  }
}
