package io.ensemble.zoofence.queue.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.wire.Jute;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.CreateRequest;
import org.junit.jupiter.api.Test;

final class SequentialNumberingTest {
  private static final QueueCommand NUMBERED = created("/p/n-", CreateMode.PERSISTENT_SEQUENTIAL);

  private final SequentialNumbering numbering = new SequentialNumbering();

  private static QueueCommand created(String path, CreateMode mode) {
    var wanted = new CreateRequest(path, null, ZooDefs.Ids.OPEN_ACL_UNSAFE, mode.toFlag());
    return new QueueCommand(7, OpCode.create, Jute.write(wanted), List.of());
  }

  /** Plans a creation below {@code /p}. */
  private CommandPlan plan() {
    String path = "/p/n-" + String.format("%010d", numbering.takeNext("/p"));
    Op made = Op.create(path, null, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    return new CommandPlan(List.of(made), Map.of(), List.of(), false, Set.of());
  }

  private void count(int created, int left) {
    var stat = new Stat();
    // ZooKeeper counts creations and deletions together.
    stat.setCversion(created + (created - left));
    stat.setNumChildren(left);
    numbering.recordNumbers("/p", stat);
  }

  @Test
  void theNextNumberIsHowManyChildrenWereCreated() {
    assertThat(numbering.findUnknownParents(NUMBERED)).containsExactly("/p");
    count(5, 2);

    assertThat(numbering.findUnknownParents(NUMBERED)).isEmpty();
    assertThat(numbering.takeNext("/p")).isEqualTo(5);
    assertThat(numbering.takeNext("/p")).isEqualTo(6);
  }

  @Test
  void aRefusedCreationsNumberIsGivenAgain() {
    count(5, 5);

    numbering.returnNumbers(NUMBERED, plan());

    assertThat(numbering.takeNext("/p")).isEqualTo(5);
  }

  @Test
  void aRefusedCreationsNumberIsNotGivenAgainBesideALaterOne() {
    count(5, 5);
    CommandPlan first = plan();
    CommandPlan second = plan();

    numbering.returnNumbers(NUMBERED, first);
    assertThat(numbering.takeNext("/p")).isEqualTo(7);

    assertThat(second.operations().get(0).getPath()).endsWith("6");
  }

  @Test
  void aCommandThatWasNeverPlannedHasHadNoNumber() {
    count(5, 5);

    numbering.returnNumbers(QueueCommand.lock("/q/c-1"), CommandPlan.NOTHING);

    assertThat(numbering.takeNext("/p")).isEqualTo(5);
  }

  @Test
  void whatOthersMayHaveChangedIsAskedForAgain() {
    count(5, 5);

    numbering.clearAll();

    assertThat(numbering.findUnknownParents(NUMBERED)).containsExactly("/p");
  }

  @Test
  void thoseThatAreRefusedBesideEachOtherGiveAllTheirNumbersBack() {
    count(5, 5);
    CommandPlan first = plan();
    CommandPlan second = plan();
    CommandPlan third = plan();

    numbering.returnNumbers(NUMBERED, first);
    numbering.returnNumbers(NUMBERED, second);
    assertThat(numbering.takeNext("/p")).as("the third may have its number").isEqualTo(8);
    numbering.returnNumbers(NUMBERED, third);

    assertThat(numbering.takeNext("/p")).isEqualTo(9);
  }

  @Test
  void allNumbersFromTheFirstThatWasRefusedAreGivenAgain() {
    count(5, 5);
    CommandPlan first = plan();
    CommandPlan second = plan();

    numbering.returnNumbers(NUMBERED, first);
    numbering.returnNumbers(NUMBERED, second);

    assertThat(numbering.takeNext("/p")).isEqualTo(5);
    assertThat(numbering.takeNext("/p")).isEqualTo(6);
  }
}
