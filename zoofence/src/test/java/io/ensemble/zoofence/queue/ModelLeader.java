package io.ensemble.zoofence.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A leader: an execution, a connection to each instance, and outcomes to publish. */
final class ModelLeader implements QueueExecution.Work {
  record Item(long command, ModelTree.Act act, String name) {}

  /**
   * A transaction.
   *
   * @param previousVersion the version that the slot of the batch's previous command must have
   * @param batched whether the batcher made the batch
   */
  record Message(
      int instance,
      int epoch,
      CommandBatcher.Batch batch,
      List<Item> items,
      int previousVersion,
      boolean batched) {}

  private record Answer(Message message, int failed) {}

  private record Wanted(int instance, int epoch, long command) {}

  record Told(long command, boolean effect) {}

  final QueueExecution execution;
  final long term;
  final ArrayDeque<Told> unpublished = new ArrayDeque<>();
  final ArrayDeque<Long> published = new ArrayDeque<>();
  long nextArrival;
  private final ModelQueue world;
  private final int[] epochs;
  private final List<ArrayDeque<Message>> messages = new ArrayList<>();
  private final List<ArrayDeque<Answer>> answers = new ArrayList<>();
  private final List<CommandBatcher> batchers = new ArrayList<>();
  private final List<Map<Long, Integer>> slotVersions = new ArrayList<>();
  private final ArrayDeque<Wanted> unplanned = new ArrayDeque<>();
  private final Map<Long, String> names = new HashMap<>();
  private final Set<Long> unfinished = new HashSet<>();

  ModelLeader(ModelQueue world, long term) {
    this.world = world;
    this.term = term;
    this.execution = new QueueExecution(world.set, world.window, this);
    this.epochs = new int[world.instances.size()];
    for (int i = 0; i < epochs.length; i++) {
      messages.add(new ArrayDeque<>());
      answers.add(new ArrayDeque<>());
      batchers.add(new CommandBatcher(2, 1));
      slotVersions.add(new HashMap<>());
    }
    world.queue.keySet().forEach(this::arrives);
    nextArrival = world.created();
  }

  void arrives(long command) {
    execution.addCommand(command, way(command));
    nextArrival = command + 1;
  }

  /** Leaders may send different commands alone; all send sequential creations alone. */
  private QueueExecution.Way way(long command) {
    boolean alone = isNumbered(command) || (command * 31 + term * 17) % 5 == 0;
    return alone ? QueueExecution.Way.ALONE : QueueExecution.Way.BESIDE;
  }

  private boolean isNumbered(long command) {
    return world.act(command).kind() == ModelTree.Kind.NUMBERED;
  }

  boolean isUp(int instance) {
    return epochs[instance] != 0;
  }

  void reach(int instance) {
    ModelInstance there = world.instances.get(instance);
    epochs[instance] = there.raise(term);
    if (isUp(instance)) {
      for (long slot = 0; slot < world.window; slot++) {
        slotVersions.get(instance).put(slot, there.slotVersion(slot));
      }
      execution.addInstance(instance, there.slots());
    }
  }

  /** Requests in flight may still arrive, until the epoch is raised. */
  void lose(int instance) {
    epochs[instance] = 0;
    world.strays.addAll(messages.get(instance));
    messages.get(instance).clear();
    answers.get(instance).clear();
    batchers.get(instance).clear();
    execution.removeInstance(instance);
  }

  @Override
  public void apply(int instance, long command) {
    assertThat(isUp(instance)).as("commands go to who can be reached").isTrue();
    assertThat(command - world.queue.firstKey())
        .as("a slot is used again once its command is forgotten")
        .isLessThan(world.window);
    unfinished.add(command);
    if (unfinished.stream().anyMatch(one -> execution.dispatchMode(one).alone())) {
      assertThat(unfinished).as("what goes alone").containsExactly(command);
    }
    unplanned.add(new Wanted(instance, epochs[instance], command));
    if (!isNumbered(command) || names.containsKey(command)) {
      plan();
    }
  }

