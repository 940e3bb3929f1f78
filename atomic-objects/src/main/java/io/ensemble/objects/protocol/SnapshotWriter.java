package io.ensemble.objects.protocol;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.SnapshotAnnouncement;
import io.ensemble.objects.record.StateLocation;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots that this session writes, one at a time. One step announces the snapshot in the
 * root; then the session writes it; a later step refers to it after the store has acknowledged it.
 * A snapshot contains a decided state, so other sessions may continue meanwhile. A snapshot is
 * never written twice with different content.
 */
final class SnapshotWriter {

  private static final int MOST_DOUBLINGS = 6;

  /**
   * A snapshot that was written.
   *
   * @param of the root whose state it contains
   */
  private record Written(UUID snapshot, ObjectRoot of, ByteString state, boolean stored) {}

  private final UUID me;
  private final ProtocolSettings protocolSettings;
  private final Set<SafetyRule> rules;
  private final Supplier<UUID> names;
  private @Nullable Written written;
  private long triedAt;
  private long notBefore;
  private int failures;

  SnapshotWriter(
      UUID me, ProtocolSettings protocolSettings, Set<SafetyRule> rules, Supplier<UUID> names) {
    this.me = me;
    this.protocolSettings = protocolSettings;
    this.rules = rules;
    this.names = names;
  }

  /**
   * Whether {@code root} holds more than it should, so that a snapshot is due.
   *
   * @param snapshot the snapshot that the root refers to, if it does
   */
  boolean due(ObjectRoot root, @Nullable ByteString snapshot) {
    if (root.body() instanceof StateLocation.Inline inline) {
      return inline.state().size() > protocolSettings.inlineBytes();
    }
    return root.body() instanceof StateLocation.Stored stored
        && (isLong(stored, snapshot) || stored.tail().size() > ProtocolSettings.TAIL_STEPS);
  }

  /**
   * Each snapshot is written for several steps, and for calls that amount to some fraction of it.
   */
  private boolean isLong(StateLocation.Stored stored, @Nullable ByteString snapshot) {
    long bytes = stored.tailBytes();
    int part = snapshot == null ? 0 : snapshot.size() / ProtocolSettings.TAIL_PART;
    long wanted =
        Math.max(protocolSettings.tailBytes(), Math.min(part, ProtocolSettings.MOST_TAIL_BYTES));
    return bytes > Math.min(wanted, protocolSettings.rootBytes() / ProtocolSettings.ROOT_PART)
        && (stored.tail().size() >= protocolSettings.tailSteps()
            || bytes > ProtocolSettings.MOST_TAIL_BYTES);
  }

  /**
   * The name to announce with the next step, if a snapshot is due and no session is writing one.
   */
  Optional<UUID> toAnnounce(ObjectRoot root, @Nullable ByteString snapshot) {
    if (!due(root, snapshot) || root.sequence() < notBefore || saved(root).isPresent()) {
      return Optional.empty();
    }
    SnapshotAnnouncement announced = root.announced();
    boolean atIt =
        announced != null
            && root.sequence() - announced.sequence() < ProtocolSettings.ANNOUNCED_STEPS
            && (!announced.writer().equals(me) || !spoilt(root, announced));
    return atIt ? Optional.empty() : Optional.of(names.get());
  }

  /** The snapshot to write now, if this session has announced one that is not stored. */
  Optional<StoreRequest.Save> toSave(ObjectRoot root, Supplier<ByteString> state) {
    SnapshotAnnouncement announced = root.announced();
    if (announced == null
        || !announced.writer().equals(me)
        || spoilt(root, announced)
        || root.sequence() < notBefore) {
      return Optional.empty();
    }
    triedAt = root.sequence();
    if (written == null || !written.snapshot.equals(announced.snapshot())) {
      boolean early = !rules.contains(SafetyRule.SNAPSHOTS_COME_FIRST);
      written = new Written(announced.snapshot(), root, state.get(), early);
    }
    return written.stored
        ? Optional.empty()
        : Optional.of(new StoreRequest.Save(written.snapshot, written.state));
  }

  /** The store has acknowledged the snapshot. */
  void stored() {
    failures = 0;
    if (written != null) {
      written = new Written(written.snapshot, written.of, written.state, true);
    }
  }

  /**
   * The store has not acknowledged the snapshot. Calls must not wait for a write that may fail
   * forever, so the next attempts follow after increasing numbers of steps.
   */
  void failed() {
    failures = Math.min(failures + 1, MOST_DOUBLINGS);
    notBefore = triedAt + (1L << failures) - 1;
  }

  /** The content of the snapshot, when a root refers to it. */
  Optional<ByteString> adopted(UUID snapshot) {
    if (written == null || !written.snapshot.equals(snapshot)) {
      return Optional.empty();
    }
    ByteString state = written.state;
    written = null;
    return Optional.of(state);
  }

  /** The snapshot that the next step can refer to, if one is stored and fits {@code root}. */
  Optional<RootDraft.Saved> saved(ObjectRoot root) {
    SnapshotAnnouncement announced = root.announced();
    return written != null
            && written.stored
            && announced != null
            && announced.snapshot().equals(written.snapshot)
            && fits(root, written)
        ? Optional.of(
            new RootDraft.Saved(written.snapshot, written.of.sequence(), written.of.position()))
        : Optional.empty();
  }

  /** Whether the snapshot written under this name is useless by now. */
  private boolean spoilt(ObjectRoot root, SnapshotAnnouncement announced) {
    return written != null && written.snapshot.equals(announced.snapshot()) && !fits(root, written);
  }

  /** A snapshot of a step that the store has lost since then does not fit. */
  private static boolean fits(ObjectRoot root, Written written) {
    return root.continues(written.of);
  }
}
