package io.ensemble.zoofence.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An instance: a tree, the queue's slots, and the epoch that guards both. */
final class ModelInstance {
  final ModelTree tree = new ModelTree();
  final List<Long> effects = new ArrayList<>();
  private final TreeMap<Long, InstanceResult.Remembered> slots = new TreeMap<>();
  private final int window;
  private long term;
  private int epoch;

  ModelInstance(int window) {
    this.window = window;
  }

  /** Raises the epoch and returns it; 0 if a later leader has raised it before. */
  int raise(long byTerm) {
    if (term > byTerm) {
      return 0;
    }
    term = byTerm;
    return ++epoch;
  }

  NavigableMap<Long, InstanceResult.Remembered> slots() {
    var byCommand = new TreeMap<Long, InstanceResult.Remembered>();
    slots.values().forEach(one -> byCommand.put(one.slot().command(), one));
    return byCommand;
  }

  /** One transaction: the epoch's check, the command and its slot; null if the epoch is over. */
  @Nullable InstanceResult take(int asOf, long command, ModelTree.Act act, String name) {
    if (asOf != epoch) {
      return null;
    }
    if (!tree.take(act, name)) {
      return new InstanceResult.Refused(List.of(-101));
    }
    assertThat(effects.isEmpty() ? -1 : effects.get(effects.size() - 1))
        .as("each takes effect once, in the queue's order")
        .isLessThan(command);
    effects.add(command);
    long zxid = effects.size();
    slots.put(
        command % window,
        new InstanceResult.Remembered(new DedupSlot(command, List.of(name), List.of()), zxid));
    return new InstanceResult.Done(zxid, List.of());
  }
}
