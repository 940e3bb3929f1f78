package io.ensemble.objects.course;

import io.ensemble.objects.course.Pending.Own;
import io.ensemble.objects.course.Sight.Told;
import io.ensemble.objects.machine.Machine;
import io.ensemble.objects.machine.NotAppliedException;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.root.Announced;
import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Body;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Root;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes the next step: the copy that calls are applied to, and the swap that came of it last. */
final class Proposer {

  private final Machine machine;
  private final UUID me;
  private final Layout layout;
  private final Set<Rule> rules;
  private final Replica work;
  private final Saving saving;
  private final Map<UUID, Long> unreadable = new HashMap<>();
  private @Nullable Draft proposed;

  Proposer(Machine machine, UUID me, Layout layout, Set<Rule> rules, Supplier<UUID> names) {
    this.machine = machine;
    this.me = me;
    this.layout = layout;
    this.rules = rules;
    this.work = new Replica(machine, rules);
    this.saving = new Saving(me, layout, rules, names);
  }

  /** Whether this process has found that it cannot read another's batch. */
  boolean cannotRead(Batch batch) {
    return batch.number() == unreadable.getOrDefault(batch.session(), 0L);
  }

  /**
   * A root that an event told of, if the next swap of a batch can be built on it: nothing but the
   * swap, which compares, may follow from a root that is not known to be decided.
   */
  @Nullable Told buildable(Sight sight, Own own) {
    Told told = sight.told;
    if (told == null || told.root().standing(own.batch) != Root.Standing.NEW) {
      return null;
    }
    Announced announced = told.root().announced();
    boolean saves = announced != null && announced.writer().equals(me);
    boolean fetches = told.root().body() instanceof Body.Stored s && !sight.has(s.snapshot());
    return saves || fetches ? null : told;
  }

  /**
   * What to ask next so that {@code batches} take effect: a snapshot, for the copy or to be saved,
   * or the swap. Empty if none of them can be read here.
   *
   * @param token by which the store knows the root
   * @param own this session's batch, if it is among them
   * @param combiner who is to combine from this step on
   */
  Optional<Request> next(
      Sight sight,
      Root root,
      Object token,
      List<Batch> batches,
      @Nullable Batch own,
      @Nullable UUID combiner) {
    if (root.body() instanceof Body.Stored stored && !sight.has(stored.snapshot())) {
      // Also where the copy could follow without: a call may spoil it, and it is to be made anew.
      return Optional.of(new Request.Fetch(stored.snapshot()));
    }
    work.bring(root, sight.snapshot());
    Optional<Request> save = save(root);
    if (save.isPresent()) {
      return save;
    }
    Optional<Draft.Saved> saved = saving.saved(root);
    Drafting drafting = new Drafting(machine, layout, work, root, sight.snapshot());
    boolean storing =
        Draft.inline(root, saved)
            || saving.due(root, sight.snapshot())
            || isLarge(root, sight)
            || layout.comparing();
    Draft draft;
    do {
      Drafting.Applied applied = drafting.apply(batches, own, storing);
      if (unreadable.size() > layout.members()) {
        unreadable.clear();
      }
      batches.stream()
          .filter(b -> !applied.outcomes().containsKey(b))
          .forEach(b -> unreadable.put(b.session(), b.number()));
      if (applied.outcomes().isEmpty() && !batches.isEmpty()) {
        return Optional.empty();
      }
      long mark = layout.comparing() ? machine.fingerprint(work.state()) : 0;
      draft =
          Draft.of(
              root,
              applied,
              combiner,
              saved,
              saving.toAnnounce(root, sight.snapshot()),
              me,
              layout,
              rules,
              mark);
    } while (isTooLarge(draft, drafting, batches, own));
    work.hasBecome(draft.next());
    proposed = draft;
    return Optional.of(new Request.Swap(token, draft.next()));
  }

  /**
   * As {@link #next}, on a root that is not known to be decided: a swap, or nothing, and then that
   * root is not tried again.
   */
  Optional<Request> onTold(
      Sight sight, Told told, List<Batch> batches, @Nullable Batch own, @Nullable UUID combiner) {
    Optional<Request> swap = Optional.empty();
    try {
      swap =
          next(sight, told.root(), told.token(), batches, own, combiner)
              .filter(Request.Swap.class::isInstance);
    } catch (UnreadableException | AssertionError e) {
      // Whether the object has come to that is to be seen.
    }
    if (swap.isEmpty()) {
      work.forget(); // Another root may have that number.
      sight.told = null;
    }
    return swap;
  }

  /** The root is the one that was proposed. */
  Optional<Draft> won(Root root, Sight sight) {
    Draft draft = proposed;
    proposed = null;
    if (draft == null || !draft.next().equals(root)) {
      return Optional.empty();
    }
    if (root.body() instanceof Body.Stored stored) {
      saving.adopted(stored.snapshot()).ifPresent(bytes -> sight.keep(stored.snapshot(), bytes));
    }
    return Optional.of(draft);
  }

  /** What was proposed, whose fate is to be looked up; the copy is ahead of what is known. */
  void doubt() {
    if (proposed != null) {
      work.forget();
    }
  }

  /** The root that was proposed last, if its fate is not known. */
  @Nullable Root proposed() {
    return proposed == null ? null : proposed.next();
  }

  /** A save was acknowledged. */
  void saved() {
    saving.stored();
  }

  /** A save was not. */
  void notSaved() {
    saving.failed();
  }

  private Optional<Request> save(Root root) {
    try {
      return saving
          .toSave(root, () -> Bytes.of(machine.store(work.state())))
          .map(Request.class::cast);
    } catch (NotAppliedException e) {
      // The tail grows on, and only calls that make the state writable again are applied.
      return Optional.empty();
    }
  }

  /** Whether a state is near the limit, by its last snapshot, so that each step is measured. */
  private boolean isLarge(Root root, Sight sight) {
    Bytes snapshot = sight.snapshot();
    return root.body() instanceof Body.Stored
        && snapshot != null
        && snapshot.size() > layout.stateBytes() / 2;
  }

  private boolean isTooLarge(
      Draft draft, Drafting drafting, List<Batch> batches, @Nullable Batch own) {
    long bytes = draft.bytes();
    if (bytes <= layout.rootBytes() || batches.isEmpty()) {
      return false;
    }
    String why = "the object's entry would have " + bytes + " bytes; at most " + layout.rootBytes();
    return drafting.lighten(batches, own, why);
  }
}
