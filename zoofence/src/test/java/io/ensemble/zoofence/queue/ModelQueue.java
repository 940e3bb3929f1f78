package io.ensemble.zoofence.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.InstanceSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A queue, the instances of its set, its leaders, and messages of lost connections. */
final class ModelQueue {
  final InstanceSet set;
  final int window;
  final List<ModelInstance> instances = new ArrayList<>();
  final TreeMap<Long, ModelTree.Act> queue = new TreeMap<>();
  final List<ModelLeader.Message> strays = new ArrayList<>();
  final TreeMap<Long, Boolean> told = new TreeMap<>();
  private final List<ModelTree.Act> all = new ArrayList<>();
  private ModelLeader leader;
  private @Nullable ModelLeader former;
  private long heldBack;

  /**
   * @param checksConditions false plants a bug: a transaction behind a failed batch takes effect
   */
  ModelQueue(int size, int window, boolean checksConditions) {
    this.set = InstanceSet.first(size);
    this.window = window;
    for (int i = 0; i < size; i++) {
      instances.add(new ModelInstance(window, checksConditions));
    }
    leader = new ModelLeader(this, 1);
  }

  long created() {
    return all.size();
  }

  ModelTree.Act act(long command) {
    return all.get((int) command);
  }

  void create(ModelTree.Act act) {
    queue.put(created(), act);
    all.add(act);
  }

  @Nullable Integer take(ModelLeader.Message message) {
    return instances.get(message.instance()).take(message);
  }

  void publish(ModelLeader.Told outcome) {
    assertThat(told.isEmpty() || told.lastKey() < outcome.command())
        .as("command %s is told once, in order, after %s", outcome.command(), told.keySet())
        .isTrue();
    told.put(outcome.command(), outcome.effect());
    assertThat(queue.remove(outcome.command())).isNotNull();
  }

  /** Makes another leader. The former one continues, but can no longer publish. */
  void succeed() {
    former = leader;
    heldBack = created();
    leader = new ModelLeader(this, leader.term + 1);
  }

  void step(Random random) {
    switch (random.nextInt(25)) {
      case 0, 1, 2 -> create(ModelTree.Act.random(random));
      case 3, 4, 5 -> arrive(leader, created());
      case 6 -> {
        if (random.nextInt(8) == 0) {
          succeed();
        }
      }
      case 7, 8 -> {
        if (!strays.isEmpty()) {
          take(strays.remove(0));
        }
      }
      case 9 -> {
        if (!strays.isEmpty()) {
          strays.remove(strays.size() - 1);
        }
      }
      case 10, 11, 12 -> {
        if (former != null) {
          arrive(former, heldBack);
          former.step(random, false);
        }
      }
      default -> leader.step(random, true);
    }
  }

  private void arrive(ModelLeader one, long before) {
    if (one.nextArrival < before && queue.containsKey(one.nextArrival)) {
      one.arrives(one.nextArrival);
    }
  }

  /** Takes all remaining steps without further faults. */
  void settle() {
    while (leader.nextArrival < created()) {
      arrive(leader, created());
    }
    leader.settle();
  }

  /** Compares the result with one server that executes all commands in order. */
  void check() {
    var tree = new ModelTree();
    var effects = new ArrayList<Long>();
    for (long command = 0; command < created(); command++) {
      boolean effect = tree.take(act(command), tree.name(act(command)));
      if (effect) {
        effects.add(command);
      }
      assertThat(told.get(command)).as("outcome of %s", command).isEqualTo(effect);
    }
    assertThat(queue).isEmpty();
    assertThat(leader.execution.size()).isZero();
    for (ModelInstance instance : instances) {
      assertThat(instance.effects).isEqualTo(effects);
      assertThat(instance.tree).hasToString(tree.toString());
    }
  }
}
