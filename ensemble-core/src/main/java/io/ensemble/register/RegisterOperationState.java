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
    /** Paused for a rival. */
    YIELDING,
    DONE
  }

  private final RegisterRules rules;
  private final Ballot knownBallot;
  private final boolean classicOnly;
  private final RivalPolicy rivalPolicy;
  private final AcceptorTracker<V> acceptorTracker;
  private final RegisterProposer<V, R> proposer;

  private Phase phase = Phase.READ;
  private int attempt;
  private int unpromisedAttempts;
  private int roundTrips;
  private int hurriedRound;

  /** Whether the operation has read again because a vote of another one was in flight. */
  private boolean hasReadAgain;

  /** How many times the operation has left the register to a rival. */
  private int yields;

  /** Whether the operation has tried to confirm a ballot of its own. */
  private boolean hasConfirmed;

  /** How many sites had not answered the read in time when promises were requested. */
  private int silentSites;

  private @Nullable Votes<V, R> votes;
  private @Nullable ClassicBallot<V> classicBallot;
  private @Nullable Decision<V, R> classicDecision;
  private @Nullable PreparedBallot prepared;
  private @Nullable RegisterOutcome<V, R> outcome;

  RegisterOperationState(
      RegisterRules rules,
      BallotGenerator ballotGenerator,
      Update<V, R> update,
      Ballot knownBallot,
      @Nullable PreparedBallot prepared,
      boolean classicOnly,
      RivalPolicy rivalPolicy) {
    this.rules = rules;
    this.rivalPolicy = rivalPolicy;
    unpromisedAttempts = rivalPolicy.unpromisedAttempts();
    this.knownBallot = knownBallot;
    this.prepared = prepared;
    this.classicOnly = classicOnly;
    acceptorTracker = new AcceptorTracker<>(rules.sites());
    proposer = new RegisterProposer<>(rules, ballotGenerator, update);
  }

  private RegisterOperationState(RegisterOperationState<V, R> other) {
    rules = other.rules;
    knownBallot = other.knownBallot;
    classicOnly = other.classicOnly;
    rivalPolicy = other.rivalPolicy;
    acceptorTracker = other.acceptorTracker.copy();
    proposer = other.proposer.copy();
    phase = other.phase;
    attempt = other.attempt;
    unpromisedAttempts = other.unpromisedAttempts;
    roundTrips = other.roundTrips;
    hurriedRound = other.hurriedRound;
    hasReadAgain = other.hasReadAgain;
    yields = other.yields;
    hasConfirmed = other.hasConfirmed;
    silentSites = other.silentSites;
    votes = other.votes;
    classicBallot = other.classicBallot == null ? null : other.classicBallot.copy(acceptorTracker);
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

  List<RegisterRequest<V>> startFrom(List<VersionedCell<V>> knownCells) {
    acceptorTracker.restoreCells(knownCells);
    knownCells.forEach(versionedCell -> proposer.observe(versionedCell.cell()));
    Optional<Cell<V>> chosen = rules.chosen(acceptorTracker.cells(Progress.READ), knownBallot);
    if (chosen.isPresent() && missingVoters(chosen.get()) <= 0) {
      Optional<Decision<V, R>> decision = proposer.decideIfWriting(chosen.get().content());
      if (decision.isPresent()) {
        attempt = 1;
        unpromisedAttempts++;
        return voteFast(chosen.get(), decision.get());
      }
    }
    return read();
  }

  List<RegisterRequest<V>> onRead(int site, int tag, VersionedCell<V> versionedCell) {
    if (!acceptorTracker.acceptResponse(site, tag)) {
      return List.of();
    }
    proposer.observe(versionedCell.cell());
    if (classicBallot != null) {
      return advance(classicBallot, classicBallot.onRead(site, versionedCell));
    }
    acceptorTracker.recordCell(site, versionedCell);
    acceptorTracker.set(site, Progress.READ);
    return phase == Phase.READ ? evaluate() : List.of();
  }

  List<RegisterRequest<V>> onSwap(int site, int tag, boolean swapped) {
    if (!acceptorTracker.acceptResponse(site, tag)) {
      return List.of();
    }
    if (classicBallot != null) {
      return advance(classicBallot, classicBallot.onSwap(site, swapped));
    }
    acceptorTracker.set(site, swapped ? Progress.ACCEPTED : Progress.REFUSED);
    return countVotes();
  }

  List<RegisterRequest<V>> onLost(int site, int tag) {
    boolean swap = acceptorTracker.isLastRequestSwap(site);
    if (!acceptorTracker.acceptResponse(site, tag)) {
      return List.of();
    }
    if (classicBallot != null) {
      return advance(classicBallot, classicBallot.onLost(site, swap));
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
    acceptorTracker.markOutstandingLost();
    return classicBallot == null ? countVotes() : advance(classicBallot, List.of());
  }

  boolean canHurry() {
    return phase == Phase.CLASSIC
        ? classicBallot != null && classicBallot.isDelayedBySlowSite()
        : !isHurried() && (phase == Phase.READ || phase == Phase.VOTE);
  }

  private boolean isHurried() {
    return hurriedRound == roundTrips;
  }

  boolean isPaused() {
    return phase == Phase.PAUSED || isYielding();
  }

  boolean isYielding() {
    return phase == Phase.YIELDING;
  }

  List<RegisterRequest<V>> resume() {
    return isPaused() ? read() : List.of();
  }

  RegisterOutcome<V, R> expire() {
    RegisterOutcome<V, R> finalOutcome = outcome;
    if (finalOutcome == null) {
      finalOutcome =
          proposer.hasProposed()
              ? new RegisterOutcome.Unknown<>()
              : new RegisterOutcome.Refused<>();
      finish(finalOutcome);
      classicBallot = null;
      acceptorTracker.markOutstandingLost();
    }
    return finalOutcome;
  }

  Optional<RegisterOutcome<V, R>> outcome() {
    return Optional.ofNullable(outcome);
  }

  Optional<PreparedBallot> prepared() {
    return Optional.ofNullable(prepared);
  }

  /** The cells of all sites, if all have shown {@code chosen} and may vote from it. */
  Optional<List<VersionedCell<V>>> cellsToVoteFrom(Cell<V> chosen) {
    if (acceptorTracker.count(Progress.READ) < acceptorTracker.size()) {
      return Optional.empty();
    }
    List<VersionedCell<V>> cells = new ArrayList<>(acceptorTracker.size());
    for (int site = 0; site < acceptorTracker.size(); site++) {
      cells.add(acceptorTracker.cellOf(site));
    }
    boolean canAllVote =
        cells.stream().allMatch(seen -> rules.canVoteFrom(seen.cell(), chosen.accepted()));
    return canAllVote ? Optional.of(cells) : Optional.empty();
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
    classicBallot = null;
    return acceptorTracker.readAll();
  }

  private List<RegisterRequest<V>> evaluate() {
    List<Cell<V>> cells = acceptorTracker.cells(Progress.READ);
    int outstanding = acceptorTracker.count(Progress.READING);
    if (cells.size() < rules.majority()) {
      return cells.size() + outstanding < rules.majority() ? pause() : List.of();
    }
    if (classicOnly) {
      return prepare();
    }
    Optional<Cell<V>> chosen = rules.chosen(cells, knownBallot);
    if (chosen.isPresent()) {
      return decideOnChosen(chosen.get(), outstanding);
    }
    if (outstanding > 0 && !isHurried()) {
      return List.of();
    }
    if (!hasReadAgain && rules.isVoteInFlight(cells)) {
      hasReadAgain = true;
      unpromisedAttempts++;
      return read();
    }
    if (proposer.hasProposed()) {
      Optional<List<RegisterRequest<V>>> confirmation = confirm(cells);
      if (confirmation.isPresent()) {
        return confirmation.get();
      }
    }
    if (mayYield(cells, Ballot.ZERO)) {
      return yieldToRival();
    }
    return !proposer.hasProposed() && attempt <= unpromisedAttempts
        ? repairOrPrepare(cells)
        : prepare();
  }

  /**
   * After a vote that split the sites between rivals, the operation with a majority repeats its
   * ballot there once. Empty if it cannot.
   */
  private Optional<List<RegisterRequest<V>>> confirm(List<Cell<V>> cells) {
    Optional<Cell<V>> confirmed =
        hasConfirmed
            ? Optional.empty()
            : rules.confirm(cells, proposer.lastBallot(), proposer.newBallot(Kind.CONFIRM));
    Optional<Proposal<R>> own = confirmed.flatMap(cell -> proposer.findIn(cell.content()));
    if (own.isEmpty()) {
      return Optional.empty();
    }
    hasConfirmed = true;
    return Optional.of(vote(confirmed.get(), Decision.write(null, own.get().result())));
  }

  private boolean mayYield(List<Cell<V>> cells, Ballot chosen) {
    return yields < rivalPolicy.yields()
        && rules.isRivalWriting(cells, proposer.writer(), proposer.lastBallot(), chosen);
  }

  /** Waits, so that this operation and a rival do not pre-empt each other. */
  private List<RegisterRequest<V>> yieldToRival() {
    yields++;
    unpromisedAttempts++;
    phase = Phase.YIELDING;
    return List.of();
  }

  private List<RegisterRequest<V>> decideOnChosen(Cell<V> chosen, int outstanding) {
    Optional<Proposal<R>> ownProposal = proposer.findIn(chosen.content());
    if (ownProposal.isPresent()) {
      return complete(ownProposal.get().result(), chosen, true);
    }
    if (proposer.mayBeForgottenIn(chosen.content())) {
      expire();
      return List.of();
    }
    Decision<V, R> decision = proposer.decide(chosen.content());
    if (!decision.writes() && proposer.isPast(chosen)) {
      return complete(decision.result(), chosen, false);
    }
    boolean canUsePrepared = !promises().isEmpty() && rules.mayUsePrepared(decision);
    if (canUsePrepared && !isHurried() && isDecidedByOutstanding(decision, outstanding)) {
      return List.of();
    }
    if (decision.writes() && attempt <= unpromisedAttempts && !canUsePrepared) {
      int missing = missingVoters(chosen);
      if (missing <= 0) {
        return voteFast(chosen, decision);
      }
      if (!isHurried() && missing <= outstanding) {
        return List.of();
      }
    }
    return !canUsePrepared && mayYield(acceptorTracker.cells(Progress.READ), chosen.accepted())
        ? yieldToRival()
        : prepare();
  }

  /** Whether the responses to come decide if another ballot is prepared. */
  private boolean isDecidedByOutstanding(Decision<V, R> decision, int outstanding) {
    Ballot ballot = prepared == null ? Ballot.ZERO : prepared.ballot();
    int missing = rules.sites() - acceptorTracker.count(Progress.READ);
    return rules.preparesNext(decision, ballot, missing)
        && !rules.preparesNext(decision, ballot, missing - outstanding);
  }

  /** How many voters a fast ballot on {@code chosen} lacks. */
  private int missingVoters(Cell<V> chosen) {
    Ballot base = chosen.accepted();
    List<Cell<V>> cells = acceptorTracker.cells(Progress.READ);
    long voters = cells.stream().filter(cell -> rules.canVoteFrom(cell, base)).count();
    return rules.fastQuorum(base) - (int) voters;
  }

  private List<RegisterRequest<V>> voteFast(Cell<V> chosen, Decision<V, R> decision) {
    Ballot fastBallot = proposer.newBallot(Kind.FAST);
    Content<V> content = proposer.propose(fastBallot, chosen.content(), decision);
    votes = new Votes<>(Cell.accepted(fastBallot, chosen.accepted(), content), decision);
    phase = Phase.VOTE;
    roundTrips++;
    return votes.askForSuccessor(rules, acceptorTracker);
  }

  private List<RegisterRequest<V>> repairOrPrepare(List<Cell<V>> cells) {
    Optional<Cell<V>> repair = rules.repair(cells, proposer.newBallot(Kind.CONFIRM));
    if (repair.isEmpty()) {
      return prepare();
    }
    Decision<V, R> decision = proposer.decide(repair.get().content());
    if (decision.writes()) {
      return prepare();
    }
    return vote(repair.get(), decision);
  }

  private List<RegisterRequest<V>> vote(Cell<V> repair, Decision<V, R> decision) {
    votes = new Votes<>(repair, decision);
    phase = Phase.VOTE;
    roundTrips++;
    List<RegisterRequest<V>> requests = votes.askForRepair(rules, acceptorTracker);
    return requests.isEmpty() ? countVotes() : requests;
  }

  private List<RegisterRequest<V>> countVotes() {
    Votes<V, R> currentVotes = votes;
    if (currentVotes == null || outcome != null) {
      return List.of();
    }
    if (currentVotes.areEnough(rules, acceptorTracker)) {
      return complete(
          currentVotes.decision().result(),
          currentVotes.target(),
          currentVotes.decision().writes());
    }
    return currentVotes.areHopeless(rules, acceptorTracker) ? read() : List.of();
  }

  private List<RegisterRequest<V>> prepare() {
    phase = Phase.CLASSIC;
    silentSites =
        acceptorTracker.count(Progress.LOST)
            + (isHurried() ? acceptorTracker.count(Progress.READING) : 0);
    List<Cell<V>> promises = promises();
    PreparedBallot usedBallot = prepared;
    if (usedBallot != null && !promises.isEmpty()) {
      Content<V> content = rules.recover(promises);
      Decision<V, R> decision = proposer.decide(content);
      if (rules.mayUsePrepared(decision)) {
        prepared = null; // For one proposal, whatever its outcome.
        ClassicBallot<V> ballot = new ClassicBallot<>(rules, acceptorTracker, usedBallot.ballot());
        classicBallot = ballot;
        roundTrips++;
        List<RegisterRequest<V>> requests = new ArrayList<>(ballot.prepareWith(usedBallot));
        requests.addAll(propose(ballot, content, decision));
        return requests;
      }
    }
    roundTrips++;
    classicBallot = new ClassicBallot<>(rules, acceptorTracker, proposer.newBallot(Kind.CLASSIC));
    return classicBallot.prepare();
  }

  /**
   * The cells of a majority that promised the prepared ballot; empty if no majority did, and once
   * the operation has proposed.
   */
  private List<Cell<V>> promises() {
    PreparedBallot usedBallot = prepared;
    if (usedBallot == null || proposer.hasProposed()) {
      return List.of();
    }
    List<Cell<V>> promises = new ArrayList<>(acceptorTracker.size());
    for (int site = 0; site < acceptorTracker.size(); site++) {
      if (acceptorTracker.progressOf(site) == Progress.READ
          && rules.isPrepared(usedBallot, site, acceptorTracker.cellOf(site))) {
        promises.add(acceptorTracker.cellOf(site).cell());
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
      Decision<V, R> decision = Objects.requireNonNull(classicDecision);
      prepared = round.prepared();
      finish(done(decision.result(), round.proposed(), decision.writes()));
      return requests;
    }
    return round.isHopeless() ? pause() : requests;
  }

  private List<RegisterRequest<V>> decideUnderPromises(ClassicBallot<V> round) {
    Content<V> content = rules.recover(acceptorTracker.cells(Progress.PROMISED));
    Optional<Proposal<R>> ownProposal = proposer.findIn(content);
    if (ownProposal.isEmpty() && proposer.mayBeForgottenIn(content)) {
      expire();
      return List.of();
    }
    roundTrips += 2;
    if (ownProposal.isPresent()) {
      classicDecision = Decision.write(null, ownProposal.get().result());
      return round.propose(content, null);
    }
    return propose(round, content, proposer.decide(content));
  }

  private List<RegisterRequest<V>> propose(
      ClassicBallot<V> round, Content<V> content, Decision<V, R> decision) {
    classicDecision = decision;
    boolean preparesNext = rules.preparesNext(decision, round.ballot(), silentSites);
    return round.propose(
        decision.writes() ? proposer.propose(round.ballot(), content, decision) : content,
        preparesNext ? proposer.newBallot(Kind.CLASSIC) : null);
  }

  private List<RegisterRequest<V>> complete(@Nullable R result, Cell<V> chosen, boolean wrote) {
    finish(done(result, chosen, wrote));
    return List.of();
  }

  private RegisterOutcome<V, R> done(@Nullable R result, Cell<V> chosen, boolean wrote) {
    Content<V> content = chosen.content();
    Ballot proposal =
        wrote ? proposer.findIn(content).orElseThrow().ballot() : content.firstProposed();
    return new RegisterOutcome.Done<>(result, chosen, wrote, proposal);
  }

  private void finish(RegisterOutcome<V, R> finalOutcome) {
    outcome = finalOutcome;
    phase = Phase.DONE;
  }

  private List<RegisterRequest<V>> pause() {
    phase = Phase.PAUSED;
    classicBallot = null;
    return List.of();
  }

  long digest() {
    long flags =
        attempt * 1024L
            + yields * 128L
            + unpromisedAttempts * 16L
            + (hasConfirmed ? 8 : 0)
            + (hasReadAgain ? 4 : 0)
            + (isHurried() ? 1 : 0);
    long hash =
        RegisterDigest.of(RegisterDigest.of(phase.name().hashCode(), flags), proposer.digest());
    hash = RegisterDigest.of(hash, votes == null ? 0 : votes.digest());
    hash = RegisterDigest.of(hash, classicBallot == null ? 0 : classicBallot.digest());
    hash =
        RegisterDigest.of(
            hash,
            prepared == null ? silentSites : RegisterDigest.of(prepared.ballot()) + silentSites);
    return RegisterDigest.of(hash, classicDecision == null ? 0 : classicDecision.digest());
  }

  long digest(int site) {
    boolean hasPromised = prepared != null && prepared.sites().contains(site);
    boolean isSource = classicBallot != null && classicBallot.isSource(site);
    return RegisterDigest.of(
        acceptorTracker.digest(site), (hasPromised ? 1 : 0) + (isSource ? 2 : 0));
  }
}
