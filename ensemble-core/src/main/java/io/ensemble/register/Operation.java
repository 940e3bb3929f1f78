package io.ensemble.register;

import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot.Kind;
import io.ensemble.register.Proposals.Proposal;
import io.ensemble.register.Sites.Progress;
import io.ensemble.register.Update.Decision;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One operation of one client on one register: requests out, answers in.
 *
 * <p><b>Idea.</b> Each site is an acceptor of CASPaxos (Rystsov 2018) that can only be read and
 * compared-and-set. An operation reads all sites; that read is the first half of every later
 * compare-and-set. If the answers prove a content chosen, a read or an unmet condition is done (one
 * round trip), and a write votes for its successor straight from the cells it read, without
 * promises (two; Fast Paxos, Lamport 2006). If a majority disagrees, a read repairs it (two).
 * Everything else is settled by a classic ballot: promise, read again, accept (four). A
 * compare-and-set does not tell the new entry version, hence the second read.
 *
 * <p><b>Why it is safe</b> is argued in {@link Rules} and {@link Recovery} decision by decision. In
 * short: a site votes at most once from any state; a content is chosen by a quorum of votes for one
 * ballot; every ballot stands on something chosen before; an operation looks for its own earlier
 * proposals before it proposes again, and gives up as unknown when the register may have forgotten
 * them.
 *
 * <p><b>A site that loses its memory</b> must stop answering under its old incarnation. Acceptance
 * is asked only after a majority of the promising sites was read again with the promise in place,
 * so promises of a lost incarnation never complete a quorum.
 *
 * <p><b>Driving it.</b> Call {@link #start} once and then one {@code on…} method for each answer,
 * performing the requests that each returns, until {@link #outcome} is there; go on delivering
 * answers afterwards, which lets slow sites catch up. While {@link #isPaused}, call {@link #resume}
 * after a while that differs between clients. {@link #expire} ends it. Not thread-safe: one thread,
 * or one lock, drives it. {@code V} and {@code R} need value equality only for {@link #digest}.
 */
public final class Operation<V, R> {

  /** What the operation is waiting for. */
  private enum Phase {
    READ,
    FAST,
    REPAIR,
    CLASSIC,
    PAUSED,
    DONE
  }

  private final Rules rules;
  private final Ballots ballots;
  private final Update<V, R> update;
  private final Ballot known;
  private final Sites<V> sites;
  private final Proposals<R> proposals;

  private Phase phase = Phase.READ;
  private int attempt;
  private int unpromisedAttempts = 1;
  private boolean hurried;
  private boolean settling;
  private long highestRound;
  private @Nullable Cell<V> voted;
  private @Nullable Decision<V, R> decision;
  private @Nullable ClassicBallot<V> classic;
  private @Nullable Outcome<V, R> outcome;

  Operation(Rules rules, Ballots ballots, Update<V, R> update, Ballot known) {
    this.rules = rules;
    this.ballots = ballots;
    this.update = update;
    this.known = known;
    sites = new Sites<>(rules.sites());
    proposals = new Proposals<>();
  }

  private Operation(Operation<V, R> other) {
    rules = other.rules;
    ballots = other.ballots;
    update = other.update;
    known = other.known;
    sites = other.sites.copy();
    proposals = other.proposals.copy();
    phase = other.phase;
    attempt = other.attempt;
    unpromisedAttempts = other.unpromisedAttempts;
    hurried = other.hurried;
    settling = other.settling;
    highestRound = other.highestRound;
    voted = other.voted;
    decision = other.decision;
    classic = other.classic == null ? null : other.classic.copy(sites);
    outcome = other.outcome;
  }

  /**
   * An operation of the writer of {@code ballots} on a register kept by {@code quorum.sites()}
   * sites.
   *
   * @param known a ballot that the caller knows to have been chosen, or {@link Ballot#ZERO}
   */
  public static <V, R> Operation<V, R> of(
      Quorum quorum, Ballots ballots, Update<V, R> update, Ballot known) {
    return new Operation<>(new Rules(quorum), ballots, update, known);
  }

  /**
   * A read that goes through a classic ballot even where the answers agree, and so leaves every
   * cell that it touched with a fresh promise and entry version: what a site's refill needs, so
   * that nothing that was under way with the lost incarnation can complete.
   */
  public static <V> Operation<V, V> settle(Quorum quorum, Ballots ballots) {
    Operation<V, V> operation = of(quorum, ballots, Update.read(), Ballot.ZERO);
    operation.settling = true;
    return operation;
  }

  /** The same operation in the same state, going its own way from here. For exploring. */
  public Operation<V, R> copy() {
    return new Operation<>(this);
  }

  /** Begins with a read of every site. */
  public List<Request<V>> start() {
    return read();
  }

  /**
   * Begins a write from what every site showed some time ago: one round trip if nothing changed
   * since. Any disappointment leads to a fresh read.
   *
   * @param remembered one cell a site, in the order of the sites
   */
  public List<Request<V>> startFrom(List<Seen<V>> remembered) {
    sites.remember(remembered);
    Optional<Cell<V>> chosen = rules.chosen(sites.cells(Progress.READ), known);
    if (chosen.isPresent()) {
      Decision<V, R> wanted = update.decide(chosen.get().content().value());
      if (wanted.writes() && votersFor(chosen.get()) >= rules.fastQuorum(chosen.get().accepted())) {
        attempt = 1;
        unpromisedAttempts = 2;
        return voteFast(chosen.get(), wanted);
      }
    }
    return read();
  }

  /** A site showed its cell. */
  public List<Request<V>> onRead(int site, int tag, Seen<V> seen) {
    if (!sites.answered(site, tag)) {
      return List.of();
    }
    highestRound = Math.max(highestRound, seen.cell().promised().round());
    if (classic != null) {
      return advance(classic, classic.onRead(site, seen));
    }
    sites.show(site, seen);
    sites.set(site, Progress.READ);
    return phase == Phase.READ ? evaluate() : List.of();
  }

  /** A site answered a compare-and-set; "no" is looked into, for it may have been performed. */
  public List<Request<V>> onSwap(int site, int tag, boolean swapped) {
    if (!sites.answered(site, tag)) {
      return List.of();
    }
    if (classic != null) {
      return advance(classic, classic.onSwap(site, swapped));
    }
    sites.set(site, swapped ? Progress.ACCEPTED : Progress.REFUSED);
    return countVotes();
  }

  /** No answer will come: the request may have been performed, or may still be. */
  public List<Request<V>> onLost(int site, int tag) {
    boolean swap = sites.lastWasSwap(site);
    if (!sites.answered(site, tag)) {
      return List.of();
    }
    if (classic != null) {
      return advance(classic, classic.onLost(site, swap));
    }
    sites.set(site, Progress.LOST);
    return phase == Phase.READ ? evaluate() : countVotes();
  }

  /** Stop waiting for slow sites whose answers would only spare a round trip. */
  public List<Request<V>> onHurry() {
    if (!canHurry()) {
      return List.of();
    }
    hurried = true;
    if (phase == Phase.READ) {
      return evaluate();
    }
    sites.loseOutstanding();
    return countVotes();
  }

  /** Whether {@link #onHurry} could change anything now. */
  public boolean canHurry() {
    return !hurried && (phase == Phase.READ || phase == Phase.FAST || phase == Phase.REPAIR);
  }

  /** Whether the operation was pre-empted or found too few sites, and waits for {@link #resume}. */
  public boolean isPaused() {
    return phase == Phase.PAUSED;
  }

  /** Tries again from a fresh read. */
  public List<Request<V>> resume() {
    return isPaused() ? read() : List.of();
  }

  /** Ends an operation that has no outcome yet: unknown if it proposed anything, else refused. */
  public Outcome<V, R> expire() {
    Outcome<V, R> ended = outcome;
    if (ended == null) {
      ended = proposals.isEmpty() ? new Outcome.Refused<>() : new Outcome.Unknown<>();
      end(ended);
      classic = null;
      sites.loseOutstanding();
    }
    return ended;
  }

  /** The outcome, once there is one. */
  public Optional<Outcome<V, R>> outcome() {
    return Optional.ofNullable(outcome);
  }

  /** How many times the operation began, which counts a beginning from memory. */
  public int attempt() {
    return attempt;
  }

  /** The highest round that this operation saw or used. */
  public long highestRound() {
    return highestRound;
  }

  /** The sites that answered the last question, as indices. */
  public List<Integer> heard() {
    return sites.heard();
  }

  /** Whether an answer to this request still matters. */
  public boolean awaits(Request<V> request) {
    return sites.awaits(request.site(), request.tag());
  }

  private List<Request<V>> read() {
    attempt++;
    phase = Phase.READ;
    hurried = false;
    classic = null;
    voted = null;
    decision = null;
    return sites.readAll();
  }

  private List<Request<V>> evaluate() {
    List<Cell<V>> answers = sites.cells(Progress.READ);
    int outstanding = sites.count(Progress.READING);
    if (answers.size() < rules.majority()) {
      return answers.size() + outstanding < rules.majority() ? pause() : List.of();
    }
    if (settling) {
      return prepare();
    }
    Optional<Cell<V>> chosen = rules.chosen(answers, known);
    if (chosen.isPresent()) {
      return fromChosen(chosen.get(), outstanding);
    }
    if (outstanding > 0 && !hurried) {
      return List.of();
    }
    return attempt <= unpromisedAttempts && proposals.isEmpty()
        ? repairOrPrepare(answers)
        : prepare();
  }

  private List<Request<V>> fromChosen(Cell<V> chosen, int outstanding) {
    Content<V> content = chosen.content();
    Optional<Proposal<R>> own = proposals.in(content);
    if (own.isPresent()) {
      return done(own.get().result(), chosen, true);
    }
    if (proposals.mayBeForgotten(content, rules.horizon())) {
      return unknown();
    }
    Decision<V, R> wanted = update.decide(content.value());
    if (!wanted.writes()) {
      return proposals.areAllBelow(chosen.accepted())
          ? done(wanted.result(), chosen, false)
          : prepare();
    }
    if (attempt <= unpromisedAttempts) {
      int voters = votersFor(chosen);
      int needed = rules.fastQuorum(chosen.accepted());
      if (voters >= needed) {
        return voteFast(chosen, wanted);
      }
      if (!hurried && outstanding > 0 && voters + outstanding >= needed) {
        return List.of();
      }
    }
    return prepare();
  }

  private int votersFor(Cell<V> chosen) {
    int voters = 0;
    for (Cell<V> cell : sites.cells(Progress.READ)) {
      if (rules.votesFrom(cell, chosen.accepted())) {
        voters++;
      }
    }
    return voters;
  }

  private List<Request<V>> voteFast(Cell<V> chosen, Decision<V, R> wanted) {
    Ballot base = chosen.accepted();
    Ballot fast = fresh(Kind.FAST, Math.max(base.round(), highestRound));
    phase = Phase.FAST;
    decision = wanted;
    voted = Cell.accepted(fast, base, apply(fast, chosen.content(), wanted));
    return sites.proposeWhere(voted, cell -> false, cell -> rules.votesFrom(cell, base));
  }

  private List<Request<V>> repairOrPrepare(List<Cell<V>> answers) {
    Ballot confirming = fresh(Kind.CONFIRM, highestRound);
    Optional<Cell<V>> repair = rules.repair(answers, confirming);
    if (repair.isEmpty()) {
      return prepare();
    }
    Cell<V> target = repair.get();
    Decision<V, R> wanted = update.decide(target.content().value());
    if (wanted.writes()) {
      return prepare();
    }
    phase = Phase.REPAIR;
    decision = wanted;
    voted = target;
    return sites.proposeWhere(
        target, cell -> rules.holds(cell, target), cell -> rules.takesRepair(cell, target));
  }

  private List<Request<V>> countVotes() {
    Cell<V> target = voted;
    Decision<V, R> wanted = decision;
    if (target == null || wanted == null || outcome != null) {
      return List.of();
    }
    int needed = phase == Phase.FAST ? rules.fastQuorum(target.floor()) : rules.acceptances();
    int votes = sites.count(Progress.ACCEPTED);
    if (votes >= needed) {
      return done(wanted.result(), target, phase == Phase.FAST);
    }
    return votes + sites.count(Progress.ACCEPTING) < needed ? read() : List.of();
  }

  private List<Request<V>> prepare() {
    phase = Phase.CLASSIC;
    decision = null;
    classic = new ClassicBallot<>(rules, sites, fresh(Kind.CLASSIC, highestRound));
    return classic.prepare();
  }

  private List<Request<V>> advance(ClassicBallot<V> round, List<Request<V>> requests) {
    if (outcome != null) {
      return requests;
    }
    if (round.isPromisedByMajority()) {
      return decideUnderPromises(round);
    }
    if (round.isAcceptedByMajority()) {
      Decision<V, R> wanted = Objects.requireNonNull(decision);
      end(new Outcome.Done<>(wanted.result(), round.ballot(), round.content(), wanted.writes()));
      return requests;
    }
    return round.isHopeless() ? pause() : requests;
  }

  private List<Request<V>> decideUnderPromises(ClassicBallot<V> round) {
    Content<V> content = rules.recover(sites.cells(Progress.PROMISED));
    Optional<Proposal<R>> own = proposals.in(content);
    if (own.isPresent()) {
      decision = Decision.write(null, own.get().result());
      return round.propose(content);
    }
    if (proposals.mayBeForgotten(content, rules.horizon())) {
      return unknown();
    }
    Decision<V, R> wanted = update.decide(content.value());
    decision = wanted;
    return round.propose(wanted.writes() ? apply(round.ballot(), content, wanted) : content);
  }

  private Content<V> apply(Ballot ballot, Content<V> content, Decision<V, R> wanted) {
    proposals.add(ballot, wanted.result(), content.sequence());
    return content.apply(ballot, wanted.value(), rules.remembered());
  }

  private Ballot fresh(Kind kind, long above) {
    Ballot ballot = ballots.above(above, kind);
    highestRound = ballot.round();
    return ballot;
  }

  private List<Request<V>> done(@Nullable R result, Cell<V> chosen, boolean wrote) {
    end(new Outcome.Done<>(result, chosen.accepted(), chosen.content(), wrote));
    return List.of();
  }

  private List<Request<V>> unknown() {
    end(new Outcome.Unknown<>());
    classic = null;
    return List.of();
  }

  private void end(Outcome<V, R> how) {
    outcome = how;
    phase = Phase.DONE;
  }

  private List<Request<V>> pause() {
    phase = Phase.PAUSED;
    classic = null;
    return List.of();
  }

  /** A fingerprint of everything but the sites, equal for operations that will act alike. */
  public long digest() {
    long hash =
        Digest.of(phase.ordinal(), attempt * 8L + unpromisedAttempts * 2L + (hurried ? 1 : 0));
    hash = Digest.of(hash, highestRound);
    hash = Digest.of(hash, voted == null ? 0 : Digest.of(voted));
    hash = Digest.of(hash, decision == null ? 0 : decision.digest());
    hash = Digest.of(hash, classic == null ? 0 : classic.digest());
    hash = Digest.of(hash, outcome == null ? 0 : 1);
    return Digest.of(hash, proposals.digest());
  }

  /** A fingerprint of what this operation knows of one site. */
  public long digest(int site) {
    return sites.digest(site);
  }
}
