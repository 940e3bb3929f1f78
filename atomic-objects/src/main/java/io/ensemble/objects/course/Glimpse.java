package io.ensemble.objects.course;

import io.ensemble.objects.machine.Machine;
import io.ensemble.objects.root.Body;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Root;
import java.util.EnumSet;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An object's state after one root, for whoever looks at it once, without a session. */
public final class Glimpse {

  private Glimpse() {}

  /** Which snapshot is needed beside {@code root}; empty if none is. */
  public static Optional<UUID> snapshot(Root root) {
    return root.body() instanceof Body.Stored stored
        ? Optional.of(stored.snapshot())
        : Optional.empty();
  }

  /**
   * A copy of the state.
   *
   * @param snapshot the one that is needed
   * @throws io.ensemble.objects.machine.UnreadableException if the state cannot be read
   */
  public static Object state(Machine machine, Root root, @Nullable Bytes snapshot) {
    Replica replica = new Replica(machine, EnumSet.allOf(Rule.class));
    replica.bring(root, snapshot);
    return replica.state();
  }
}
