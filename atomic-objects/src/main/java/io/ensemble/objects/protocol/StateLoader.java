package io.ensemble.objects.protocol;

import io.ensemble.objects.machine.StateMachine;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.StateLocation;
import java.util.EnumSet;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Loads the state of an object after one root, for a single read without a session. */
public final class StateLoader {

  private StateLoader() {}

  /** The snapshot that is needed beside {@code root}; empty if none is. */
  public static Optional<UUID> snapshot(ObjectRoot root) {
    return root.body() instanceof StateLocation.Stored stored
        ? Optional.of(stored.snapshot())
        : Optional.empty();
  }

  /**
   * Returns a copy of the state.
   *
   * @param snapshot the snapshot that is needed
   * @throws io.ensemble.objects.machine.UnreadableException if the state cannot be read
   */
  public static Object state(StateMachine machine, ObjectRoot root, @Nullable ByteString snapshot) {
    ObjectReplica replica = new ObjectReplica(machine, EnumSet.allOf(SafetyRule.class));
    replica.bring(root, snapshot);
    return replica.state();
  }
}
