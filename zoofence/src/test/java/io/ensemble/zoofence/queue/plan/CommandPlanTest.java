package io.ensemble.zoofence.queue.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.zoofence.InstanceLocks;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningText;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.QueueExecution;
import io.ensemble.zoofence.queue.ZnodeOwner;
import io.ensemble.zoofence.wire.Jute;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.CreateRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How commands are planned, at which instances they run, and which are sent alone. */
final class CommandPlanTest {
  private static final Flattening FLATTENING =
      FlatteningText.read("/a 1 2\n/a/one 2\n/b 2 3\n", List.of("x", "y", "z"));

  private static final InstanceSet ALL = InstanceSet.first(3);

  private final Map<String, Long> owners = new HashMap<>();
  private final CommandPlan.Tree tree =
      new CommandPlan.Tree() {
        private int next = 4;

        @Override
        public int nextNumber(String parent) {
          return next++;
        }

        @Override
        public ZnodeOwner owner(String path) {
          long session = owners.getOrDefault(path, 0L);
          return session == 0 ? null : new ZnodeOwner(session, 1);
        }

        @Override
        public boolean isShared(String path) {
          return !path.equals("/alone");
        }

        @Override
        public boolean isNumberReadable(String parent) {
          return !parent.equals("/unreadable");
        }

        @Override
        public boolean isTtlSupported() {
          return ttl;
        }
      };

  private boolean ttl = true;

  private final CommandScheduler commandScheduler = new CommandScheduler();

  private static Op create(String path, CreateMode mode) {
    return Op.create(path, new byte[] {1}, ZooDefs.Ids.OPEN_ACL_UNSAFE, mode);
  }

  private static QueueCommand multi(Op... operations) {
    ByteBuffer body = Jute.write(new MultiOperationRecord(List.of(operations)));
    return new QueueCommand(7, OpCode.multi, body, List.of());
  }

  private static QueueCommand created(String path, CreateMode mode) {
    var wanted = (CreateRequest) create(path, mode).toRequestRecord();
    return new QueueCommand(7, OpCode.create, Jute.write(wanted), List.of());
  }

  private CommandPlan plan(QueueCommand command, String... named) {
    return CommandPlan.of(
        command, tree, named.length == 0 ? null : new DedupSlot(1, List.of(named), List.of()));
  }

  private List<Integer> errors(QueueCommand command) {
    CommandPlan plan = plan(command);
    LocalRefusal refusal = plan.refusal(command, tree);
    return refusal == null
        ? List.of()
        : refusal.errors(plan, java.util.Collections.nCopies(refusal.index(), 0));
  }

  private boolean alone(QueueCommand command) {
    return commandScheduler
        .schedule(command, Flattening.replicated(2), InstanceSet.first(2))
        .alone();
  }

  @Test
  void aNumberThatTheClientMayNotKnowRefusesTheCreation() {
    assertThat(
            errors(
                multi(
                    create("/p/x", CreateMode.PERSISTENT),
                    create("/unreadable/a-", CreateMode.PERSISTENT_SEQUENTIAL))))
        .containsExactly(0, Code.NOAUTH.intValue());
  }

  @Test
  void numbersAreSettledInTheOperationsOrder() {
    CommandPlan plan =
        plan(
            multi(
                create("/p/a-", CreateMode.PERSISTENT_SEQUENTIAL),
                create("/p", CreateMode.PERSISTENT),
                create("/p/b-", CreateMode.EPHEMERAL_SEQUENTIAL)));

    assertThat(plan.createSlot(1).created())
        .containsExactly("/p/a-0000000004", "/p", "/p/b-0000000005");
    assertThat(plan.owned()).containsExactly(Map.entry("/p/b-0000000005", 7L));
    assertThat(plan.operations())
        .allSatisfy(
            one ->
                assertThat(((CreateRequest) one.toRequestRecord()).getFlags())
                    .isEqualTo(CreateMode.PERSISTENT.toFlag()));
  }

  @Test
  void namesThatAnInstanceRemembersStay() {
    CommandPlan plan =
        plan(
            multi(
                create("/p", CreateMode.PERSISTENT),
                create("/p/a-", CreateMode.PERSISTENT_SEQUENTIAL)),
            "/p",
            "/p/a-0000000001");

    assertThat(plan.createSlot(1).created()).containsExactly("/p", "/p/a-0000000001");
  }

  @Test
  void recordsFollowWhoOwnsWhat() {
    owners.put("/was", 9L);
    CommandPlan plan = plan(multi(Op.delete("/was", -1), create("/is", CreateMode.EPHEMERAL)));

    assertThat(plan.freed()).containsExactly("/was");
    assertThat(plan.recordOperations(1))
        .extracting(Op::getPath)
        .containsExactly(ZooFencePaths.OWNED + "/%2Fwas", ZooFencePaths.OWNED + "/%2Fis");
  }

