package io.ensemble.zoofence.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.InstanceSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class QueueExecutionTest {
  private static final InstanceResult DONE = new InstanceResult.Done(1, List.of());
  private static final InstanceResult REFUSED = new InstanceResult.Refused(List.of(-101));

  private final List<String> work = new ArrayList<>();
  private final QueueExecution execution =
      new QueueExecution(
          InstanceSet.first(2),
          4,
          new QueueExecution.Work() {
            @Override
            public void apply(int instance, long command) {
              work.add(command + ">" + instance);
            }

            @Override
            public void finish(long command, Map<Integer, InstanceResult> results) {
              boolean effect = results.values().stream().allMatch(ResultAgreement::tookEffect);
              work.add(command + (effect ? " done" : " refused"));
            }

            @Override
            public void reportDisagreement(long command, Map<Integer, InstanceResult> results) {
              work.add(command + " disagreed");
            }
          });

  private static NavigableMap<Long, InstanceResult.Remembered> slots(long... commands) {
    var slots = new TreeMap<Long, InstanceResult.Remembered>();
    for (long command : commands) {
      slots.put(
          command,
          new InstanceResult.Remembered(
              new DedupSlot(command, List.of("/" + command), List.of()), 9));
    }
    return slots;
  }

  private void reach() {
    execution.addInstance(0, slots());
    execution.addInstance(1, slots());
  }

  private void answer(long command, InstanceResult result) {
    execution.recordResult(0, command, result);
    execution.recordResult(1, command, result);
  }

  private void arrive(long... commands) {
    for (long command : commands) {
      execution.addCommand(command, QueueExecution.Way.BESIDE);
    }
  }

  @Test
  void nothingIsSentBeforeEveryInstanceHasToldItsSlots() {
    arrive(0);
    execution.addInstance(0, slots());

    assertThat(work).isEmpty();

    execution.addInstance(1, slots(0));
    assertThat(work).containsExactly("0>0");
  }

  @Test
  void outcomesAreToldInTheQueuesOrder() {
    reach();
    arrive(0, 1);

    answer(1, DONE);
    answer(0, REFUSED);

    assertThat(work).containsExactly("0>0", "0>1", "1>0", "1>1", "0 refused", "1 done");
  }

  @Test
  void theWindowOpensWhenTheOldestIsForgotten() {
    reach();
    arrive(0, 1, 2, 3, 4);
    answer(0, DONE);

    assertThat(work).doesNotContain("4>0");

    execution.removeCommand(0);
    assertThat(work).contains("4>0", "4>1");
  }

  @Test
  void whatGoesAloneHasNothingBesideIt() {
    reach();
    arrive(0);
    execution.addCommand(1, QueueExecution.Way.ALONE);
    arrive(2);

    assertThat(work).containsExactly("0>0", "0>1");

    work.clear();
    answer(0, DONE);
    assertThat(work).containsExactly("0 done", "1>0", "1>1");

    work.clear();
    answer(1, DONE);
    assertThat(work).containsExactly("1 done", "2>0", "2>1");
  }

  @Test
  void whatGoesAloneHasNothingBesideItWhereAnEarlierLeaderSentMore() {
    arrive(0);
    execution.addCommand(1, QueueExecution.Way.ALONE);
    arrive(2);
    execution.addInstance(0, slots(0, 1, 2));
    execution.addInstance(1, slots());

    assertThat(work).containsExactly("0>1");

    execution.recordResult(1, 0, DONE);
    execution.recordResult(1, 1, DONE);
    assertThat(work).containsExactly("0>1", "0 done", "1>1", "1 done", "2>1");
  }

  @Test
  void aLostConnectionsCommandsAreSentAgainUnlessTheSlotsTellOfThem() {
    reach();
    arrive(0, 1, 2);
    execution.removeInstance(1);
    work.clear();

    execution.addInstance(1, slots(1));

    assertThat(work).containsExactly("2>1");
    assertThat(execution.result(0, 1)).isEqualTo(new InstanceResult.Passed());
    assertThat(execution.slot(1)).isEqualTo(new DedupSlot(1, List.of("/1"), List.of()));
    assertThat(execution.findUnanswered(2)).containsExactlyInAnyOrder(0, 1);
  }

  @Test
  void nothingIsSentToALostInstance() {
    reach();
    execution.removeInstance(1);

    arrive(0);

    assertThat(work).containsExactly("0>0");
  }

  @Test
  void whatGoesAloneAndWasRefusedAtOneIsRefusedAtAll() {
    execution.addCommand(0, QueueExecution.Way.COVERING);
    arrive(1);

    execution.addInstance(0, slots(1));
    execution.addInstance(1, slots());

    assertThat(work).containsExactly("0 refused", "1>1");
  }

  @Test
  void whatAnEarlierLeaderSentIsNotSentAgainThoughItArrivesLate() {
    execution.addInstance(0, slots(1));
    execution.addInstance(1, slots(1));

    arrive(0, 1, 2);

    assertThat(work).containsExactly("0 refused", "1 done", "2>0", "2>1");
  }

  @Test
  void instancesThatDisagreeStopTheQueue() {
    reach();
    arrive(0, 1);

    execution.recordResult(0, 0, DONE);
    execution.recordResult(1, 0, REFUSED);
    arrive(2);

    assertThat(execution.isStopped()).isTrue();
    assertThat(work).endsWith("0 disagreed");
  }

  @Test
  void whatArrivesOrIsAnsweredTwiceCountsOnce() {
    reach();
    arrive(0, 0);
    execution.recordResult(0, 0, DONE);
    execution.recordResult(0, 0, REFUSED);
    execution.recordResult(1, 0, DONE);
    arrive(0);

    assertThat(work).containsExactly("0>0", "0>1", "0 done");
    assertThat(execution.size()).isEqualTo(1);
    execution.removeCommand(0);
    assertThat(execution.size()).isZero();
  }
}
