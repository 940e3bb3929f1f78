package io.ensemble.zoofence.queue.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.CommandOutcome;
import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.wire.Jute;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.proto.SetDataResponse;
import org.junit.jupiter.api.Test;

final class OutcomeResolverTest {
  private static final InstanceSet BOTH = InstanceSet.first(2);

  private final ArrayDeque<Code> answers = new ArrayDeque<>();
  private final ArrayDeque<Runnable> later = new ArrayDeque<>();
  private final ArrayDeque<CommandOutcome> told = new ArrayDeque<>();

  /** The transaction that was the last to change the znode; that of the command is 3. */
  private long lastChange = 3;

  /** Resolves a write that took effect, but whose replies were lost. */
  private void tell() {
    var wanted = new SetDataRequest("/a", new byte[0], -1);
    var command = new QueueCommand(7, OpCode.setData, Jute.write(wanted), List.of());
    var plan =
        new CommandPlan(
            List.of(Op.setData("/a", new byte[0], -1)), Map.of(), List.of(), true, Set.of());
    var stat = new Stat();
    stat.setVersion(4);
    stat.setMzxid(lastChange);
    new OutcomeResolver(
            command,
            plan,
            new PlacedOperations(plan.operations(), Flattening.replicated(2)),
            BOTH,
            Map.of(
                0,
                new InstanceResult.Remembered(DedupSlot.UNUSED, 3),
                1,
                new InstanceResult.Passed()),
            List.of(),
            path -> 0,
            (instance, path, then) -> {
              Code code = answers.remove();
              then.accept(code.intValue(), code == Code.OK ? stat : null);
            },
            later::add,
            told::add)
        .begin();
  }

  private int version() {
    return Jute.read(told.remove().body(), new SetDataResponse()).getStat().getVersion();
  }

  @Test
  void aLostAnswerIsReadFromTheZnode() {
    answers.add(Code.OK);

    tell();

    assertThat(version()).isEqualTo(4);
  }

  /** With the version of a later change, the client could overwrite that change. */
  @Test
  void theVersionOfALaterChangeIsNotTakenForThatOfTheCommand() {
    lastChange = 9;
    answers.add(Code.OK);

    tell();

    assertThat(version()).isEqualTo(3);
  }

  @Test
  void anInstanceThatCannotBeAskedIsAskedAgain() {
    answers.addAll(List.of(Code.CONNECTIONLOSS, Code.SESSIONEXPIRED, Code.OK));

    tell();
    assertThat(told).isEmpty();
    later.remove().run();
    later.remove().run();

    assertThat(version()).isEqualTo(4);
  }

  @Test
  void aZnodeThatTheClientMayNotReadIsAskedOnce() {
    answers.add(Code.NOAUTH);

    tell();

    assertThat(later).isEmpty();
    assertThat(version()).isZero();
  }

  @Test
  void ofAZnodeThatIsGoneNothingMoreIsKnown() {
    answers.add(Code.NONODE);

    tell();

    assertThat(version()).isZero();
  }
}
