package io.ensemble.register;

import io.ensemble.register.AcceptorTracker.Progress;
import io.ensemble.register.Ballot.Kind;
import io.ensemble.register.Proposals.Proposal;
import io.ensemble.register.Update.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of one operation: the request that it has sent to the sites, and its decisions on the
 * responses. {@link RegisterOperation} is its public interface and explains the idea.
 */
final class RegisterOperationState<V, R> {

  /** The kind of response for which the operation waits. */
  private enum Phase {
    READ,
    VOTE,
    CLASSIC,
    PAUSED,
    DONE
  }

  private final RegisterRules rules;
  private final Ballot known;
  private final boolean settling;
  private final AcceptorTracker<V> acceptorTracker;
  private final RegisterProposer<V, R> proposer;

  private Phase phase = Phase.READ;
  private int attempt;
  private int unpromisedAttempts = 1;
  private int roundTrips;
  private int hurriedRound;

  /** How many sites had not answered the read in time when promises were requested. */
  private int silent;

  private @Nullable Votes<V, R> votes;
  private @Nullable ClassicBallot<V> classic;
  private @Nullable Decision<V, R> classicDecision;
  private @Nullable PreparedBallot prepared;
  private @Nullable RegisterOutcome<V, R> outcome;

  RegisterOperationState(
      RegisterRules rules,
      BallotGenerator ballotGenerator,
      Update<V, R> update,
      Ballot known,
      @Nullable PreparedBallot prepared,
      boolean settling) {
    this.rules = rules;
    this.known = known;
    this.prepared = prepared;
    this.settling = settling;
    acceptorTracker = new AcceptorTracker<>(rules.sites());
    proposer = new RegisterProposer<>(rules, ballotGenerator, update);
  }

  private RegisterOperationState(RegisterOperationState<V, R> other) {
    rules = other.rules;
    known = other.known;
    settling = other.settling;
    acceptorTracker = other.acceptorTracker.copy();
    proposer = other.proposer.copy();
    phase = other.phase;
    attempt = other.attempt;
    unpromisedAttempts = other.unpromisedAttempts;
    roundTrips = other.roundTrips;
    hurriedRound = other.hurriedRound;
    silent = other.silent;
    votes = other.votes;
    classic = other.classic == null ? null : other.classic.copy(acceptorTracker);
    classicDecision = other.classicDecision;
    prepared = other.prepared;
    outcome = other.outcome;
  }

  RegisterOperationState<V, R> copy() {
    return new RegisterOperationState<>(this);
  }

  List<RegisterRequest<V>> start() {
    return read();
  }

  List<RegisterRequest<V>> startFrom(List<VersionedCell<V>> remembered) {
    acceptorTracker.remember(remembered);
    remembered.forEach(versionedCell -> proposer.saw(versionedCell.cell()));
    Optional<Cell<V>> chosen = rules.chosen(acceptorTracker.cells(Progress.READ), known);
    if (chosen.isPresent() && missingVoters(chosen.get()) <= 0) {
      Optional<Decision<V, R>> wanted = proposer.toWriteOverOld(chosen.get().content());
      if (wanted.isPresent()) {
        attempt = 1;
        unpromisedAttempts = 2;
        return voteFast(chosen.get(), wanted.get());
      }
    }
    return read();
  }

  List<RegisterRequest<V>> onRead(int site, int tag, VersionedCell<V> versionedCell) {
    if (!acceptorTracker.answered(site, tag)) {
      return List.of();
    }
    proposer.saw(versionedCell.cell());
    if (classic != null) {
      return advance(classic, classic.onRead(site, versionedCell));
    }
    acceptorTracker.show(site, versionedCell);
    acceptorTracker.set(site, Progress.READ);
    return phase == Phase.READ ? evaluate() : List.of();
  }

  List<RegisterRequest<V>> onSwap(int site, int tag, boolean swapped) {
    if (!acceptorTracker.answered(site, tag)) {
      return List.of();
    }
    if (classic != null) {
      return advance(classic, classic.onSwap(site, swapped));
    }
    acceptorTracker.set(site, swapped ? Progress.ACCEPTED : Progress.REFUSED);
    return countVotes();
  }

  List<RegisterRequest<V>> onLost(int site, int tag) {
    boolean swap = acceptorTracker.lastWasSwap(site);
    if (!acceptorTracker.answered(site, tag)) {
      return List.of();
    }
    if (classic != null) {
      return advance(classic, classic.onLost(site, swap));
    }
    acceptorTracker.set(site, Progress.LOST);
    return phase == Phase.READ ? evaluate() : countVotes();
  }

  List<RegisterRequest<V>> onHurry() {
    if (!canHurry()) {
      return List.of();
    }
    hurriedRound = roundTrips;
    if (phase == Phase.READ) {
      return evaluate();
    }
    acceptorTracker.loseOutstanding();
    return classic == null ? countVotes() : advance(classic, List.of());
  }

