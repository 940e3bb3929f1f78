package io.ensemble.zoofence.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Random schedules of lost connections and changes of the leader. */
@Execution(ExecutionMode.CONCURRENT)
final class QueueExecutionSimulationTest {
  private static void run(long seed, boolean checksConditions) {
    var random = new Random(seed);
    var world = new ModelQueue(1 + random.nextInt(3), 2 + random.nextInt(12), checksConditions);
    try {
      for (int step = 0; step < 400; step++) {
        world.step(random);
      }
      world.settle();
      world.check();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  @Test
  void allInstancesDoTheSameOnceAndWhatIsToldHappened() {
    for (long seed = 0; seed < 1_000; seed++) {
      run(seed, true);
    }
  }

  @Test
  void aTransactionThatTakesEffectBehindAFailedBatchIsFound() {
    long found = LongStream.range(0, 1_000).filter(seed -> fails(seed)).count();

    assertThat(found).isPositive();
  }

  private static boolean fails(long seed) {
    try {
      run(seed, false);
      return false;
    } catch (AssertionError expected) {
      return true;
    }
  }
}
