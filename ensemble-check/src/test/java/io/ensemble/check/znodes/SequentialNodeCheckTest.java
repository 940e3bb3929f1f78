package io.ensemble.check.znodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SequentialNodeCheckTest {
  private static final String CREATED =
      "/n create_sequential 5 0 0 1; /n create_sequential 6 1 2 3; /n create_sequential 7 ? 4; ";

  @Test
  void whatWasAcknowledgedIsThereAndWhatNobodyKnowsMayBe() {
    assertThat(problems(CREATED + "/n names null [[0,5],[1,6]] 8 9")).isEmpty();
    assertThat(problems(CREATED + "/n names null [[0,5],[1,6],[2,7]] 8 9")).isEmpty();
  }

  @Test
  void aNameThatIsLostIsTold() {
    assertThat(problems(CREATED + "/n names null [[0,5]] 8 9"))
        .containsExactly("/n: the name 1 was acknowledged with 6; in the end it has null");
  }

  @Test
  void aCreationThatTookEffectTwiceIsTold() {
    assertThat(problems(CREATED + "/n names null [[0,5],[1,6],[2,6]] 8 9"))
        .containsExactly("/n: the name 2 has 6, which was not created then, or twice");
    assertThat(problems(CREATED + "/n names null [[0,5],[1,6],[2,7],[3,7]] 8 9")).hasSize(1);
  }

  @Test
  void theNumberIsAtTheEndOfTheName() {
    assertThat(SequentialNodeCheck.number("/a/n-0000000012")).isEqualTo(12);
  }

  private static List<String> problems(String history) {
    return SequentialNodeCheck.problems(ZnodeHistory.of(history));
  }
}
