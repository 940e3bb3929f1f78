package io.ensemble.primary;

import io.ensemble.register.Digest;
import io.ensemble.register.Update.Decision;
import io.ensemble.stamp.Stamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The course of one {@link Operation}: a phase, and what it knows of the sites. */
final class Course<V, R> {

  private final Errand<V, R> errand;
  private final Rules rules;
  private final Setting setting;
  private final Table<V> table;
  private final Spreading<V> spreading;

  private Phase phase = Phase.LOOK;
  private boolean fences;
  private boolean paused;
  private boolean wroteOwn;
  private int roundTrips;
  private @Nullable Copy<V> target;
  private @Nullable Shown<V> base;
  private @Nullable Decision<V, R> decision;
  private @Nullable Outcome<V, R> outcome;

  Course(Errand<V, R> errand) {
    this.errand = errand;
    rules = errand.rules();
    setting = errand.setting();
    table = errand.table();
    spreading = new Spreading<>(rules, table, setting.primary(), errand.known());
    fences = errand.fences();
  }

  Course(Course<V, R> other) {
    errand = other.errand;
    rules = other.rules;
    setting = other.setting;
    table = new Table<>(other.table);
    spreading = new Spreading<>(other.spreading, table);
    phase = other.phase;
    fences = other.fences;
    paused = other.paused;
    wroteOwn = other.wroteOwn;
    roundTrips = other.roundTrips;
    target = other.target;
    base = other.base;
    decision = other.decision;
    outcome = other.outcome;
  }

  void toCopy(Copy<V> copy) {
    target = copy;
    phase = Phase.COPY;
  }

  List<Request<V>> start() {
    if (errand.copies()) {
      roundTrips++;
      return toEnd(spreading.begin(Objects.requireNonNull(target)));
    }
    if (errand.asksThePrimaryFirst()) {
      return readPrimary(new ArrayList<>());
    }
    roundTrips++;
    return table.readUnknown(site -> !spreading.knows(site));
  }

  List<Request<V>> onRead(int site, int tag, Shown<V> shown) {
    if (!table.isAwaited(site, tag)) {
      return List.of();
    }
    table.show(site, shown);
    if (shown.copy().mark().epoch() > setting.epoch()) {
      end(new Outcome.Superseded<>(shown.copy().mark().epoch()));
      return List.of();
    }
    return go(site);
  }

  List<Request<V>> onSwap(int site, int tag, boolean swapped) {
    if (!table.isAwaited(site, tag)) {
      return List.of();
    }
    table.answered(site, swapped);
    if (swapped && site != setting.primary()) {
      spreading.swapped(site);
    } else if (swapped) {
      return accepted();
    }
    return go(site);
  }

  List<Request<V>> onLost(int site, int tag) {
    return onSwap(site, tag, false);
  }

  private List<Request<V>> go(int site) {
    if (outcome != null) {
      return spreadsAfter(outcome, site) ? spreading.go() : List.of();
    }
    List<Request<V>> requests = new ArrayList<>(spreading.isActive() ? spreading.go() : List.of());
    return switch (phase) {
      case LOOK -> look(requests);
      case GATHER -> gather(requests);
      case PROPOSE -> site == setting.primary() ? look(requests) : requests;
      case SETTLE -> site == setting.primary() ? settle(requests) : requests;
      case BACK_UP, COPY -> toEnd(requests);
      case COMMIT -> site == setting.primary() ? commit(requests) : requests;
    };
  }

  private boolean spreadsAfter(Outcome<V, R> end, int site) {
    return site != setting.primary() && rules.mayStillSpread(end) && spreading.isActive();
  }

  /** The primary took what it was asked to take. */
  private List<Request<V>> accepted() {
    if (outcome != null) {
      return List.of();
    }
    return switch (phase) {
      case PROPOSE -> backUp();
      case SETTLE -> {
        fences = false;
        yield look(new ArrayList<>());
      }
      case COMMIT -> done(Objects.requireNonNull(target), true);
      case LOOK, GATHER, BACK_UP, COPY ->
          throw new AssertionError("nothing was asked of the primary; phase=" + phase);
    };
  }

  /** Goes by what the primary shows; asks it first when it has not been read since. */
  private List<Request<V>> look(List<Request<V>> requests) {
    phase = Phase.LOOK;
    Shown<V> shown = table.shown(setting.primary());
    if (shown == null) {
      return readPrimary(requests);
    }
    Copy<V> copy = shown.copy();
    boolean own = fences && target != null && copy.mark().equals(target.mark());
    if (own && copy.settled()) {
      fences = false;
    }
    if (rules.isUsable(copy, setting) && !fences) {
      return decide(shown);
    }
    if (own || (!fences && rules.isOfThisEpoch(copy, setting))) {
      target = copy;
      return backUp();
    }
    phase = Phase.GATHER;
    requests.addAll(table.readUnknown());
    roundTrips += requests.isEmpty() ? 0 : 1;
    return gather(requests);
  }

  private List<Request<V>> readPrimary(List<Request<V>> requests) {
    int site = setting.primary();
    if (!table.isAwaited(site) && table.mayTry(site)) {
      roundTrips++;
      requests.add(new Request.Read<>(site, table.ask(site)));
    } else if (!table.isAwaited(site)) {
      paused = true;
    }
    return requests;
  }

