package io.ensemble.objects.course;

import io.ensemble.objects.root.Announced;
import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Body;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Member;
import io.ensemble.objects.root.Outcome;
import io.ensemble.objects.root.Root;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The next root: what follows from a root and what is applied to it. Calculation only.
 *
 * @param next the root
 * @param forgotten the sessions that it remembers no more
 * @param unused the snapshots that no root refers to once this one is there
 */
record Draft(Root next, List<UUID> forgotten, List<UUID> unused) {

  /** A snapshot that is stored, of the state after step {@code at}. */
  record Saved(UUID snapshot, long at, long position) {}

  static Draft of(
      Root root,
      Drafting.Applied applied,
      @Nullable UUID combiner,
      Optional<Saved> saved,
      Optional<UUID> announcing,
      UUID writer,
      Layout layout,
      Set<Rule> rules,
      long fingerprint) {
    long sequence = root.sequence() + 1;
    Body body = body(root, applied, saved);
    List<UUID> unused = new ArrayList<>();
    if (root.body() instanceof Body.Stored before
        && !(body instanceof Body.Stored after && after.snapshot().equals(before.snapshot()))) {
      unused.add(before.snapshot());
    }
    Announced announced = root.announced();
    if (announced != null && saved.isPresent()) {
      announced = null;
    }
    if (announcing.isPresent()) {
      if (announced != null) {
        unused.add(announced.snapshot());
      }
      announced = new Announced(announcing.get(), writer, sequence);
    }
    List<UUID> forgotten = new ArrayList<>();
    List<Member> members = new ArrayList<>(root.members());
    for (Map.Entry<Batch, List<Outcome>> entry : applied.outcomes().entrySet()) {
      Batch batch = entry.getKey();
      members.removeIf(m -> m.session().equals(batch.session()));
      if (rules.contains(Rule.CALLS_ARE_REMEMBERED)) {
        members.add(new Member(batch.session(), batch.number(), sequence, entry.getValue()));
      } else {
        members.add(new Member(batch.session(), 0, sequence, entry.getValue()));
      }
    }
    long horizon = root.horizon();
    int served = applied.outcomes().size();
    long bytes = bytes(body, members);
    while (members.size() > layout.members()
        || bytes > layout.rootBytes() && members.size() > served) {
      Member oldest = members.remove(0);
      bytes -= bytes(oldest);
      horizon = Math.max(horizon, oldest.sequence());
      forgotten.add(oldest.session());
    }
    Root next =
        new Root(
            root.type(),
            root.birth(),
            sequence,
            root.position() + applied.calls().size(),
            body,
            members,
            horizon,
            combiner,
            announced,
            fingerprint);
    return new Draft(next, forgotten, unused);
  }

  /** Whether calls of others than {@code session} were applied. */
  boolean served(UUID session) {
    return next.members().stream()
        .anyMatch(m -> m.sequence() == next.sequence() && !m.session().equals(session));
  }

  /** About how large the root is. */
  long bytes() {
    return bytes(next.body(), next.members());
  }

  private static long bytes(Body body, List<Member> members) {
    long ofBody = body instanceof Body.Stored stored ? stored.tailBytes() : 0;
    if (body instanceof Body.Inline inline) {
      ofBody = inline.state().size();
    }
    return ofBody + members.stream().mapToLong(Draft::bytes).sum();
  }

  private static long bytes(Member member) {
    return 36 + member.outcomes().stream().mapToLong(o -> 5 + o.bytes().size()).sum();
  }

  /** Whether the state is written into the root: it was there, or it fits again. */
  static boolean inline(Root root, Optional<Saved> saved) {
    return root.body() instanceof Body.Inline && saved.isEmpty();
  }

  private static Body body(Root root, Drafting.Applied applied, Optional<Saved> saved) {
    if (root.body() instanceof Body.Inline inline) {
      if (saved.isPresent()) {
        return new Body.Stored(
            saved.get().snapshot(),
            saved.get().at(),
            saved.get().position(),
            List.of(applied.calls()));
      }
      return applied.calls().isEmpty() ? inline : new Body.Inline(applied.state());
    }
    Body.Stored stored = (Body.Stored) root.body();
    List<List<Bytes>> tail = new ArrayList<>(stored.tail());
    tail.add(applied.calls());
    if (saved.isEmpty()) {
      return new Body.Stored(stored.snapshot(), stored.at(), stored.position(), tail);
    }
    int covered = (int) (saved.get().at() - stored.at());
    return new Body.Stored(
        saved.get().snapshot(),
        saved.get().at(),
        saved.get().position(),
        tail.subList(covered, tail.size()));
  }
}
