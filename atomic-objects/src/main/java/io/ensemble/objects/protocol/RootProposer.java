package io.ensemble.objects.protocol;

import io.ensemble.objects.machine.NextCaller;
import io.ensemble.objects.machine.NextCaller.ExpectedCall;
import io.ensemble.objects.machine.NotAppliedException;
import io.ensemble.objects.machine.StateMachine;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.protocol.PendingCalls.Own;
import io.ensemble.objects.protocol.RootView.Told;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.SessionEntry;
import io.ensemble.objects.record.SnapshotAnnouncement;
import io.ensemble.objects.record.StateLocation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes the next step. Holds the copy of the state to which calls are applied, and the last
 * proposed root.
 */
final class RootProposer {

  private final StateMachine machine;
  private final UUID me;
  private final ProtocolSettings protocolSettings;
  private final Set<SafetyRule> rules;
  private final ObjectReplica work;
  private final SnapshotWriter snapshotWriter;
  private final Map<UUID, Long> unreadable = new HashMap<>();
  private @Nullable RootDraft proposed;

  RootProposer(
      StateMachine machine,
      UUID me,
      ProtocolSettings protocolSettings,
      Set<SafetyRule> rules,
      Supplier<UUID> names) {
    this.machine = machine;
    this.me = me;
    this.protocolSettings = protocolSettings;
    this.rules = rules;
    this.work = new ObjectReplica(machine, rules);
    this.snapshotWriter = new SnapshotWriter(me, protocolSettings, rules, names);
  }

  /** Whether this process has found that it cannot read a batch of another process. */
  boolean cannotRead(CallBatch batch) {
    return batch.number() == unreadable.getOrDefault(batch.session(), 0L);
  }

  /**
   * The root that an event reported, if the next swap of a batch can be built on it. The root may
   * be undecided, so only a swap, which compares, may follow from it.
   */
  @Nullable Told buildable(RootView rootView, Own own) {
    Told told = rootView.told;
    if (told == null || told.root().standing(own.batch) != ObjectRoot.Standing.NEW) {
      return null;
    }
    SnapshotAnnouncement announced = told.root().announced();
    boolean saves = announced != null && announced.writer().equals(me);
    boolean fetches =
        told.root().body() instanceof StateLocation.Stored s && !rootView.has(s.snapshot());
    return saves || fetches ? null : told;
  }

  /**
   * The next request, so that {@code batches} take effect: read or write a snapshot, or swap the
   * root. Empty if this process can read none of the batches.
   *
   * @param token identifies the version of the root at the store
   * @param own the batch of this session, if it is among them
   * @param combiner the session that combines from this step on
   */
  Optional<StoreRequest> next(
      RootView rootView,
      ObjectRoot root,
      Object token,
      List<CallBatch> batches,
      @Nullable CallBatch own,
      @Nullable UUID combiner) {
    if (root.body() instanceof StateLocation.Stored stored && !rootView.has(stored.snapshot())) {
      // Fetched even if the copy could follow without it: a call may spoil the copy, which is then
      // made again.
      return Optional.of(new StoreRequest.Fetch(stored.snapshot()));
    }
    work.bring(root, rootView.snapshot());
    Optional<StoreRequest> save = save(root);
    if (save.isPresent()) {
      return save;
    }
    Optional<RootDraft.Saved> saved = snapshotWriter.saved(root);
    ExpectedCall expectedBefore = machine.expectedCall(work.state());
    BatchApplier drafting =
        new BatchApplier(machine, protocolSettings, work, root, rootView.snapshot());
    boolean storing =
        RootDraft.inline(root, saved)
            || snapshotWriter.due(root, rootView.snapshot())
            || isLarge(root, rootView)
            || protocolSettings.comparing();
    RootDraft draft;
    do {
      BatchApplier.Applied applied = drafting.apply(batches, own, storing);
      if (unreadable.size() > protocolSettings.members()) {
        unreadable.clear();
      }
      batches.stream()
          .filter(b -> !applied.outcomes().containsKey(b))
          .forEach(b -> unreadable.put(b.session(), b.number()));
      if (applied.outcomes().isEmpty() && !batches.isEmpty()) {
        return Optional.empty();
      }
      long mark = protocolSettings.comparing() ? machine.fingerprint(work.state()) : 0;
      draft =
          RootDraft.of(
              root,
              applied,
              combinerAfter(root, expectedBefore, batches, combiner),
              saved,
              snapshotWriter.toAnnounce(root, rootView.snapshot()),
              me,
              protocolSettings,
              rules,
              mark);
    } while (isTooLarge(draft, drafting, batches, own));
    work.hasBecome(draft.next());
    proposed = draft;
    return Optional.of(new StoreRequest.Swap(token, draft.next()));
  }

