package io.ensemble.objects.protocol;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.CallOutcome;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.SessionEntry;
import io.ensemble.objects.record.SnapshotAnnouncement;
import io.ensemble.objects.record.StateLocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The next root, computed from a root and the batches applied to it. A pure calculation.
 *
 * @param next the root
 * @param forgotten the sessions that the next root no longer remembers
 * @param unused the snapshots that no root refers to after this one
 */
record RootDraft(ObjectRoot next, List<UUID> forgotten, List<UUID> unused) {

  /** A stored snapshot, of the state after step {@code at}. */
  record Saved(UUID snapshot, long at, long position) {}

  static RootDraft of(
      ObjectRoot root,
      BatchApplier.Applied applied,
      @Nullable UUID combiner,
      Optional<Saved> saved,
      Optional<UUID> announcing,
      UUID writer,
      ProtocolSettings protocolSettings,
      Set<SafetyRule> rules,
      long fingerprint) {
    long sequence = root.sequence() + 1;
    StateLocation body = body(root, applied, saved);
    List<UUID> unused = new ArrayList<>();
    if (root.body() instanceof StateLocation.Stored before
        && !(body instanceof StateLocation.Stored after
            && after.snapshot().equals(before.snapshot()))) {
      unused.add(before.snapshot());
    }
    SnapshotAnnouncement announced = root.announced();
    if (announced != null && saved.isPresent()) {
      announced = null;
    }
    if (announcing.isPresent()) {
      if (announced != null) {
        unused.add(announced.snapshot());
      }
      announced = new SnapshotAnnouncement(announcing.get(), writer, sequence);
    }
    List<UUID> forgotten = new ArrayList<>();
    List<SessionEntry> members = new ArrayList<>(root.members());
    for (Map.Entry<CallBatch, List<CallOutcome>> entry : applied.outcomes().entrySet()) {
      CallBatch batch = entry.getKey();
      members.removeIf(m -> m.session().equals(batch.session()));
      if (rules.contains(SafetyRule.CALLS_ARE_REMEMBERED)) {
        members.add(new SessionEntry(batch.session(), batch.number(), sequence, entry.getValue()));
      } else {
        members.add(new SessionEntry(batch.session(), 0, sequence, entry.getValue()));
      }
    }
    long horizon = root.horizon();
    int served = applied.outcomes().size();
    long bytes = bytes(body, members);
    while (members.size() > protocolSettings.members()
        || bytes > protocolSettings.rootBytes() && members.size() > served) {
      SessionEntry oldest = members.remove(0);
      bytes -= bytes(oldest);
      horizon = Math.max(horizon, oldest.sequence());
      forgotten.add(oldest.session());
    }
    ObjectRoot next =
        new ObjectRoot(
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
    return new RootDraft(next, forgotten, unused);
  }

  /** Whether calls of sessions other than {@code session} were applied. */
  boolean served(UUID session) {
    return next.members().stream()
        .anyMatch(m -> m.sequence() == next.sequence() && !m.session().equals(session));
  }

  /** The approximate size of the root. */
  long bytes() {
    return bytes(next.body(), next.members());
  }

  private static long bytes(StateLocation body, List<SessionEntry> members) {
    long ofBody = body instanceof StateLocation.Stored stored ? stored.tailBytes() : 0;
    if (body instanceof StateLocation.Inline inline) {
      ofBody = inline.state().size();
    }
    return ofBody + members.stream().mapToLong(RootDraft::bytes).sum();
  }

  private static long bytes(SessionEntry sessionEntry) {
    return 36 + sessionEntry.outcomes().stream().mapToLong(o -> 5 + o.bytes().size()).sum();
  }

  /**
   * Whether the state is written into the root: it is in the root now, and no snapshot of it is
   * stored.
   */
  static boolean inline(ObjectRoot root, Optional<Saved> saved) {
    return root.body() instanceof StateLocation.Inline && saved.isEmpty();
  }

  private static StateLocation body(
      ObjectRoot root, BatchApplier.Applied applied, Optional<Saved> saved) {
    if (root.body() instanceof StateLocation.Inline inline) {
      if (saved.isPresent()) {
        return new StateLocation.Stored(
            saved.get().snapshot(),
            saved.get().at(),
            saved.get().position(),
            List.of(applied.calls()));
      }
      return applied.calls().isEmpty() ? inline : new StateLocation.Inline(applied.state());
    }
    StateLocation.Stored stored = (StateLocation.Stored) root.body();
    List<List<ByteString>> tail = new ArrayList<>(stored.tail());
    tail.add(applied.calls());
    if (saved.isEmpty()) {
      return new StateLocation.Stored(stored.snapshot(), stored.at(), stored.position(), tail);
    }
    int covered = (int) (saved.get().at() - stored.at());
    return new StateLocation.Stored(
        saved.get().snapshot(),
        saved.get().at(),
        saved.get().position(),
        tail.subList(covered, tail.size()));
  }
}
