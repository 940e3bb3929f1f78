package io.ensemble.primary;

import io.ensemble.register.Update;
import io.ensemble.stamp.Stamp;
import java.util.List;
import java.util.Optional;

/**
 * One operation on one key, in one term: requests out, answers in.
 *
 * <p><b>Idea.</b> The primary decides, by compare-and-set on one entry. The writer reads it, brings
 * its copy to other sites until a majority without the primary lacks one holder only, and then to
 * the primary: so nobody reads there what a fail-over could forget. (The papers' order, the primary
 * first, would let a reader see a write that is then lost; with {@link TermContext#copiesFirst}
 * unset it is used, and that is the price.) A reader asks the primary.
 *
 * <p><b>Recovery.</b> The primary of a new epoch may lack writes that a majority holds, and writes
 * of the former writer may still be on their way. So a key is recovered before it is used: the
 * latest copy that a majority shows goes, marked with the new epoch and as not settled, to the
 * primary; where several clients try, the primary's compare-and-set decides for one content. Then
 * it goes to a majority, and then it is settled at the primary. Recovered copies sort above
 * everything of former epochs and below what is written in the new one.
 *
 * <p><b>Why it is safe.</b> (1) Each site's mark only grows. (2) One epoch has one writer, which
 * gives no sequence twice, and one recovered copy of a key: the one that the primary took. (3) What
 * a client was told, or could read at the primary, is held by a majority, before all trust in its
 * epoch has run out; so every later recovery finds it, or what came after. (4) The writer decides
 * on a copy of its own epoch, or on none in an epoch that is whole: nobody else can change that
 * copy but by ending the epoch, and a compare-and-set that the writer has itself lost sight of dies
 * when it fences the key: a new mark, by the same steps as a recovery. (5) When all keys are
 * recovered, copies of earlier epochs are void, and so are copies that were to be recovered and are
 * not settled. Nobody settles them any more when all leases have run out under which keys were
 * recovered; whoever meets one puts absence in its place, {@link TermContext#isRecovered}. So when
 * the epoch is whole, what was not recovered never comes back.
 *
 * <p>Driving it is as in {@link io.ensemble.register.RegisterOperation}: answers are delivered also
 * after the outcome. Whoever drives it checks the lease when there is an outcome. Not thread-safe.
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

  /** A read by anybody; one round trip in a key that has been recovered. */
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
   * The same for a key of which something is known: sites that showed their copies before are not
   * read again, so that copies for them need one round trip and not two.
   */
  public static <V, R> PrimaryOperation<V, R> write(
      TermContext termContext,
      Update<V, R> update,
      SequenceGenerator sequenceGenerator,
      KnownCopies<V> known) {
    return new PrimaryOperation<>(
        new PrimaryOperationState<>(
            new OperationSpec<>(
                new PrimaryRules(),
                termContext,
                OperationKind.WRITE,
                update,
                sequenceGenerator,
                known)));
  }

  /**
   * A write after one of the same writer and term on the same key whose outcome is unknown. It
   * fences the key first.
   */
  public static <V, R> PrimaryOperation<V, R> fencedWrite(
      TermContext termContext, Update<V, R> update, SequenceGenerator sequenceGenerator) {
    return new PrimaryOperation<>(
        new PrimaryRules(), termContext, OperationKind.FENCED_WRITE, update, sequenceGenerator);
  }

  /** Recovers the key, if there is any, whoever asks. */
  public static <V> PrimaryOperation<V, V> recover(TermContext termContext) {
    return new PrimaryOperation<>(
        new PrimaryRules(),
        termContext,
        OperationKind.RECOVER,
        Update.read(),
        SequenceGenerator.FOR_NOBODY);
  }

  /**
   * Brings a copy that the primary holds to the other sites. It is done when a majority holds that
   * copy, or a later one of the epoch; as with a write, the lease must hold then. The sites that
   * are left are asked on until they have answered or failed.
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

  /** The same operation in the same state, going its own way from here. For exploring. */
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

  /** A site answered a compare-and-set; "no" is looked into, for it may have been performed. */
  public List<PrimaryRequest<V>> onSwap(int site, int tag, boolean swapped) {
    return primaryOperationState.onSwap(site, tag, swapped);
  }

  /** No answer will come: the request may have been performed, or may still be. */
  public List<PrimaryRequest<V>> onLost(int site, int tag) {
    return primaryOperationState.onLost(site, tag);
  }

  /** Whether it found too few sites, and waits for {@link #resume}. */
  public boolean isPaused() {
    return primaryOperationState.isPaused();
  }

  /** Tries again after a pause. */
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

  /** Whether ending it now would leave its outcome unknown. */
  public boolean mayHaveWritten() {
    return primaryOperationState.mayHaveWritten();
  }

  /**
   * Whether it may yet bring copies of former epochs into its own. Where writes may be lost it must
   * then go on only under a lease in which not all keys are recovered; else it is to be ended.
   */
  public boolean recovers() {
    return primaryOperationState.recovers();
  }

  /** The stamp of what a write took the place of; {@link Stamp#NONE} where nothing was. */
  public Stamp replaced() {
    return primaryOperationState.replaced();
  }

  /** What a write has decided to write, once it has, whatever came of it. */
  public Optional<Copy<V>> proposed() {
    return primaryOperationState.proposed();
  }

  /** How many sites besides the primary are known to hold what was written last. */
  public int holders() {
    return primaryOperationState.holders();
  }

  /** Rounds of requests so far: each waits for the answers of the one before. */
  public int roundTrips() {
    return primaryOperationState.roundTrips();
  }

  /** Whether an answer to this request still matters. */
  public boolean awaits(PrimaryRequest<V> request) {
    return primaryOperationState.awaits(request.site(), request.tag());
  }

  /** A fingerprint, equal for operations that will act alike. */
  public long digest() {
    return primaryOperationState.digest();
  }
}
