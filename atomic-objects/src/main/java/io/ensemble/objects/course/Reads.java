package io.ensemble.objects.course;

import io.ensemble.objects.machine.Machine;
import io.ensemble.objects.machine.NotAppliedException;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Outcome;
import io.ensemble.objects.root.Root;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Calls that change nothing, waiting for a root that is young enough to be answered from. They have
 * a copy of the state to themselves: one that changes it after all does no harm beyond this
 * process's reads.
 */
final class Reads {

  private record Waiting(long id, Bytes call, long arrived) {}

  private final Machine machine;
  private final Layout layout;
  private final Replica view;
  private final List<Waiting> waiting = new ArrayList<>();

  Reads(Machine machine, Layout layout, Set<Rule> rules) {
    this.machine = machine;
    this.layout = layout;
    this.view = new Replica(machine, rules);
  }

  /**
   * @param arrived how many requests had been sent when it came: a root that was asked for later
   *     holds all that had ended before
   * @return false if too many wait already
   */
  boolean add(long id, Bytes call, long arrived) {
    return waiting.size() < layout.queued() && waiting.add(new Waiting(id, call, arrived));
  }

  boolean takeBack(long id) {
    return waiting.removeIf(w -> w.id == id);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Whether one of them needs a root that is asked for from now on. */
  boolean want(long evidence) {
    return waiting.stream().anyMatch(w -> w.arrived >= evidence);
  }

  /** Answers those that the root is young enough for; or tells which snapshot that needs. */
  Optional<UUID> answer(Root root, Sight sight, List<Effect> effects) {
    if (waiting.stream().allMatch(w -> w.arrived >= sight.evidence)) {
      return Optional.empty();
    }
    Optional<UUID> lacks = view.lacks(root);
    if (lacks.isPresent() && !sight.has(lacks.get())) {
      return lacks;
    }
    view.bring(root, sight.snapshot());
    List<Waiting> ready = waiting.stream().filter(w -> w.arrived < sight.evidence).toList();
    waiting.removeAll(ready);
    for (Waiting read : ready) {
      view.bring(root, sight.snapshot());
      effects.add(new Effect.Settle(read.id, verdict(read.call)));
    }
    return Optional.empty();
  }

  void endAll(List<Effect> effects, Verdict verdict) {
    waiting.forEach(w -> effects.add(new Effect.Settle(w.id, verdict)));
    waiting.clear();
  }

  private Verdict verdict(Bytes call) {
    try {
      long before = layout.comparing() ? machine.fingerprint(view.state()) : 0;
      Verdict verdict = new Verdict.Answered(Outcome.of(view.peek(call)));
      if (layout.comparing() && machine.fingerprint(view.state()) != before) {
        view.forget();
        return new Verdict.Refused("a method that is said to be read-only changes the state");
      }
      return verdict;
    } catch (NotAppliedException | UnreadableException e) {
      view.forget();
      return new Verdict.Refused(String.valueOf(e.getMessage()));
    }
  }
}
