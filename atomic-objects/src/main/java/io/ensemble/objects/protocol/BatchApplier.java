package io.ensemble.objects.protocol;

import io.ensemble.objects.machine.NotAppliedException;
import io.ensemble.objects.machine.StateMachine;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.CallOutcome;
import io.ensemble.objects.record.ObjectRoot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Applies batches to a copy of the state. A call that cannot be applied leaves no trace: the copy
 * is made again, and all other calls are applied once more. So a step ends with every call either
 * applied or declined, whatever methods and codecs do.
 */
final class BatchApplier {

  /** The effect of a step on the object. */
  record Applied(
      Map<CallBatch, List<CallOutcome>> outcomes, List<ByteString> calls, ByteString state) {}

  private record Place(CallBatch batch, int call) {}

  private final StateMachine machine;
  private final ProtocolSettings protocolSettings;
  private final ObjectReplica work;
  private final ObjectRoot root;
  private final @Nullable ByteString snapshot;
  private final Map<Place, String> declined = new HashMap<>();
  private final Set<CallBatch> left = new HashSet<>();
  private boolean careful;

  BatchApplier(
      StateMachine machine,
      ProtocolSettings protocolSettings,
      ObjectReplica work,
      ObjectRoot root,
      @Nullable ByteString snapshot) {
    this.machine = machine;
    this.protocolSettings = protocolSettings;
    this.work = work;
    this.root = root;
    this.snapshot = snapshot;
  }

  /**
   * Brings the copy to the root and applies the batches, in order.
   *
   * @param own the batch of this process, if it is among them: a call of it that this process
   *     cannot read is declined, while a batch of another process would be left to that process
   * @param storing whether the state is to be written
   */
  Applied apply(List<CallBatch> batches, @Nullable CallBatch own, boolean storing) {
    while (true) {
      Applied applied = attempt(batches, own, storing);
      if (applied != null
          && (!protocolSettings.comparing() || comparedAlike(applied, batches, own))) {
        return applied;
      }
      work.forget();
    }
  }

  /**
   * Reduces a step that is too large: leaves all batches but one to their owners, or declines the
   * later half of the calls of that batch. False if no call is left. The copy is made again.
   */
  boolean lighten(List<CallBatch> batches, @Nullable CallBatch own, String why) {
    work.forget();
    CallBatch kept = own == null ? batches.get(0) : own;
    boolean others = false;
    for (CallBatch batch : batches) {
      others |= batch != kept && left.add(batch);
    }
    if (others) {
      return true;
    }
    List<Place> rest =
        IntStream.range(0, kept.calls().size())
            .mapToObj(i -> new Place(kept, i))
            .filter(p -> !declined.containsKey(p))
            .toList();
    rest.subList(rest.size() / 2, rest.size()).forEach(p -> declined.put(p, why));
    return !rest.isEmpty();
  }

  /** Null if a call was declined or a batch was left out, so that the copy is unusable. */
  private @Nullable Applied attempt(
      List<CallBatch> batches, @Nullable CallBatch own, boolean storing) {
    work.bring(root, snapshot);
    Map<CallBatch, List<CallOutcome>> outcomes = new LinkedHashMap<>();
    List<ByteString> calls = new ArrayList<>();
    int size = careful ? sizeNow() : 0;
    for (CallBatch batch : batches) {
      if (left.contains(batch)) {
        continue;
      }
      List<CallOutcome> answers = new ArrayList<>();
      for (int i = 0; i < batch.calls().size(); i++) {
        Place place = new Place(batch, i);
        String reason = declined.get(place);
        if (reason != null) {
          answers.add(CallOutcome.declined(reason));
          continue;
        }
        ByteString answer = one(place, batch == own, size);
        if (answer == null) {
          return null;
        }
        answers.add(new CallOutcome(true, answer));
        calls.add(batch.calls().get(i));
        size = careful ? sizeNow() : 0;
      }
      outcomes.put(batch, answers);
    }
    return checked(new Applied(outcomes, calls, ByteString.EMPTY), storing && !calls.isEmpty());
  }

  private @Nullable ByteString one(Place place, boolean mine, int sizeBefore) {
    try {
      byte[] answer = work.apply(place.batch.calls().get(place.call));
      if (answer.length > protocolSettings.resultBytes()) {
        return decline(
            place,
            "the call returns "
                + answer.length
                + " bytes; at most "
                + protocolSettings.resultBytes());
      }
      if (careful) {
        int size = machine.store(work.state()).length;
        if (size > protocolSettings.stateBytes() && size > sizeBefore) {
          return decline(place, tooLarge(size));
        }
      }
      return ByteString.of(answer);
    } catch (NotAppliedException e) {
      return decline(place, String.valueOf(e.getMessage()));
    } catch (UnreadableException e) {
      if (!mine) {
        left.add(place.batch);
        return null;
      }
      return decline(place, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Writes the state if required. If the state is too large or cannot be written, the next attempt
   * checks after each call, to find the call that causes this.
   */
  private @Nullable Applied checked(Applied applied, boolean storing) {
    if (!storing) {
      return applied;
    }
    try {
      ByteString state = ByteString.of(machine.store(work.state()));
      if (state.size() > protocolSettings.stateBytes() && !careful) {
        careful = true;
        return null;
      }
      return new Applied(applied.outcomes, applied.calls, state);
    } catch (NotAppliedException e) {
      if (careful) {
        throw new AssertionError("the state after the last call of the batch cannot be encoded", e);
      }
      careful = true;
      return null;
    }
  }

  /** The size of the state; {@code Integer.MAX_VALUE} if the state cannot be written. */
  private int sizeNow() {
    try {
      return machine.store(work.state()).length;
    } catch (NotAppliedException e) {
      return Integer.MAX_VALUE;
    }
  }

  /** Applies all calls to a second copy. True if both results are equal. */
  private boolean comparedAlike(Applied applied, List<CallBatch> batches, @Nullable CallBatch own) {
    long mark = machine.fingerprint(work.state());
    work.forget();
    Applied again = attempt(batches, own, applied.state != ByteString.EMPTY);
    if (again == null) {
      return false;
    }
    if (mark == machine.fingerprint(work.state()) && applied.outcomes.equals(again.outcomes)) {
      return true;
    }
    String why =
        "applied twice to the same state, the call returned different results: the method must "
            + "depend on state and arguments only (no clock, randomness or identity)";
    for (CallBatch batch : applied.outcomes.keySet()) {
      for (int i = 0; i < batch.calls().size(); i++) {
        declined.putIfAbsent(new Place(batch, i), why);
      }
    }
    return false;
  }

  private @Nullable ByteString decline(Place place, String why) {
    declined.put(place, why);
    return null;
  }

  private String tooLarge(int size) {
    return "the call makes the "
        + "state "
        + size
        + " bytes large; at most "
        + protocolSettings.stateBytes();
  }
}
