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

/**
 * A copy of the state of an object, and the root that it belongs to. The copy is used for another
 * root only if that root {@linkplain ObjectRoot#continues continues} this one: a store may lose a
 * step that it has shown, and another step has that number then.
 */
final class ObjectReplica {

  private final StateMachine machine;
  private final Set<SafetyRule> rules;
  private @Nullable Object state;
  private @Nullable ObjectRoot at;
  private long position;

  ObjectReplica(StateMachine machine, Set<SafetyRule> rules) {
    this.machine = machine;
    this.rules = rules;
  }

  /** The snapshot that is needed to bring this copy to {@code root}; empty if none is. */
  Optional<UUID> lacks(ObjectRoot root) {
    return root.body() instanceof StateLocation.Stored stored && !isAt(root) && !canFollow(root)
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
        load(inline.state(), root.position());
      } else if (root.body() instanceof StateLocation.Stored stored) {
        long from = at == null ? 0 : at.sequence();
        if (!canFollow(root)) {
          ByteString bytes = Objects.requireNonNull(snapshot, "the snapshot must be fetched first");
          load(bytes, stored.position());
          from = stored.at();
        }
        follow(root, stored, from);
      } else {
        throw new AssertionError("an object that was disposed of has no state");
      }
      at = root;
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
    at = root;
    if (position != root.position()) {
      throw new AssertionError("at call " + position + ", the root at " + root.position());
    }
  }

  /** Discards the copy, which may be in any state. */
  void forget() {
    state = null;
    at = null;
  }

  boolean isAt(ObjectRoot root) {
    return at != null && root.sequence() == at.sequence() && root.continues(at);
  }

  Object state() {
    return Objects.requireNonNull(state, "no state is loaded");
  }

  private boolean canFollow(ObjectRoot root) {
    if (at == null) {
      return false;
    }
    boolean hasGap =
        root.body() instanceof StateLocation.Stored stored && at.sequence() < stored.at();
    return hasGap && !rules.contains(SafetyRule.GAPS_ARE_FILLED)
        ? at.birth().equals(root.birth())
        : !hasGap && root.continues(at);
  }

  /** Applies the steps of the tail after step {@code sequence}. */
  private void follow(ObjectRoot root, StateLocation.Stored stored, long sequence) {
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

  private void load(ByteString bytes, long newPosition) {
    state = machine.load(bytes.array());
    position = newPosition;
  }
}
