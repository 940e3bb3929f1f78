package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningText;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.ResultAgreement;
import io.ensemble.zoofence.queue.ZnodeOwner;
import io.ensemble.zoofence.queue.plan.CommandPlan;
import io.ensemble.zoofence.queue.plan.PlacedOperations;
import io.ensemble.zoofence.queue.replica.CommitParticipant;
import io.ensemble.zoofence.wire.Jute;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An instance may remove znodes by itself at any step of a commit, and the leader or a connection
 * may be lost at any other. All holders of a shared znode then still do the same.
 */
final class CrossInstanceCommitTest {
  private static final long NUMBER = 5;
  private static final int MOST_STEPS = 60;
  private static final int NEVER = Integer.MAX_VALUE;
  private static final byte[] DATA = {1};
  private static final List<String> PATHS =
      List.of("/one", "/two", "/one/l", "/two/l", "/one/c", "/two/c", "/two/c/d", "/shared");

  private static final Flattening FLATTENING =
      FlatteningText.read("/one 1\n/two 2\n/three 3\n", List.of("1", "2", "3"));

  private static final InstanceSet ALL = InstanceSet.first(3);

  /** A transaction, and the znodes that the first two instances remove by themselves. */
  record Scenario(String name, List<Op> operations, String removedAtFirst, String removedAtSecond) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Op create(String path) {
    return Op.create(path, DATA, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
  }

