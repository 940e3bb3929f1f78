package io.ensemble.objects.protocol;

import io.ensemble.objects.machine.NotAppliedException;
import io.ensemble.objects.machine.StateMachine;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallOutcome;
import io.ensemble.objects.record.ObjectRoot;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Calls that change nothing and wait for a root that is recent enough to answer them. They have a
 * separate copy of the state: if such a call changes the copy after all, only the reads of this
 * process are affected.
 */
final class PendingReads {

  private record Waiting(long id, ByteString call, long arrived) {}

  private final StateMachine machine;
  private final ProtocolSettings protocolSettings;
  private final ObjectReplica view;
  private final List<Waiting> waiting = new ArrayList<>();

  PendingReads(StateMachine machine, ProtocolSettings protocolSettings, Set<SafetyRule> rules) {
    this.machine = machine;
    this.protocolSettings = protocolSettings;
    this.view = new ObjectReplica(machine, rules);
  }

  /**
   * @param arrived the number of requests that had been sent when the call arrived: a root that was
   *     requested later contains all calls that had ended before
   * @return false if too many calls wait already
   */
  boolean add(long id, ByteString call, long arrived) {
    return waiting.size() < protocolSettings.queued()
        && waiting.add(new Waiting(id, call, arrived));
  }

  boolean takeBack(long id) {
    return waiting.removeIf(w -> w.id == id);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Whether a waiting call needs a root that is requested from now on. */
  boolean want(long evidence) {
    return waiting.stream().anyMatch(w -> w.arrived >= evidence);
  }

  /**
   * Answers the calls for which the root is recent enough; or returns the snapshot that this needs.
   */
  Optional<UUID> answer(ObjectRoot root, RootView rootView, List<ProtocolEffect> effects) {
    if (waiting.stream().allMatch(w -> w.arrived >= rootView.evidence)) {
      return Optional.empty();
    }
    Optional<UUID> lacks = view.lacks(root);
    if (lacks.isPresent() && !rootView.has(lacks.get())) {
      return lacks;
    }
    view.bring(root, rootView.snapshot());
    List<Waiting> ready = waiting.stream().filter(w -> w.arrived < rootView.evidence).toList();
    waiting.removeAll(ready);
    for (Waiting read : ready) {
      view.bring(root, rootView.snapshot());
      effects.add(new ProtocolEffect.Settle(read.id, verdict(read.call)));
    }
    return Optional.empty();
  }

  void endAll(List<ProtocolEffect> effects, CallResult verdict) {
    waiting.forEach(w -> effects.add(new ProtocolEffect.Settle(w.id, verdict)));
    waiting.clear();
  }

  private CallResult verdict(ByteString call) {
    try {
      long before = protocolSettings.comparing() ? machine.fingerprint(view.state()) : 0;
      CallResult verdict = new CallResult.Answered(CallOutcome.of(view.peek(call)));
      if (protocolSettings.comparing() && machine.fingerprint(view.state()) != before) {
        view.forget();
        return new CallResult.Refused("a method declared read-only changes the state");
      }
      return verdict;
    } catch (NotAppliedException | UnreadableException e) {
      view.forget();
      return new CallResult.Refused(String.valueOf(e.getMessage()));
    }
  }
}
