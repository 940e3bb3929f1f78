package io.ensemble.register;

import io.ensemble.quorum.Quorum;
import java.util.List;
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
 * compare-and-set does not tell the new entry version, hence the second read. While a site is lost,
 * no fast ballot can be chosen without it: then a site that accepts promises the writer's next
 * ballot in the same step, and its next write needs no other promise (read, accept: two).
 *
 * <p><b>Why it is safe</b> is argued in {@link RegisterRules} and {@link ContentSelection} decision
 * by decision. In short: a site votes at most once from any state; a content is chosen by a quorum
 * of votes for one ballot; every ballot stands on something chosen before; an operation looks for
 * its own earlier proposals before it proposes again, and gives up as unknown when the register may
 * have forgotten them.
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
public final class RegisterOperation<V, R> {

  private final RegisterOperationState<V, R> registerOperationState;

  private RegisterOperation(RegisterOperationState<V, R> registerOperationState) {
    this.registerOperationState = registerOperationState;
  }

  RegisterOperation(
      RegisterRules rules,
      BallotGenerator ballotGenerator,
      Update<V, R> update,
      Ballot known,
      @Nullable PreparedBallot prepared,
      boolean settling) {
    this(new RegisterOperationState<>(rules, ballotGenerator, update, known, prepared, settling));
  }

  /**
   * An operation of the writer of {@code ballotGenerator} on a register kept by {@code
   * quorum.sites()} sites.
   *
   * @param known a ballot that the caller knows to have been chosen, or {@link Ballot#ZERO}
   */
  public static <V, R> RegisterOperation<V, R> of(
      Quorum quorum, BallotGenerator ballotGenerator, Update<V, R> update, Ballot known) {
    return of(quorum, ballotGenerator, update, known, Optional.empty());
  }

  /**
   * As the other one, with a ballot that may be promised already.
   *
   * @param prepared what an earlier operation of this writer, on the same register in the same
   *     stores, returned from {@link #prepared}, and what no operation since was given
   */
  public static <V, R> RegisterOperation<V, R> of(
      Quorum quorum,
      BallotGenerator ballotGenerator,
      Update<V, R> update,
      Ballot known,
      Optional<PreparedBallot> prepared) {
    return new RegisterOperation<>(
        new RegisterRules(quorum), ballotGenerator, update, known, prepared.orElse(null), false);
  }

  /**
   * A read that goes through a classic ballot even where the answers agree, and so leaves every
   * cell that it touched with a fresh promise and entry version: what a site's refill needs, so
   * that nothing that was under way with the lost incarnation can complete.
   */
  public static <V> RegisterOperation<V, V> settle(Quorum quorum, BallotGenerator ballotGenerator) {
    return new RegisterOperation<>(
        new RegisterRules(quorum), ballotGenerator, Update.read(), Ballot.ZERO, null, true);
  }

  /** The same operation in the same state, going its own way from here. For exploring. */
  public RegisterOperation<V, R> copy() {
    return new RegisterOperation<>(registerOperationState.copy());
  }

  /** Begins with a read of every site. */
  public List<RegisterRequest<V>> start() {
    return registerOperationState.start();
  }

  /**
   * Begins a write from what every site showed some time ago: one round trip if nothing changed
   * since. Any disappointment leads to a fresh read.
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

  /** A site answered a compare-and-set; "no" is looked into, for it may have been performed. */
  public List<RegisterRequest<V>> onSwap(int site, int tag, boolean swapped) {
    return registerOperationState.onSwap(site, tag, swapped);
  }

  /** No answer will come: the request may have been performed, or may still be. */
  public List<RegisterRequest<V>> onLost(int site, int tag) {
    return registerOperationState.onLost(site, tag);
  }

  /**
   * Stop waiting for slow sites: for those whose answers would only spare a round trip, and in a
   * ballot that another one has pre-empted, for those without which it cannot succeed any more. It
   * then pauses, to try again above the other.
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

  /** Tries again from a fresh read. */
  public List<RegisterRequest<V>> resume() {
    return registerOperationState.resume();
  }

  /** Ends an operation that has no outcome yet: unknown if it proposed anything, else refused. */
  public RegisterOutcome<V, R> expire() {
    return registerOperationState.expire();
  }

  /** The outcome, once there is one. */
  public Optional<RegisterOutcome<V, R>> outcome() {
    return registerOperationState.outcome();
  }

  /**
   * What the writer's next operation on the register may be given, once there is an outcome: it
   * then takes two round trips with a site lost, and not four. Empty where nothing was promised,
   * and where what this operation was given is used up.
   */
  public Optional<PreparedBallot> prepared() {
    return registerOperationState.prepared();
  }

  /** How many times the operation began, which counts a beginning from memory. */
  public int attempt() {
    return registerOperationState.attempt();
  }

  /** Rounds of requests so far: each waits for the answers of the one before. */
  public int roundTrips() {
    return registerOperationState.roundTrips();
  }

  /** The highest round that this operation saw or used. */
  public long highestRound() {
    return registerOperationState.highestRound();
  }

  /** How many sites answered the last question. */
  public int heard() {
    return registerOperationState.sites().heard();
  }

  /** Whether an answer to this request still matters. */
  public boolean awaits(RegisterRequest<V> request) {
    return registerOperationState.sites().awaits(request.site(), request.tag());
  }

  /** A fingerprint of everything but the sites, equal for operations that will act alike. */
  public long digest() {
    return registerOperationState.digest();
  }

  /** A fingerprint of what this operation knows of one site. */
  public long digest(int site) {
    return registerOperationState.digest(site);
  }
}