  /**
   * The combiner after a step. If the step has changed which session the state expects to make the
   * next call, and others wait for that call or take part in the step, it is that session, provided
   * that others know it. A combiner that resigns is not replaced.
   */
  private @Nullable UUID combinerAfter(
      ObjectRoot root,
      @Nullable ExpectedCall before,
      List<CallBatch> batches,
      @Nullable UUID combiner) {
    boolean resigns = combiner == null && me.equals(root.combiner());
    ExpectedCall expected = resigns ? null : machine.expectedCall(work.state());
    if (expected == null || before != null && expected.caller().equals(before.caller())) {
      return combiner;
    }
    UUID next = expected.caller();
    if (next.equals(NextCaller.NONE)) {
      return null;
    }
    boolean isShared = batches.stream().anyMatch(batch -> !batch.session().equals(me));
    boolean hasRivals =
        root.members().stream()
            .anyMatch(m -> !m.session().equals(me) && PostedBatches.isPolled(root, m.session()));
    if (!isShared && !expected.isAwaited() && !hasRivals) {
      return combiner;
    }
    return Stream.concat(
            batches.stream().map(CallBatch::session),
            root.members().stream().map(SessionEntry::session))
        .filter(session -> session.getMostSignificantBits() == next.getMostSignificantBits())
        .findFirst()
        .orElse(combiner);
  }

  /**
   * As {@link #next}, for a root that may be undecided: returns a swap, or nothing. Without a swap,
   * that root is not tried again.
   */
  Optional<StoreRequest> onTold(
      RootView rootView,
      Told told,
      List<CallBatch> batches,
      @Nullable CallBatch own,
      @Nullable UUID combiner) {
    Optional<StoreRequest> swap = Optional.empty();
    try {
      swap =
          next(rootView, told.root(), told.token(), batches, own, combiner)
              .filter(StoreRequest.Swap.class::isInstance);
    } catch (UnreadableException | AssertionError e) {
      // Later reads show whether the object had this root.
    }
    if (swap.isEmpty()) {
      work.forget(); // Another root may have that number.
      rootView.told = null;
    }
    return swap;
  }

  /** If {@code root} is the proposed root, returns its draft. */
  Optional<RootDraft> won(ObjectRoot root, RootView rootView) {
    RootDraft draft = proposed;
    proposed = null;
    if (draft == null || !draft.next().equals(root)) {
      return Optional.empty();
    }
    if (root.body() instanceof StateLocation.Stored stored) {
      snapshotWriter
          .adopted(stored.snapshot())
          .ifPresent(bytes -> rootView.keep(stored.snapshot(), bytes));
    }
    return Optional.of(draft);
  }

  /**
   * The fate of the proposed root is unknown until the root is read; the copy is discarded, since
   * it is ahead of the last root that was read.
   */
  void doubt() {
    if (proposed != null) {
      work.forget();
    }
  }

  /** The root that was proposed last, if its fate is unknown. */
  @Nullable ObjectRoot proposed() {
    return proposed == null ? null : proposed.next();
  }

  /** The store acknowledged a snapshot. */
  void saved() {
    snapshotWriter.stored();
  }

  /** The store did not acknowledge a snapshot. */
  void notSaved() {
    snapshotWriter.failed();
  }

  private Optional<StoreRequest> save(ObjectRoot root) {
    try {
      return snapshotWriter
          .toSave(root, () -> ByteString.of(machine.store(work.state())))
          .map(StoreRequest.class::cast);
    } catch (NotAppliedException e) {
      // The tail grows, and only calls that make the state writable again are applied.
      return Optional.empty();
    }
  }

  /**
   * Whether the last snapshot is near the limit of the size of a state, so that each step is
   * measured.
   */
  private boolean isLarge(ObjectRoot root, RootView rootView) {
    ByteString snapshot = rootView.snapshot();
    return root.body() instanceof StateLocation.Stored
        && snapshot != null
        && snapshot.size() > protocolSettings.stateBytes() / 2;
  }

  private boolean isTooLarge(
      RootDraft draft, BatchApplier drafting, List<CallBatch> batches, @Nullable CallBatch own) {
    long bytes = draft.bytes();
    if (bytes <= protocolSettings.rootBytes() || batches.isEmpty()) {
      return false;
    }
    String why =
        "the object's entry would have "
            + bytes
            + " bytes; at most "
            + protocolSettings.rootBytes();
    return drafting.lighten(batches, own, why);
  }
}
