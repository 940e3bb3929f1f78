package io.ensemble.primary;

import io.ensemble.register.Update;
import io.ensemble.stamp.Stamp;
import java.util.List;
import java.util.Optional;

/**
 * One operation on one key, in one term: requests out, responses in.
 *
 * <p><b>Idea.</b> The primary decides, by compare-and-set on one entry. The writer reads that
 * entry. Then the writer copies the new value to other sites until these, together with the
 * primary, are a majority. The primary's entry comes last, so that no process reads a value there
 * that a fail-over could lose. (The papers' order is the primary first, which lets a reader see a
 * write that is then lost. With {@link TermContext#copiesFirst} unset, the papers' order is used,
 * at that price.) A reader asks the primary.
 *
 * <p><b>Recovery.</b> The primary of a new epoch may lack writes that a majority holds, and writes
 * of the former writer may still be in progress. So a key is recovered before it is used. The
 * latest copy that a majority shows is written to the primary, marked with the new epoch and as not
 * settled. If several clients try, the primary's compare-and-set decides for one content. Then the
 * copy is written to a majority, and then it is settled at the primary. Recovered copies sort above
 * all copies of former epochs and below all writes of the new one.
 *
 * <p><b>Why it is safe.</b>
 *
 * <ol>
 *   <li>Each site's mark only grows.
 *   <li>One epoch has one writer, which gives no sequence twice, and one recovered copy of a key:
 *       the one that the primary took.
 *   <li>A majority holds every value that was returned to a client, or could be read at the
 *       primary, before all leases on its epoch have expired. So every later recovery finds that
 *       value or a later one.
 *   <li>The writer decides on a copy of its own epoch, or on absence in an epoch that is whole.
 *       Another process can change that copy only by ending the epoch. A compare-and-set of the
 *       writer with an unknown outcome becomes ineffective when the writer fences the key: a new
 *       mark, by the same steps as a recovery.
 *   <li>When all keys are recovered, copies of earlier epochs are void, and so are copies that were
 *       to be recovered and are not settled. No process settles them any more once all leases under
 *       which keys were recovered have expired. A process that finds such a copy replaces it by
 *       absence, {@link TermContext#isRecovered}. So when the epoch is whole, a copy that was not
 *       recovered never returns.
 * </ol>
 *
 * <p>Driving it is as in {@link io.ensemble.register.RegisterOperation}: responses are delivered
 * also after the outcome. The driver checks the lease when there is an outcome. Not thread-safe.
 */
public final class PrimaryOperation<V, R> {

  private final PrimaryOperationState<V, R> primaryOperationState;

  PrimaryOperation(PrimaryOperationState<V, R> primaryOperationState) {
    this.primaryOperationState = primaryOperationState;
  }

  PrimaryOperation(
      PrimaryRules rules,
      TermContext termContext,
      OperationKind kind,
      Update<V, R> update,
      SequenceGenerator sequenceGenerator) {
    this(
        new PrimaryOperationState<>(
            new OperationSpec<>(rules, termContext, kind, update, sequenceGenerator)));
  }

  /** A read by any process; one round trip for a recovered key. */
  public static <V> PrimaryOperation<V, V> read(TermContext termContext) {
    return new PrimaryOperation<>(
        new PrimaryRules(),
        termContext,
        OperationKind.READ,
        Update.read(),
        SequenceGenerator.FOR_NOBODY);
  }

  /** A write, conditional or not, by the writer of the term. */
  public static <V, R> PrimaryOperation<V, R> write(
      TermContext termContext, Update<V, R> update, SequenceGenerator sequenceGenerator) {
    return new PrimaryOperation<>(
        new PrimaryRules(), termContext, OperationKind.WRITE, update, sequenceGenerator);
  }

  /**
   * A write of a key with known copies: sites that showed their copies before are not read again,
   * so that replication to them needs one round trip instead of two.
   */
  public static <V, R> PrimaryOperation<V, R> write(
      TermContext termContext,
      Update<V, R> update,
      SequenceGenerator sequenceGenerator,
      KnownCopies<V> knownCopies) {
    return new PrimaryOperation<>(
        new PrimaryOperationState<>(
            new OperationSpec<>(
                new PrimaryRules(),
                termContext,
                OperationKind.WRITE,
                update,
                sequenceGenerator,
                knownCopies)));
  }