  boolean canHurry() {
    return phase == Phase.CLASSIC
        ? classic != null && classic.isHeldUp()
        : !isHurried() && (phase == Phase.READ || phase == Phase.VOTE);
  }

  private boolean isHurried() {
    return hurriedRound == roundTrips;
  }

  boolean isPaused() {
    return phase == Phase.PAUSED;
  }

  List<RegisterRequest<V>> resume() {
    return isPaused() ? read() : List.of();
  }

  RegisterOutcome<V, R> expire() {
    RegisterOutcome<V, R> ended = outcome;
    if (ended == null) {
      ended =
          proposer.hasProposed()
              ? new RegisterOutcome.Unknown<>()
              : new RegisterOutcome.Refused<>();
      end(ended);
      classic = null;
      acceptorTracker.loseOutstanding();
    }
    return ended;
  }

  Optional<RegisterOutcome<V, R>> outcome() {
    return Optional.ofNullable(outcome);
  }

  Optional<PreparedBallot> prepared() {
    return Optional.ofNullable(prepared);
  }

  int attempt() {
    return attempt;
  }

  int roundTrips() {
    return roundTrips;
  }

  long highestRound() {
    return proposer.highestRound();
  }

  AcceptorTracker<V> sites() {
    return acceptorTracker;
  }

  private List<RegisterRequest<V>> read() {
    attempt++;
    roundTrips++;
    phase = Phase.READ;
    votes = null;
    classic = null;
    return acceptorTracker.readAll();
  }

  private List<RegisterRequest<V>> evaluate() {
    List<Cell<V>> answers = acceptorTracker.cells(Progress.READ);
    int outstanding = acceptorTracker.count(Progress.READING);
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
    if (outstanding > 0 && !isHurried()) {
      return List.of();
    }
    return attempt <= unpromisedAttempts && !proposer.hasProposed()
        ? repairOrPrepare(answers)
        : prepare();
  }

  private List<RegisterRequest<V>> fromChosen(Cell<V> chosen, int outstanding) {
    Optional<Proposal<R>> own = proposer.findIn(chosen.content());
    if (own.isPresent()) {
      return done(own.get().result(), chosen, true);
    }
    if (proposer.mayBeForgottenIn(chosen.content())) {
      expire();
      return List.of();
    }
    Decision<V, R> wanted = proposer.decide(chosen.content());
    if (!wanted.writes() && proposer.isPast(chosen.accepted())) {
      return done(wanted.result(), chosen, false);
    }
    boolean isReady = !promises().isEmpty() && rules.mayUsePrepared(wanted);
    if (isReady && !isHurried() && doOutstandingDecide(wanted, outstanding)) {
      return List.of();
    }
    if (wanted.writes() && attempt <= unpromisedAttempts && !isReady) {
      int missing = missingVoters(chosen);
      if (missing <= 0) {
        return voteFast(chosen, wanted);
      }
      if (!isHurried() && missing <= outstanding) {
        return List.of();
      }
    }
    return prepare();
  }

  /** Whether the responses to come decide if another ballot is prepared. */
  private boolean doOutstandingDecide(Decision<V, R> wanted, int outstanding) {
    Ballot ballot = prepared == null ? Ballot.ZERO : prepared.ballot();
    int missing = rules.sites() - acceptorTracker.count(Progress.READ);
    return rules.preparesNext(wanted, ballot, missing)
        && !rules.preparesNext(wanted, ballot, missing - outstanding);
  }

  /** How many voters a fast ballot on {@code chosen} lacks. */
  private int missingVoters(Cell<V> chosen) {
    Ballot base = chosen.accepted();
    List<Cell<V>> answers = acceptorTracker.cells(Progress.READ);
    long voters = answers.stream().filter(cell -> rules.votesFrom(cell, base)).count();
    return rules.fastQuorum(base) - (int) voters;
  }

  private List<RegisterRequest<V>> voteFast(Cell<V> chosen, Decision<V, R> wanted) {
    Ballot fast = proposer.fresh(Kind.FAST);
    Content<V> content = proposer.propose(fast, chosen.content(), wanted);
    votes = new Votes<>(Cell.accepted(fast, chosen.accepted(), content), wanted);
    phase = Phase.VOTE;
    roundTrips++;
    return votes.askForSuccessor(rules, acceptorTracker);
  }

  private List<RegisterRequest<V>> repairOrPrepare(List<Cell<V>> answers) {
    Optional<Cell<V>> repair = rules.repair(answers, proposer.fresh(Kind.CONFIRM));
    if (repair.isEmpty()) {
      return prepare();
    }
    Decision<V, R> wanted = proposer.decide(repair.get().content());
    if (wanted.writes()) {
      return prepare();
    }
    votes = new Votes<>(repair.get(), wanted);
    phase = Phase.VOTE;
    roundTrips++;
    List<RegisterRequest<V>> requests = votes.askForRepair(rules, acceptorTracker);
    return requests.isEmpty() ? countVotes() : requests;
  }