  @Test
  void onlyTheOwnersZnodeIsReaped() {
    owners.put("/e", 7L);

    assertThat(errors(QueueCommand.reap(7, "/e", List.of()))).isEmpty();
    assertThat(errors(QueueCommand.reap(8, "/e", List.of())))
        .containsExactly(Code.NONODE.intValue());
    assertThat(errors(QueueCommand.reap(7, "/gone", List.of())))
        .containsExactly(Code.NONODE.intValue());
  }

  @Test
  void nothingIsCreatedBelowAnEphemeral() {
    owners.put("/e", 7L);

    assertThat(
            errors(
                multi(
                    Op.delete("/x", -1),
                    create("/e/x", CreateMode.PERSISTENT),
                    Op.delete("/y", -1))))
        .containsExactly(
            Code.OK.intValue(),
            Code.NOCHILDRENFOREPHEMERALS.intValue(),
            Code.RUNTIMEINCONSISTENCY.intValue());
  }

  private static Op lasting(String path, long ttl) {
    return Op.create(
        path,
        new byte[0],
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.PERSISTENT_SEQUENTIAL_WITH_TTL.toFlag(),
        ttl);
  }

  @Test
  void containersAndTimesToLiveStayAtEachInstanceAndAreRemembered() {
    CommandPlan plan = plan(multi(create("/c", CreateMode.CONTAINER), lasting("/t-", 1000)));

    assertThat(plan.owned())
        .containsOnly(
            Map.entry("/c", Long.MIN_VALUE), Map.entry("/t-0000000004", 0xff00_0000_0000_03e8L));
    assertThat(plan.operations())
        .allSatisfy(
            one -> assertThat(ZnodeCreation.of(one).mode()).isEqualTo(CreateMode.PERSISTENT));
    assertThat(plan.recordOperations(1)).hasSize(2);
  }

  @Test
  void oneInstanceAloneKnowsWhatHasToGo() {
    CommandPlan plan =
        plan(multi(create("/alone/c", CreateMode.CONTAINER), lasting("/alone/t-", 1000)));

    assertThat(plan.owned()).isEmpty();
    assertThat(plan.operations())
        .extracting(one -> ZnodeCreation.of(one).mode())
        .containsExactly(CreateMode.CONTAINER, CreateMode.PERSISTENT_WITH_TTL);
    assertThat(plan.operations().get(1).getPath()).isEqualTo("/alone/t-0000000004");
  }

  @Test
  void aTimeToLiveIsRefusedAsByZooKeeper() {
    assertThat(errors(multi(lasting("/t-", 1)))).isEmpty();
    assertThat(errors(multi(lasting("/t-", 0)))).containsExactly(Code.BADARGUMENTS.intValue());
    assertThat(errors(multi(lasting("/t-", 1L << 40))))
        .containsExactly(Code.BADARGUMENTS.intValue());

    ttl = false;

    assertThat(errors(multi(create("/x", CreateMode.PERSISTENT), lasting("/t-", 0))))
        .containsExactly(Code.OK.intValue(), Code.UNIMPLEMENTED.intValue());
  }

  @Test
  void aContainerHasChildren() {
    owners.put("/c", Long.MIN_VALUE);

    assertThat(
            errors(
                multi(
                    create("/c/x", CreateMode.PERSISTENT),
                    create("/d", CreateMode.CONTAINER),
                    create("/d/x", CreateMode.PERSISTENT))))
        .isEmpty();
  }

  @Test
  void onlyTheVeryZnodeThatWasSeenExpires() {
    owners.put("/c", Long.MIN_VALUE);
    var seen = new ZnodeOwner(Long.MIN_VALUE, 1);
    var another = new ZnodeOwner(Long.MIN_VALUE, 2);
    var kind = new ZnodeOwner(0xff00_0000_0000_0001L, 1);

    assertThat(errors(QueueCommand.expire(seen, "/c", 3, List.of()))).isEmpty();
    assertThat(plan(QueueCommand.expire(seen, "/c", 3, List.of())).operations())
        .containsExactly(Op.delete("/c", 3));
    assertThat(errors(QueueCommand.expire(another, "/c", 3, List.of())))
        .containsExactly(Code.NONODE.intValue());
    assertThat(errors(QueueCommand.expire(kind, "/c", 3, List.of())))
        .containsExactly(Code.NONODE.intValue());
    assertThat(errors(QueueCommand.expire(seen, "/gone", 3, List.of())))
        .containsExactly(Code.NONODE.intValue());
  }