  /**
   * A write after one of the same writer and term on the same key with an unknown outcome. The
   * operation fences the key first.
   */
  public static <V, R> PrimaryOperation<V, R> fencedWrite(
      TermContext termContext, Update<V, R> update, SequenceGenerator sequenceGenerator) {
    return new PrimaryOperation<>(
        new PrimaryRules(), termContext, OperationKind.FENCED_WRITE, update, sequenceGenerator);
  }

  /** Recovers the key, if it exists; any process may ask for it. */
  public static <V> PrimaryOperation<V, V> recover(TermContext termContext) {
    return new PrimaryOperation<>(
        new PrimaryRules(),
        termContext,
        OperationKind.RECOVER,
        Update.read(),
        SequenceGenerator.FOR_NOBODY);
  }

  /**
   * Replicates a copy that the primary holds to the other sites. The operation is done when a
   * majority holds that copy, or a later one of the epoch; as with a write, the lease must hold
   * then. The operation continues to ask the remaining sites until they have answered or failed.
   */
  public static <V> PrimaryOperation<V, V> copy(TermContext termContext, Copy<V> copy) {
    PrimaryOperation<V, V> operation =
        new PrimaryOperation<>(
            new PrimaryRules(),
            termContext,
            OperationKind.COPY,
            Update.read(),
            SequenceGenerator.FOR_NOBODY);
    operation.toCopy(copy);
    return operation;
  }

  void toCopy(Copy<V> copy) {
    primaryOperationState.toCopy(copy);
  }

  /** An independent copy of the operation in the same state, for state exploration. */
  public PrimaryOperation<V, R> copy() {
    return new PrimaryOperation<>(new PrimaryOperationState<>(primaryOperationState));
  }

  /** Begins. */
  public List<PrimaryRequest<V>> start() {
    return primaryOperationState.start();
  }

  /** A site showed its copy. */
  public List<PrimaryRequest<V>> onRead(int site, int tag, VersionedCopy<V> versionedCopy) {
    return primaryOperationState.onRead(site, tag, versionedCopy);
  }

  /**
   * A site answered a compare-and-set. After a rejection the copy is read again, because the
   * compare-and-set may have been performed.
   */
  public List<PrimaryRequest<V>> onSwap(int site, int tag, boolean swapped) {
    return primaryOperationState.onSwap(site, tag, swapped);
  }

  /** No response will come: the request may have been performed, or may still be. */
  public List<PrimaryRequest<V>> onLost(int site, int tag) {
    return primaryOperationState.onLost(site, tag);
  }

  /** Whether the operation found too few sites, and waits for {@link #resume}. */
  public boolean isPaused() {
    return primaryOperationState.isPaused();
  }

  /** Retries after a pause. */
  public List<PrimaryRequest<V>> resume() {
    return primaryOperationState.resume();
  }

  /** Ends an operation that has no outcome yet. */
  public PrimaryOutcome<V, R> expire() {
    return primaryOperationState.expire();
  }

  /** The outcome, once there is one. */
  public Optional<PrimaryOutcome<V, R>> outcome() {
    return primaryOperationState.outcome();
  }

  /** Whether ending the operation now would leave its outcome unknown. */
  public boolean mayHaveWritten() {
    return primaryOperationState.mayHaveWritten();
  }

  /**
   * Whether the operation may still bring copies of former epochs into its own. Where writes may be
   * lost, it must then continue only under a lease in which not all keys are recovered; otherwise
   * it must be ended.
   */
  public boolean recovers() {
    return primaryOperationState.recovers();
  }

  /** The stamp of the value that a write replaced; {@link Stamp#NONE} if there was none. */
  public Stamp replaced() {
    return primaryOperationState.replaced();
  }

  /** The copy that a write has decided to write, once it has, whatever its outcome. */
  public Optional<Copy<V>> proposed() {
    return primaryOperationState.proposed();
  }

  /** How many sites besides the primary are known to hold the last copy written. */
  public int holders() {
    return primaryOperationState.holders();
  }

  /** Rounds of requests so far: each waits for the responses of the one before. */
  public int roundTrips() {
    return primaryOperationState.roundTrips();
  }

  /** Whether a response to this request still matters. */
  public boolean awaits(PrimaryRequest<V> request) {
    return primaryOperationState.awaits(request.site(), request.tag());
  }

  /** A fingerprint, equal for operations that will act alike. */
  public long digest() {
    return primaryOperationState.digest();
  }
}
