package io.ensemble.objects.protocol;

import io.ensemble.objects.machine.NotAppliedException;
import io.ensemble.objects.machine.StateMachine;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.StateLocation;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A copy of the state of an object, and the step that led to this state. */
final class ObjectReplica {

  private final StateMachine machine;
  private final Set<SafetyRule> rules;
  private @Nullable Object state;
  private @Nullable UUID birth;
  private long sequence;
  private long position;

  ObjectReplica(StateMachine machine, Set<SafetyRule> rules) {
    this.machine = machine;
    this.rules = rules;
  }

  /** The snapshot that is needed to bring this copy to {@code root}; empty if none is. */
  Optional<UUID> lacks(ObjectRoot root) {
    return root.body() instanceof StateLocation.Stored stored
            && !isAt(root)
            && !canFollow(root, stored)
        ? Optional.of(stored.snapshot())
        : Optional.empty();
  }

  /**
   * Brings this copy to the state after {@code root}.
   *
   * @param snapshot the snapshot that this copy {@linkplain #lacks lacks}
   * @throws UnreadableException if the state cannot be read; this copy is then empty
   */
  void bring(ObjectRoot root, @Nullable ByteString snapshot) {
    if (isAt(root)) {
      return;
    }
    try {
      if (root.body() instanceof StateLocation.Inline inline) {
        load(root.birth(), inline.state(), root.sequence(), root.position());
      } else if (root.body() instanceof StateLocation.Stored stored) {
        if (!canFollow(root, stored)) {
          ByteString bytes = Objects.requireNonNull(snapshot, "the snapshot must be fetched first");
          load(root.birth(), bytes, stored.at(), stored.position());
        }
        follow(root, stored);
      } else {
        throw new AssertionError("an object that was disposed of has no state");
      }
    } catch (RuntimeException e) {
      forget();
      throw e;
    }
  }

  /** Applies a call to the copy. Throws as {@link StateMachine#apply} does. */
  byte[] apply(ByteString call) {
    byte[] outcome = machine.apply(state(), call.array(), position + 1);
    position++;
    return outcome;
  }

  /** Applies a call that changes nothing. Throws as {@link StateMachine#apply} does. */
  byte[] peek(ByteString call) {
    return machine.peek(state(), call.array(), position);
  }

  /** Records that the applied calls have brought the copy to the state after {@code root}. */
  void hasBecome(ObjectRoot root) {
    birth = root.birth();
    sequence = root.sequence();
    if (position != root.position()) {
      throw new AssertionError("at call " + position + ", the root at " + root.position());
    }
  }

  /** Discards the copy, which may be in any state. */
  void forget() {
    state = null;
    birth = null;
  }

  boolean isAt(ObjectRoot root) {
    return state != null && root.birth().equals(birth) && root.sequence() == sequence;
  }

  Object state() {
    return Objects.requireNonNull(state, "no state is loaded");
  }

  private boolean canFollow(ObjectRoot root, StateLocation.Stored stored) {
    return state != null
        && root.birth().equals(birth)
        && sequence <= root.sequence()
        && (sequence >= stored.at() || !rules.contains(SafetyRule.GAPS_ARE_FILLED));
  }

  private void follow(ObjectRoot root, StateLocation.Stored stored) {
    List<List<ByteString>> tail = stored.tail();
    int from = (int) Math.max(0, sequence - stored.at());
    for (List<ByteString> step : tail.subList(from, tail.size())) {
      for (ByteString call : step) {
        try {
          apply(call);
        } catch (NotAppliedException e) {
          throw new UnreadableException(
              "a call that another process applied cannot be applied by this "
                  + "process: "
                  + e.getMessage(),
              e);
        }
      }
    }
    sequence = root.sequence();
    if (position != root.position() && rules.contains(SafetyRule.GAPS_ARE_FILLED)) {
      throw new AssertionError("at call " + position + ", the root at " + root.position());
    }
    if (root.fingerprint() != 0 && machine.fingerprint(state()) != root.fingerprint()) {
      throw new UnreadableException(
          "this process computed another state than the process that made step "
              + root.sequence()
              + ": a method depends on more than state and arguments",
          null);
    }
  }

  private void load(UUID newBirth, ByteString bytes, long newSequence, long newPosition) {
    state = machine.load(bytes.array());
    birth = newBirth;
    sequence = newSequence;
    position = newPosition;
  }
}
