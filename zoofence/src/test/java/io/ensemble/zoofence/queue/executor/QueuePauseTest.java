package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.QueueExecution;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

final class QueuePauseTest {
  private static final InstanceSet SET = InstanceSet.first(2);
  private static final int LED_BY = 3;
  private static final String LARGER = "/queues/7/c-0000000001";

  private final List<String> work = new ArrayList<>();
  private final QueueCommand lock = QueueCommand.lock(LARGER);
  private int inForce = LED_BY;
  private Runnable gone = () -> {};

  private final QueueExecution execution =
      new QueueExecution(
          SET,
          4,
          new QueueExecution.Work() {
            @Override
            public void apply(int instance, long command) {
              if (command == 0) {
                standing().begin(instance, command, lock);
              } else {
                work.add(command + ">" + instance);
              }
            }

            @Override
            public void finish(long command, Map<Integer, InstanceResult> results) {
              work.add(command + " ended");
            }

            @Override
            public void reportDisagreement(long command, Map<Integer, InstanceResult> results) {
              work.add(command + " disagreed");
            }
          });

  private QueuePause standing() {
    return new QueuePause(
        SET,
        LED_BY,
        new PlantedDesk(),
        new PlantedOffice(),
        execution,
        then -> {
          work.add("learnt");
          then.run();
        });
  }

  private void stand() {
    execution.addInstance(0, new TreeMap<>());
    execution.addInstance(1, new TreeMap<>());
    execution.addCommand(0, QueueExecution.Way.ALONE);
    execution.addCommand(1, QueueExecution.Way.BESIDE);
  }

  @Test
  void nothingGoesOnBeforeTheLargerSetsCommandHasEnded() {
    stand();

    assertThat(work).containsExactly("stands for " + LARGER);

    gone.run();
    assertThat(work).containsExactly("stands for " + LARGER, "learnt", "0 ended", "1>0", "1>1");
  }

  @Test
  void theLeaderRestartsWhenALaterEpochIsInForce() {
    stand();
    inForce++;

    gone.run();

    assertThat(work).containsExactly("stands for " + LARGER, "leads anew");
  }

  private final class PlantedOffice implements LeaderHost {
    @Override
    public void rollQueue() {}

    @Override
    public void restartLeaderLater() {
      restartLeader();
    }

    @Override
    public void endLeadership() {}

    @Override
    public void restartLeader() {
      work.add("leads anew");
    }

    @Override
    public void readEpoch(Consumer<FlatteningEpoch> callback) {
      callback.accept(new FlatteningEpoch(inForce, Flattening.replicated(3), null));
    }

    @Override
    public ZooKeeper admin() {
      throw new AssertionError("nobody asks for it");
    }
  }

  private final class PlantedDesk extends NoOpQueueStore {
    @Override
    public void pauseFor(String other, Runnable callback) {
      work.add("stands for " + other);
      gone = callback;
    }
  }
}