  private List<Request<V>> gather(List<Request<V>> requests) {
    Shown<V> primary = table.shown(setting.primary());
    if (primary == null || table.known() < rules.answersToRecover(setting)) {
      requests.addAll(table.readUnknown());
      paused = !table.isWaiting();
      return requests;
    }
    Copy<V> found = table.latest(primary.copy(), rules, setting);
    if (rules.isNothing(found, primary.copy(), setting) && errand.leavesAbsence()) {
      return decide(new Shown<>(found, 0));
    }
    Mark mark =
        fences
            ? errand.sequences().next(primary.copy().mark(), setting.epoch())
            : errand.recovered(primary.copy());
    target = found.at(mark, false);
    phase = Phase.PROPOSE;
    return swapPrimary(requests, primary, target);
  }

  private List<Request<V>> swapPrimary(List<Request<V>> requests, Shown<V> shown, Copy<V> next) {
    roundTrips++;
    int site = setting.primary();
    requests.add(new Request.Swap<>(site, table.ask(site), shown, next));
    return requests;
  }

  private List<Request<V>> backUp() {
    phase = Phase.BACK_UP;
    roundTrips++;
    Copy<V> proposed = Objects.requireNonNull(target);
    return toEnd(spreading.begin(proposed.at(proposed.mark(), true)));
  }

  private List<Request<V>> decide(Shown<V> shown) {
    Copy<V> current = setting.current(shown.copy());
    Decision<V, R> wanted = errand.decide(current);
    decision = wanted;
    if (!wanted.writes()) {
      return done(current, false);
    }
    target = errand.written(shown.copy(), wanted.value());
    base = shown;
    if (!rules.copiesFirst(setting)) {
      return commit(new ArrayList<>());
    }
    phase = Phase.COPY;
    roundTrips++;
    return toEnd(spreading.begin(target, shown.copy()));
  }

  /** Goes on when enough others hold the copy; pauses when too few can be had now. */
  private List<Request<V>> toEnd(List<Request<V>> requests) {
    if (spreading.holders() < rules.copies(setting)) {
      paused = !table.isWaiting();
    } else if (errand.copies()) {
      done(Objects.requireNonNull(target), true);
    } else {
      return phase == Phase.COPY ? commit(requests) : settle(requests);
    }
    return requests;
  }

  /** A compare-and-set does not tell the new token: so the primary is read once more. */
  private List<Request<V>> settle(List<Request<V>> requests) {
    phase = Phase.SETTLE;
    Shown<V> shown = table.shown(setting.primary());
    Copy<V> proposed = Objects.requireNonNull(target);
    if (shown == null) {
      return readPrimary(requests);
    }
    if (!shown.copy().mark().equals(proposed.mark()) || shown.copy().settled()) {
      return look(requests);
    }
    return swapPrimary(requests, shown, proposed.at(proposed.mark(), true));
  }

  private List<Request<V>> commit(List<Request<V>> requests) {
    boolean first = phase != Phase.COMMIT;
    phase = Phase.COMMIT;
    Copy<V> written = Objects.requireNonNull(target);
    Shown<V> decidedOn = Objects.requireNonNull(base);
    Shown<V> shown = first ? decidedOn : table.shown(setting.primary());
    if (shown == null) {
      return readPrimary(requests);
    }
    Copy<V> copy = shown.copy();
    if (copy.mark().equals(written.mark())) {
      done(written, true);
      return requests;
    }
    if (!rules.isStill(decidedOn.copy(), copy, setting)) {
      outcome = new Outcome.Unknown<>();
      return requests;
    }
    wroteOwn = true;
    swapPrimary(requests, shown, written);
    if (rules.acknowledgesWhenSent()) {
      done(written, true);
    }
    return requests;
  }

  private List<Request<V>> done(Copy<V> copy, boolean wrote) {
    outcome = new Outcome.Done<>(decision == null ? null : decision.result(), copy, wrote);
    return List.of();
  }

  boolean mayHaveWritten() {
    return wroteOwn || (spreading.wasSent() && (phase == Phase.COPY || phase == Phase.COMMIT));
  }

  boolean recovers() {
    return outcome == null && errand.recovers() && !mayHaveWritten();
  }

  /** Who wrote what the operation decided on; nobody where that was absent. */
  Stamp replaced() {
    return base == null ? Stamp.NONE : setting.current(base.copy()).origin();
  }

  Optional<Copy<V>> proposed() {
    return base == null ? Optional.empty() : Optional.ofNullable(target);
  }

  private Outcome<V, R> end(Outcome<V, R> withoutEffect) {
    if (outcome == null) {
      outcome = mayHaveWritten() ? new Outcome.Unknown<>() : withoutEffect;
    }
    return outcome;
  }

  boolean isPaused() {
    return paused && outcome == null;
  }

  List<Request<V>> resume() {
    if (!isPaused()) {
      return List.of();
    }
    paused = false;
    table.freshTries();
    return go(setting.primary());
  }

  Outcome<V, R> expire() {
    return end(new Outcome.Refused<>());
  }

  Optional<Outcome<V, R>> outcome() {
    return Optional.ofNullable(outcome);
  }

  int holders() {
    return spreading.holders();
  }

  int roundTrips() {
    return roundTrips;
  }

  boolean awaits(int site, int tag) {
    return table.isAwaited(site, tag) && (outcome == null || spreadsAfter(outcome, site));
  }

  long digest() {
    long hash = Digest.of(phase.ordinal(), errand.digest());
    hash = Digest.of(hash, (fences ? 1 : 0) + (paused ? 2 : 0) + (wroteOwn ? 4 : 0));
    hash = Digest.of(hash, Table.digest(target));
    Shown<V> from = base;
    hash = Digest.of(hash, from == null ? 0 : Digest.of(from.token(), Table.digest(from.copy())));
    hash = Digest.of(hash, Digest.of(table.digest(), spreading.digest()));
    return Digest.of(hash, outcome == null ? 0 : 1 + outcome.hashCode());
  }
}