  /** Chooses the name for the next command, and sends the command. */
  boolean plan() {
    Wanted next = unplanned.poll();
    if (next == null) {
      return false;
    }
    ModelTree.Act act = world.act(next.command());
    DedupSlot slot = execution.slot(next.command());
    String name =
        names.computeIfAbsent(
            next.command(),
            key -> slot == null ? world.instances.get(0).tree.name(act) : slot.created().get(0));
    if (epochs[next.instance()] == next.epoch()) {
      var entry = new CommandBatcher.Entry(next.command(), name, 1);
      if (execution.dispatchMode(next.command()).alone()) {
        var single = new CommandBatcher.Batch(-1, List.of(entry), OptionalLong.empty());
        messages
            .get(next.instance())
            .add(new Message(next.instance(), next.epoch(), single, items(single), 0, false));
      } else {
        batchers.get(next.instance()).add(entry);
      }
    }
    return true;
  }

  private List<Item> items(CommandBatcher.Batch batch) {
    return batch.entries().stream()
        .map(
            entry ->
                new Item(
                    entry.number(), world.act(entry.number()), entry.exclusive().iterator().next()))
        .toList();
  }

  /** Sends the batches that are ready. */
  boolean send(int instance) {
    boolean sent = false;
    for (var batch = batchers.get(instance).next();
        batch != null;
        batch = batchers.get(instance).next()) {
      int version = -1;
      if (batch.previous().isPresent()) {
        long slot = batch.previous().getAsLong() % world.window;
        version = slotVersions.get(instance).getOrDefault(slot, 0) + 1;
      }
      messages
          .get(instance)
          .add(new Message(instance, epochs[instance], batch, items(batch), version, true));
      sent = true;
    }
    return sent;
  }

  /** Delivers the oldest message of the connection to the instance. */
  boolean deliver(int instance) {
    Message next = messages.get(instance).poll();
    if (next == null) {
      return false;
    }
    @Nullable Integer failed = world.take(next);
    if (failed == null) {
      lose(instance);
    } else {
      answers.get(instance).add(new Answer(next, failed));
    }
    return true;
  }

  boolean hear(int instance) {
    Answer next = answers.get(instance).poll();
    if (next == null) {
      return false;
    }
    boolean tookEffect = next.failed() == CommandBatcher.NONE;
    if (tookEffect) {
      next.message()
          .items()
          .forEach(
              item ->
                  slotVersions.get(instance).merge(item.command() % world.window, 1, Integer::sum));
    }
    if (!next.message().batched()
        || batchers.get(instance).recordResponse(next.message().batch(), next.failed())
            != CommandBatcher.Decision.REPEATED) {
      var results = new HashMap<Long, InstanceResult>();
      InstanceResult result =
          tookEffect
              ? new InstanceResult.Done(1, List.of())
              : new InstanceResult.Refused(List.of(-101));
      next.message().items().forEach(item -> results.put(item.command(), result));
      execution.recordResults(instance, results);
    }
    return true;
  }

  boolean publish() {
    Told next = unpublished.poll();
    if (next != null) {
      world.publish(next);
      published.add(next.command());
    }
    return next != null;
  }

  boolean forget() {
    Long next = published.poll();
    if (next != null) {
      execution.removeCommand(next);
    }
    return next != null;
  }

  /** Takes a random step that is possible at any time. */
  void step(Random random, boolean elected) {
    int instance = random.nextInt(epochs.length);
    switch (random.nextInt(22)) {
      case 0 -> {
        if (isUp(instance)) {
          lose(instance);
        }
      }
      case 1, 2, 3 -> {
        if (!isUp(instance)) {
          reach(instance);
        }
      }
      case 4, 5, 6 -> plan();
      case 17 -> {
        if (isUp(instance)) {
          send(instance);
        }
      }
      case 7, 8, 9, 10 -> deliver(instance);
      case 11, 12, 13, 14 -> hear(instance);
      case 15, 16 -> forget();
      default -> {
        if (elected) {
          publish();
        }
      }
    }
  }

  /** Takes steps until nothing is left to do. */
  void settle() {
    boolean more = true;
    while (more) {
      more = plan() | publish() | forget();
      for (int instance = 0; instance < epochs.length; instance++) {
        if (!isUp(instance)) {
          reach(instance);
          more = true;
        }
        more |= send(instance) | deliver(instance) | hear(instance);
      }
    }
  }

  @Override
  public void finish(long command, Map<Integer, InstanceResult> results) {
    unfinished.remove(command);
    assertThat(results).hasSize(epochs.length);
    unpublished.add(
        new Told(command, results.values().stream().anyMatch(ResultAgreement::tookEffect)));
  }

  @Override
  public void reportDisagreement(long command, Map<Integer, InstanceResult> results) {
    throw new AssertionError("command " + command + ": " + results);
  }
}
