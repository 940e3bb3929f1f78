package io.ensemble.tree.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.tree.PagesInMemory;
import io.ensemble.tree.UnusedSequencer;
import org.junit.jupiter.api.Test;

class CheckpointerTest {

  @Test
  void aDamagedPageIsReportedOnceForEachCheckpointThatNeedsIt() {
    Checkpointer checkpointer =
        new Checkpointer(new UnusedSequencer(), new PagesInMemory(), Runnable::run);

    assertThat(checkpointer.isFirstDamageOf(7)).isTrue();
    for (int i = 0; i < 100; i++) {
      assertThat(checkpointer.isFirstDamageOf(7)).isFalse();
    }
    assertThat(checkpointer.isFirstDamageOf(8)).isTrue();
  }
}
