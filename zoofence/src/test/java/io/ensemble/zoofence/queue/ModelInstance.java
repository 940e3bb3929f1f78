package io.ensemble.zoofence.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An instance: a tree, the queue's slots, and the epoch that guards both. */
final class ModelInstance {
  ModelTree tree = new ModelTree();
  final List<Long> effects = new ArrayList<>();
  private final TreeMap<Long, InstanceResult.Remembered> slots = new TreeMap<>();
  private final Map<Long, Integer> slotVersions = new HashMap<>();
  private final int window;
  private final boolean checksConditions;
  private long term;
  private long zxid;
  private int epoch;

  ModelInstance(int window, boolean checksConditions) {
    this.window = window;
    this.checksConditions = checksConditions;
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

  int slotVersion(long command) {
    return slotVersions.getOrDefault(command % window, 0);
  }

  /**
   * One transaction: the epoch's check, the condition, the commands and their slots.
   *
   * @return the position of the failure as a batcher counts; null if the epoch is over
   */
  @Nullable Integer take(ModelLeader.Message message) {
    if (message.epoch() != epoch) {
      return null;
    }
    OptionalLong previous = message.batch().previous();
    if (checksConditions
        && previous.isPresent()
        && slotVersion(previous.getAsLong()) != message.previousVersion()) {
      return CommandBatcher.CONDITION;
    }
    ModelTree changed = tree.copy();
    for (int position = 0; position < message.items().size(); position++) {
      ModelLeader.Item item = message.items().get(position);
      if (!changed.take(item.act(), item.name())) {
        return position;
      }
    }
    tree = changed;
    zxid++;
    message.items().forEach(this::record);
    return CommandBatcher.NONE;
  }

  private void record(ModelLeader.Item item) {
    long command = item.command();
    assertThat(effects.isEmpty() ? -1 : effects.get(effects.size() - 1))
        .as("each takes effect once, in the queue's order")
        .isLessThan(command);
    effects.add(command);
    slotVersions.merge(command % window, 1, Integer::sum);
    slots.put(
        command % window,
        new InstanceResult.Remembered(
            new DedupSlot(command, List.of(item.name()), List.of()), zxid));
  }
}
