package io.ensemble.objects.course;

import io.ensemble.objects.root.Member;
import io.ensemble.objects.root.Root;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Roots that follow another root and that no session wrote. */
public final class ForgedRoots {

  private ForgedRoots() {}

  /** The next root, with the same state. */
  public static Root withCombiner(Root root, @Nullable UUID combiner) {
    return next(root, root.members(), combiner);
  }

  /** The next root, in which each session has seven batches more than it began. */
  public static Root withFutureBatches(Root root) {
    List<Member> members =
        root.members().stream()
            .map(m -> new Member(m.session(), m.number() + 7, m.sequence(), m.outcomes()))
            .toList();
    return next(root, members, null);
  }

  private static Root next(Root root, List<Member> members, @Nullable UUID combiner) {
    return new Root(
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
