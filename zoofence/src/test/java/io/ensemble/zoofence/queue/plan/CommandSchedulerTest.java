package io.ensemble.zoofence.queue.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.wire.Jute;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.junit.jupiter.api.Test;

final class CommandSchedulerTest {
  private final CommandScheduler commandScheduler = new CommandScheduler();

  private boolean isAlone(List<ACL> acl) {
    var wanted =
        new CreateRequest("/p/n-", new byte[0], acl, CreateMode.PERSISTENT_SEQUENTIAL.toFlag());
    var command = new QueueCommand(7, OpCode.create, Jute.write(wanted), List.of());
    return isAlone(command);
  }

  @Test
  void numberedOnesOfOneParentGoBesideEachOtherBehindTheFirst() {
    assertThat(isAlone(Ids.OPEN_ACL_UNSAFE)).isTrue();
    assertThat(isAlone(Ids.OPEN_ACL_UNSAFE)).isFalse();
    assertThat(isAlone(Ids.READ_ACL_UNSAFE)).isFalse();
  }

  private QueueCommand removal(String path) {
    return new QueueCommand(7, OpCode.delete, Jute.write(new DeleteRequest(path, -1)), List.of());
  }

  private QueueCommand creation(String path) {
    var wanted =
        new CreateRequest(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT.toFlag());
    return new QueueCommand(7, OpCode.create, Jute.write(wanted), List.of());
  }

  private boolean isAlone(QueueCommand command) {
    return commandScheduler
        .schedule(command, Flattening.replicated(2), InstanceSet.first(2))
        .alone();
  }

  @Test
  void commandsWhosePlanDependsOnTheOwnerOfARemovedZnodeWaitForTheRemoval() {
    assertThat(isAlone(removal("/e"))).isFalse();
    assertThat(isAlone(creation("/e"))).isFalse();

    assertThat(isAlone(creation("/e/below"))).isTrue();
    assertThat(isAlone(removal("/e"))).isTrue();
    assertThat(isAlone(removal("/other"))).isFalse();

    commandScheduler.finishCommand(removal("/e"));
    commandScheduler.finishCommand(removal("/e"));
    assertThat(isAlone(creation("/e/below"))).isFalse();
    assertThat(isAlone(removal("/e"))).isFalse();
  }

  @Test
  void aNumberedOneWhoseAccessListMayBeRefusedGoesAlone() {
    assertThat(isAlone(Ids.OPEN_ACL_UNSAFE)).isTrue();

    assertThat(isAlone(Ids.CREATOR_ALL_ACL)).isTrue();
    assertThat(isAlone(List.of())).isTrue();
    assertThat(isAlone(Ids.OPEN_ACL_UNSAFE)).as("behind it").isFalse();
  }
}