  private List<RegisterRequest<V>> countVotes() {
    Votes<V, R> counted = votes;
    if (counted == null || outcome != null) {
      return List.of();
    }
    if (counted.areEnough(rules, acceptorTracker)) {
      return done(counted.decision().result(), counted.target(), counted.isFast());
    }
    return counted.areHopeless(rules, acceptorTracker) ? read() : List.of();
  }

  private List<RegisterRequest<V>> prepare() {
    phase = Phase.CLASSIC;
    silent =
        acceptorTracker.count(Progress.LOST)
            + (isHurried() ? acceptorTracker.count(Progress.READING) : 0);
    List<Cell<V>> promises = promises();
    PreparedBallot before = prepared;
    if (before != null && !promises.isEmpty()) {
      Content<V> content = rules.recover(promises);
      Decision<V, R> wanted = proposer.decide(content);
      if (rules.mayUsePrepared(wanted)) {
        prepared = null; // For one proposal, whatever its outcome.
        ClassicBallot<V> ballot = new ClassicBallot<>(rules, acceptorTracker, before.ballot());
        classic = ballot;
        roundTrips++;
        List<RegisterRequest<V>> requests = new ArrayList<>(ballot.prepareWith(before));
        requests.addAll(propose(ballot, content, wanted));
        return requests;
      }
    }
    roundTrips++;
    classic = new ClassicBallot<>(rules, acceptorTracker, proposer.fresh(Kind.CLASSIC));
    return classic.prepare();
  }

  /**
   * The cells of a majority that promised the prepared ballot; empty if no majority did, and once
   * the operation has proposed.
   */
  private List<Cell<V>> promises() {
    PreparedBallot before = prepared;
    if (before == null || proposer.hasProposed()) {
      return List.of();
    }
    List<Cell<V>> promises = new ArrayList<>(acceptorTracker.size());
    for (int site = 0; site < acceptorTracker.size(); site++) {
      if (acceptorTracker.at(site) == Progress.READ
          && rules.isPrepared(before, site, acceptorTracker.shown(site))) {
        promises.add(acceptorTracker.shown(site).cell());
      }
    }
    return promises.size() >= rules.majority() ? promises : List.of();
  }

  private List<RegisterRequest<V>> advance(
      ClassicBallot<V> round, List<RegisterRequest<V>> requests) {
    if (outcome != null) {
      return requests;
    }
    if (round.isPromisedByMajority()) {
      return decideUnderPromises(round);
    }
    if (round.isAcceptedByMajority()) {
      Decision<V, R> wanted = Objects.requireNonNull(classicDecision);
      prepared = round.prepared();
      end(new RegisterOutcome.Done<>(wanted.result(), round.proposed(), wanted.writes()));
      return requests;
    }
    return round.isHopeless() ? pause() : requests;
  }

  private List<RegisterRequest<V>> decideUnderPromises(ClassicBallot<V> round) {
    Content<V> content = rules.recover(acceptorTracker.cells(Progress.PROMISED));
    Optional<Proposal<R>> own = proposer.findIn(content);
    if (own.isEmpty() && proposer.mayBeForgottenIn(content)) {
      expire();
      return List.of();
    }
    roundTrips += 2;
    if (own.isPresent()) {
      classicDecision = Decision.write(null, own.get().result());
      return round.propose(content, null);
    }
    return propose(round, content, proposer.decide(content));
  }

  private List<RegisterRequest<V>> propose(
      ClassicBallot<V> round, Content<V> content, Decision<V, R> wanted) {
    classicDecision = wanted;
    boolean again = rules.preparesNext(wanted, round.ballot(), silent);
    return round.propose(
        wanted.writes() ? proposer.propose(round.ballot(), content, wanted) : content,
        again ? proposer.fresh(Kind.CLASSIC) : null);
  }

  private List<RegisterRequest<V>> done(@Nullable R result, Cell<V> chosen, boolean wrote) {
    end(new RegisterOutcome.Done<>(result, chosen, wrote));
    return List.of();
  }

  private void end(RegisterOutcome<V, R> how) {
    outcome = how;
    phase = Phase.DONE;
  }

  private List<RegisterRequest<V>> pause() {
    phase = Phase.PAUSED;
    classic = null;
    return List.of();
  }

  long digest() {
    long flags = attempt * 8L + unpromisedAttempts * 2L + (isHurried() ? 1 : 0);
    long hash =
        RegisterDigest.of(RegisterDigest.of(phase.name().hashCode(), flags), proposer.digest());
    hash = RegisterDigest.of(hash, votes == null ? 0 : votes.digest());
    hash = RegisterDigest.of(hash, classic == null ? 0 : classic.digest());
    hash =
        RegisterDigest.of(
            hash, prepared == null ? silent : RegisterDigest.of(prepared.ballot()) + silent);
    return RegisterDigest.of(hash, classicDecision == null ? 0 : classicDecision.digest());
  }

  long digest(int site) {
    boolean hasPromised = prepared != null && prepared.sites().contains(site);
    return RegisterDigest.of(acceptorTracker.digest(site), hasPromised ? 1 : 0);
  }
}
