package io.ensemble.objects.protocol;

import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.SessionEntry;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Roots that follow another root and that no session wrote. */
public final class ForgedRoots {

  private ForgedRoots() {}

  /** The next root, with the same state. */
  public static ObjectRoot withCombiner(ObjectRoot root, @Nullable UUID combiner) {
    return next(root, root.members(), combiner);
  }

  /** The next root, in which each session has seven batches more than it has begun. */
  public static ObjectRoot withFutureBatches(ObjectRoot root) {
    List<SessionEntry> members =
        root.members().stream()
            .map(m -> new SessionEntry(m.session(), m.number() + 7, m.sequence(), m.outcomes()))
            .toList();
    return next(root, members, null);
  }

  private static ObjectRoot next(
      ObjectRoot root, List<SessionEntry> members, @Nullable UUID combiner) {
    return new ObjectRoot(
        root.type(),
        root.birth(),
        root.sequence() + 1,
        root.position(),
        root.body(),
        members,
        root.horizon(),
        combiner,
        root.announced(),
        root.fingerprint());
  }
}