  static Stream<Scenario> scenarios() {
    Op shared = Op.setData("/shared", DATA, -1);
    return Stream.of(
        new Scenario("one fence", List.of(Op.check("/two/l", 0), shared), "/one/l", "/two/l"),
        new Scenario(
            "two fences",
            List.of(Op.check("/one/l", -1), shared, Op.check("/two/l", -1)),
            "/one/l",
            "/two/l"),
        new Scenario(
            "changes of what is removed",
            List.of(Op.setData("/two/l", DATA, 0), Op.delete("/one/l", -1), shared),
            "/one/l",
            "/two/l"),
        new Scenario(
            "creations in containers",
            List.of(shared, create("/one/c/x"), create("/two/c/d/x"), create("/two/c/d/x/y")),
            "/one/c",
            "/two/c/d"),
        new Scenario(
            "a fence and a container",
            List.of(Op.check("/one/l", 0), create("/two/c/d/x"), create("/new"), shared),
            "/one/l",
            "/two/c/d"));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void allHoldersAgreeWheneverAnInstanceRemovesZnodes(Scenario scenario) {
    int runs = 0;
    for (int first = 0; first <= MOST_STEPS; first += first < 30 ? 1 : MOST_STEPS - first + 1) {
      for (int second = 0; second <= 30; second++) {
        new Run(scenario, first, second, NEVER, NEVER).check();
        runs++;
      }
    }
    assertThat(runs).isGreaterThan(900);
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void allHoldersAgreeWhenTheLeaderDiesBeside(Scenario scenario) {
    for (int removal = 0; removal <= 30; removal++) {
      for (int death = 0; death <= 30; death++) {
        new Run(scenario, removal, removal, death, NEVER).check();
        new Run(scenario, NEVER, removal, death, NEVER).check();
        new Run(scenario, removal, NEVER, death, NEVER).check();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void allHoldersAgreeWhenAConnectionIsLostBeside(Scenario scenario) {
    for (int removal = 0; removal <= 30; removal++) {
      for (int loss = 0; loss <= 30; loss++) {
        new Run(scenario, removal, removal, NEVER, loss).check();
        new Run(scenario, NEVER, removal, NEVER, loss).check();
        new Run(scenario, removal, NEVER, NEVER, loss).check();
      }
    }
  }

  @Test
  void anOperationThatBecameForbiddenIsReportedAsFailed() {
    var scenario =
        new Scenario(
            "forbidden",
            List.of(
                Op.setData("/one/l", DATA, -1),
                Op.setData("/two/l", DATA, -1),
                Op.setData("/shared", DATA, -1)),
            "",
            "");
    int failures = 0;
    for (int step = 0; step <= 30; step++) {
      var run = new Run(scenario, NEVER, NEVER, NEVER, NEVER);
      run.forbid("/two/l", step);
      run.check();
      OpResult result = run.results().get(1);
      if (result instanceof OpResult.ErrorResult error) {
        assertThat(error.getErr()).isEqualTo(Code.NOAUTH.intValue());
        failures++;
      }
    }
    assertThat(failures).isPositive();
  }

  /** One execution of a scenario, with removals and losses before given steps. */
  private static final class Run {
    private final Scenario scenario;
    private final Map<Integer, Runnable> faults = new HashMap<>();
    private final List<ModelParticipant> instances = new ArrayList<>();
    private final Map<Integer, InstanceResult> answers = new HashMap<>();
    private final QueueCommand command;
    private final List<ModelParticipant.Link> links = new ArrayList<>();
    private final boolean isRemovedBefore;
    private @Nullable CrossInstanceCommit commit;
    private int leaders;

    Run(Scenario scenario, int first, int second, int death, int loss) {
      this.scenario = scenario;
      this.command =
          new QueueCommand(
              7,
              OpCode.multi,
              Jute.write(new MultiOperationRecord(scenario.operations())),
              List.of());
      for (int i = 0; i < ALL.size(); i++) {
        var instance = new ModelParticipant();
        for (String path : PATHS) {
          if (FLATTENING.holders(path).contains(i) || path.lastIndexOf('/') == 0) {
            instance.versions.put(path, 0);
          }
        }
        instances.add(instance);
        links.add(new ModelParticipant.Link());
      }
      addFault(first, () -> instances.get(0).remove(scenario.removedAtFirst()));
      addFault(second, () -> instances.get(1).remove(scenario.removedAtSecond()));
      addFault(death, this::elect);
      addFault(loss, () -> lose(loss % ALL.size(), loss % 2 == 0));
      isRemovedBefore =
          (first == 0 && isFenced(scenario.removedAtFirst()))
              || (second == 0 && isFenced(scenario.removedAtSecond()));
      elect();
    }

    private boolean isFenced(String path) {
      return scenario.operations().stream()
          .anyMatch(op -> op.getPath().equals(path) || op.getPath().startsWith(path + "/"));
    }

    private void addFault(int step, Runnable fault) {
      faults.merge(
          step,
          fault,
          (one, other) ->
              () -> {
                one.run();
                other.run();
              });
    }

    void forbid(String path, int step) {
      addFault(step, () -> instances.get(1).forbidden.add(path));
    }

    List<@Nullable OpResult> results() {
      return Objects.requireNonNull(commit, "no leader").results();
    }

    /** Another leader begins: requests of the former one arrive, or are refused by the epoch. */
    private void elect() {
      answers.clear();
      links.forEach(link -> link.lose(leaders++ % 2 == 0));
      DedupSlot slot = null;
      var participants = new ArrayList<CommitParticipant>();
      for (int i = 0; i < ALL.size(); i++) {
        slot = slot == null ? instances.get(i).slot() : slot;
        participants.add(connect(i));
      }
      CommandPlan plan = CommandPlan.of(command, TREE, slot);
      commit =
          new CrossInstanceCommit(
              NUMBER,
              command,
              plan,
              null,
              new PlacedOperations(plan.operations(), FLATTENING),
              ALL,
              "7:5",
              participants::get,
              this::unanswered,
              this::record);
      CrossInstanceCommit started = commit;
      unanswered().forEach(started::handleReady);
    }

    private void record(int instance, InstanceResult result) {
      answers.putIfAbsent(instance, result);
    }

    private CommitParticipant connect(int instance) {
      DedupSlot slot = instances.get(instance).slot();
      if (slot != null) {
        answers.put(instance, new InstanceResult.Remembered(slot, 1));
      }
      ModelParticipant connected = instances.get(instance);
      return connected.at(connected.raiseEpoch(), links.get(instance));
    }

    private void lose(int instance, boolean isArriving) {
      CrossInstanceCommit running = Objects.requireNonNull(commit, "no leader");
      links.get(instance).lose(isArriving);
      running.handleLost(instance);
      DedupSlot slot = instances.get(instance).slot();
      if (slot != null) {
        answers.putIfAbsent(instance, new InstanceResult.Remembered(slot, 1));
      } else if (!answers.containsKey(instance)) {
        running.handleReady(instance);
      }
      running.handleReached();
    }

    private Set<Integer> unanswered() {
      var remaining = new HashSet<>(ALL.numbers());
      remaining.removeAll(answers.keySet());
      return remaining;
    }

    void check() {
      for (int step = 0; step <= MOST_STEPS; step++) {
        Runnable fault = faults.remove(step);
        if (fault != null) {
          fault.run();
        }
        List<ArrayDeque<Runnable>> waiting =
            links.stream()
                .flatMap(link -> Stream.of(link.requests, link.responses))
                .filter(messages -> !messages.isEmpty())
                .toList();
        if (!waiting.isEmpty()) {
          waiting.get(step % waiting.size()).remove().run();
        }
      }
      assertThat(unanswered()).as("%s: the commit ends", scenario).isEmpty();
      boolean tookEffect = answers.values().stream().anyMatch(ResultAgreement::tookEffect);
      assertThat(answers.values().stream().map(ResultAgreement::tookEffect).distinct())
          .as("%s: all take effect, or none: %s", scenario, answers)
          .hasSize(1);
      assertThat(isRemovedBefore && tookEffect).as("what was removed before is seen").isFalse();
      for (ModelParticipant instance : instances) {
        assertThat(instance.versions).containsEntry("/shared", tookEffect ? 1 : 0);
        assertThat(instance.slot() != null).isEqualTo(tookEffect);
      }
      for (Op operation : scenario.operations()) {
        if (operation.getType() == OpCode.create) {
          for (int instance : FLATTENING.holdersOfParent(operation.getPath()).numbers()) {
            assertThat(instances.get(instance).versions.containsKey(operation.getPath()))
                .as("%s: %s was created with the rest", scenario, operation.getPath())
                .isEqualTo(tookEffect);
          }
        }
      }
    }
  }

  private static final CommandPlan.Tree TREE =
      new CommandPlan.Tree() {
        @Override
        public int nextNumber(String parent) {
          return 0;
        }

        @Override
        public @Nullable ZnodeOwner owner(String path) {
          return null;
        }

        @Override
        public boolean isShared(String path) {
          return !FLATTENING.holders(path).isSingle();
        }

        @Override
        public boolean isNumberReadable(String parent) {
          return !parent.equals("/unreadable");
        }

        @Override
        public boolean isTtlSupported() {
          return false;
        }
      };
}
