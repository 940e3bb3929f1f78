package io.ensemble.register;

import io.ensemble.quorum.Quorum;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One operation of one client on one register: requests out, responses in.
 *
 * <p><b>Idea.</b> Each site is an acceptor of CASPaxos (Rystsov 2018) that supports only a read and
 * a compare-and-set. An operation reads all sites; that read is the first half of every later
 * compare-and-set. If the responses prove a content chosen, a read or an unmet condition is done
 * (one round trip). A write then votes for its successor directly from the cells that it read,
 * without promises (two round trips; Fast Paxos, Lamport 2006). If a majority disagrees, a read
 * repairs it (two). All other cases take a classic ballot: promise, read again, accept (four). The
 * second read is needed because a compare-and-set does not return the new entry version. While a
 * site is lost, no fast ballot can be chosen without it. Then a site that accepts promises the
 * writer's next ballot in the same step, and the next write needs no other promise (read, accept:
 * two).
 *
 * <p><b>Why it is safe</b> is argued in {@link RegisterRules} and {@link ContentSelection},
 * decision by decision. In short: a site votes at most once from any state. A content is chosen by
 * a quorum of votes for one ballot, and every ballot is based on a chosen one. An operation looks
 * for its own earlier proposals before it proposes again. If the register may no longer remember
 * them, the operation ends as unknown.
 *
 * <p><b>A site that loses its memory</b> must stop answering under its old incarnation. Acceptance
 * is requested only after every site whose cell gave the content was read again with the promise in
 * place. So at one moment all of them held the promise and the cells that were used.
 *
 * <p><b>Driving it.</b> Call {@link #start} once and then one {@code on…} method for each response,
 * performing the requests that each call returns, until {@link #outcome} is present. Deliver later
 * responses as well, so that slow sites catch up. While {@link #isPaused}, call {@link #resume}
 * after a delay that differs between clients. {@link #expire} ends the operation. Not thread-safe:
 * one thread, or one lock, drives it. {@code V} and {@code R} need value equality only for {@link
 * #digest}.
 */
public final class RegisterOperation<V, R> {

  private final RegisterOperationState<V, R> registerOperationState;

  private RegisterOperation(RegisterOperationState<V, R> registerOperationState) {
    this.registerOperationState = registerOperationState;
  }

  RegisterOperation(
      RegisterRules rules,
      BallotGenerator ballotGenerator,
      Update<V, R> update,
      Ballot knownBallot,
      @Nullable PreparedBallot prepared,
      boolean classicOnly,
      RivalPolicy rivalPolicy) {
    this(
        new RegisterOperationState<>(
            rules, ballotGenerator, update, knownBallot, prepared, classicOnly, rivalPolicy));
  }

  /**
   * An operation of the writer of {@code ballotGenerator} on a register kept by {@code
   * quorum.sites()} sites.
   *
   * @param knownBallot a ballot that the caller has seen chosen, or {@link Ballot#ZERO}
   */
  public static <V, R> RegisterOperation<V, R> of(
      Quorum quorum, BallotGenerator ballotGenerator, Update<V, R> update, Ballot knownBallot) {
    return of(quorum, ballotGenerator, update, knownBallot, Optional.empty(), RivalPolicy.DEFAULT);
  }

  /**
   * An operation with a ballot that may be promised already.
   *
   * @param prepared the result of {@link #prepared} of an earlier operation of this writer, on the
   *     same register in the same stores; no operation since may have received it
   * @param rivalPolicy how it treats rivals
   */
  public static <V, R> RegisterOperation<V, R> of(
      Quorum quorum,
      BallotGenerator ballotGenerator,
      Update<V, R> update,
      Ballot knownBallot,
      Optional<PreparedBallot> prepared,
      RivalPolicy rivalPolicy) {
    return new RegisterOperation<>(
        new RegisterRules(quorum),
        ballotGenerator,
        update,
        knownBallot,
        prepared.orElse(null),
        false,
        rivalPolicy);
  }

  /**
   * A read that uses a classic ballot even where the responses agree. So every cell that it touched
   * has a fresh promise and entry version. The refill of a site needs this, so that no request of
   * the lost incarnation can complete.
   */
  public static <V> RegisterOperation<V, V> settle(Quorum quorum, BallotGenerator ballotGenerator) {
    return new RegisterOperation<>(
        new RegisterRules(quorum),
        ballotGenerator,
        Update.read(),
        Ballot.ZERO,
        null,
        true,
        RivalPolicy.DEFAULT);
  }

  /** An independent copy of the operation in the same state, for state exploration. */
  public RegisterOperation<V, R> copy() {
    return new RegisterOperation<>(registerOperationState.copy());
  }

  /** Begins with a read of every site. */
  public List<RegisterRequest<V>> start() {
    return registerOperationState.start();
  }

  /**
   * Begins a write from the cells that every site showed some time ago: one round trip if no cell
   * changed since. If a cell has changed, the operation reads again.
   *
   * @param remembered one cell a site, in the order of the sites
   */
  public List<RegisterRequest<V>> startFrom(List<VersionedCell<V>> remembered) {
    return registerOperationState.startFrom(remembered);
  }

  /** A site showed its cell. */
  public List<RegisterRequest<V>> onRead(int site, int tag, VersionedCell<V> versionedCell) {
    return registerOperationState.onRead(site, tag, versionedCell);
  }

  /**
   * A site answered a compare-and-set. After a rejection the cell is read again, because the
   * compare-and-set may have been performed.
   */
  public List<RegisterRequest<V>> onSwap(int site, int tag, boolean swapped) {
    return registerOperationState.onSwap(site, tag, swapped);
  }

  /** No response will come: the request may have been performed, or may still be. */
  public List<RegisterRequest<V>> onLost(int site, int tag) {
    return registerOperationState.onLost(site, tag);
  }

  /**
   * Stops waiting for slow sites. In a read or vote, these are sites that would only save a round
   * trip. In a ballot that another one has pre-empted, these are sites without which the ballot can
   * no longer succeed. In that case the operation pauses, to retry above the other ballot.
   */
  public List<RegisterRequest<V>> onHurry() {
    return registerOperationState.onHurry();
  }

  /** Whether {@link #onHurry} could change anything now. */
  public boolean canHurry() {
    return registerOperationState.canHurry();
  }

  /** Whether the operation was pre-empted or found too few sites, and waits for {@link #resume}. */
  public boolean isPaused() {
    return registerOperationState.isPaused();
  }

  /** Whether the operation pauses to let a rival end its write. */
  public boolean isYielding() {
    return registerOperationState.isYielding();
  }

  /** Retries from a fresh read. */
  public List<RegisterRequest<V>> resume() {
    return registerOperationState.resume();
  }

  /**
   * Ends an operation that has no outcome yet: unknown if it proposed anything, otherwise refused.
   */
  public RegisterOutcome<V, R> expire() {
    return registerOperationState.expire();
  }

  /** The outcome, once there is one. */
  public Optional<RegisterOutcome<V, R>> outcome() {
    return registerOperationState.outcome();
  }

  /**
   * The prepared ballot for the writer's next operation on the register, once there is an outcome.
   * With it and a site lost, that operation takes two round trips instead of four. Empty if no site
   * promised, and if this operation has used the ballot that it was given.
   */
  public Optional<PreparedBallot> prepared() {
    return registerOperationState.prepared();
  }

  /**
   * The cells from which the writer's next operation may start ({@link #startFrom}), once there is
   * an outcome: those of all sites, if this operation wrote nothing and all sites showed the chosen
   * content.
   */
  public Optional<List<VersionedCell<V>>> shownCells() {
    return outcome()
        .filter(RegisterOutcome.Done.class::isInstance)
        .map(done -> (RegisterOutcome.Done<V, R>) done)
        .filter(done -> !done.wrote())
        .flatMap(done -> registerOperationState.cellsToVoteFrom(done.cell()));
  }

  /** How many times the operation began, including a start from remembered cells. */
  public int attempt() {
    return registerOperationState.attempt();
  }

  /** Rounds of requests so far: each waits for the responses of the one before. */
  public int roundTrips() {
    return registerOperationState.roundTrips();
  }

  /** The highest round that this operation saw or used. */
  public long highestRound() {
    return registerOperationState.highestRound();
  }

  /** How many sites answered the last request. */
  public int heard() {
    return registerOperationState.sites().countResponses();
  }

  /** Whether a response to this request still matters. */
  public boolean awaits(RegisterRequest<V> request) {
    return registerOperationState.sites().awaits(request.site(), request.tag());
  }

  /** A fingerprint of the state except for the sites, equal for operations that will act alike. */
  public long digest() {
    return registerOperationState.digest();
  }

  /** A fingerprint of the state that this operation keeps of one site. */
  public long digest(int site) {
    return registerOperationState.digest(site);
  }
}