  @Test
  void anUnknownModeIsRefused() {
    assertThatThrownBy(() -> CommandPlan.mode(77)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aZnodeIsMadeAtAllHoldersOfItsParentAsAStubWhereItIsNotHeld() {
    var placed =
        new PlacedOperations(
            List.of(
                Op.setData("/a", new byte[0], 3),
                Op.delete("/a/one", 5),
                create("/b", CreateMode.PERSISTENT)),
            FLATTENING);

    assertThat(placed.positionsAt(0)).containsExactly(0, 1, 2);
    assertThat(placed.positionsAt(2)).containsExactly(2);
    assertThat(placed.decidingInstance(1)).isEqualTo(1);
    assertThat(placed.operation(1, 1)).isEqualTo(Op.delete("/a/one", 5));
    assertThat(placed.operation(1, 0)).isEqualTo(Op.delete("/a/one", -1));
    assertThat(((CreateRequest) placed.operation(2, 0).toRequestRecord()).getData()).isEmpty();
    assertThat(placed.operation(2, 2)).isSameAs(placed.operations().get(2));
    assertThat(placed.queuesToPause(ALL))
        .containsExactlyInAnyOrder(InstanceSet.of(0, 1), InstanceSet.of(1, 2));
    assertThat(placed.locks("h", 2))
        .containsExactly(
            new InstanceLocks.Lock("h", true, "/b"), new InstanceLocks.Lock("h", false, "/"));
  }

  @Test
  void aCommandCoversUnlessExactlyTheSetHoldsItsPath() {
    InstanceSet two = InstanceSet.of(0, 1);

    assertThat(PlacedOperations.isCovering(Op.delete("/a/x", -1), FLATTENING, two)).isFalse();
    assertThat(PlacedOperations.isCovering(Op.delete("/a/one", -1), FLATTENING, two)).isTrue();
    assertThat(
            PlacedOperations.isCovering(
                create("/a/one", CreateMode.PERSISTENT_SEQUENTIAL), FLATTENING, two))
        .isFalse();
    assertThat(commandScheduler.schedule(multi(Op.delete("/a", -1)), FLATTENING, ALL))
        .isEqualTo(QueueExecution.Way.COVERING);
  }

  @Test
  void theFirstNumberedChildOfAParentGoesAloneUntilSomethingUnsettlesIt() {
    QueueCommand numbered = created("/p/n-", CreateMode.PERSISTENT_SEQUENTIAL);

    assertThat(alone(numbered)).isTrue();
    assertThat(alone(numbered)).isFalse();
    assertThat(alone(created("/p/plain", CreateMode.PERSISTENT))).isFalse();
    assertThat(alone(numbered)).isTrue();
    assertThat(alone(created("/p", CreateMode.PERSISTENT))).isFalse();
    assertThat(alone(numbered)).isTrue();
  }

  @Test
  void aLockUnsettlesAllNumbers() {
    QueueCommand numbered = created("/p/n-", CreateMode.PERSISTENT_SEQUENTIAL);
    assertThat(alone(numbered)).isTrue();

    assertThat(alone(QueueCommand.lock("/q/c-1"))).isTrue();

    assertThat(alone(numbered)).isTrue();
  }

  @Test
  void whatDependsOnAnEphemeralOnItsWayWaitsForIt() {
    QueueCommand ephemeral = created("/e", CreateMode.EPHEMERAL);
    QueueCommand below = created("/e/x", CreateMode.PERSISTENT);

    assertThat(alone(ephemeral)).isFalse();
    assertThat(alone(below)).isTrue();

    commandScheduler.finishCommand(ephemeral);
    assertThat(alone(below)).isFalse();
    assertThat(alone(QueueCommand.reap(7, "/e", List.of()))).isTrue();
    assertThat(alone(QueueCommand.lock("/q/c-1"))).isTrue();
    assertThat(alone(QueueCommand.expire(new ZnodeOwner(Long.MIN_VALUE, 1), "/e", 0, List.of())))
        .isTrue();
    assertThat(alone(created("/c", CreateMode.CONTAINER))).isFalse();
    assertThat(alone(created("/c/x", CreateMode.PERSISTENT))).isTrue();
  }

  /** Two contenders for a lock in one transaction would have the same czxid. */
  @ParameterizedTest
  @EnumSource(
      value = CreateMode.class,
      names = {"PERSISTENT", "EPHEMERAL", "PERSISTENT_SEQUENTIAL", "EPHEMERAL_SEQUENTIAL"})
  void siblingsThatClientsRankAreExclusive(CreateMode mode) {
    var request =
        new CreateRequest("/l/c-", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, mode.toFlag());
    var command = new QueueCommand(7, OpCode.create, Jute.write(request), List.of());
    List<Op> planned = List.of(create("/l/c-0000000001", CreateMode.PERSISTENT));

    assertThat(CommandPlan.exclusive(command, planned))
        .contains("/l/c-0000000001")
        .hasSize(mode == CreateMode.PERSISTENT ? 1 : 2);
  }
}
