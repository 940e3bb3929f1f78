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
 * first, would let a reader see a write that is then lost; with {@link Setting#copiesFirst} unset
 * it is used, and that is the price.) A reader asks the primary.
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
 * recovered; whoever meets one puts absence in its place, {@link Setting#isRecovered}. So when the
 * epoch is whole, what was not recovered never comes back.
 *
 * <p>Driving it is as in {@link io.ensemble.register.Operation}: answers are delivered also after
 * the outcome. Whoever drives it checks the lease when there is an outcome. Not thread-safe.
 */
public final class Operation<V, R> {

  private final Course<V, R> course;

  Operation(Course<V, R> course) {
    this.course = course;
  }

  Operation(Rules rules, Setting setting, Kind kind, Update<V, R> update, Sequences sequences) {
    this(new Course<>(new Errand<>(rules, setting, kind, update, sequences)));
  }

  /** A read by anybody; one round trip in a key that has been recovered. */
  public static <V> Operation<V, V> read(Setting setting) {
    return new Operation<>(new Rules(), setting, Kind.READ, Update.read(), Sequences.FOR_NOBODY);
  }

  /** A write, conditional or not, by the writer of the term. */
  public static <V, R> Operation<V, R> write(
      Setting setting, Update<V, R> update, Sequences sequences) {
    return new Operation<>(new Rules(), setting, Kind.WRITE, update, sequences);
  }

  /**
   * The same for a key of which something is known: sites that showed their copies before are not
   * read again, so that copies for them need one round trip and not two.
   */
  public static <V, R> Operation<V, R> write(
      Setting setting, Update<V, R> update, Sequences sequences, Known<V> known) {
    return new Operation<>(
        new Course<>(new Errand<>(new Rules(), setting, Kind.WRITE, update, sequences, known)));
  }

  /**
   * A write after one of the same writer and term on the same key whose outcome is unknown. It
   * fences the key first.
   */
  public static <V, R> Operation<V, R> fencedWrite(
      Setting setting, Update<V, R> update, Sequences sequences) {
    return new Operation<>(new Rules(), setting, Kind.FENCED_WRITE, update, sequences);
  }

  /** Recovers the key, if there is any, whoever asks. */
  public static <V> Operation<V, V> recover(Setting setting) {
    return new Operation<>(new Rules(), setting, Kind.RECOVER, Update.read(), Sequences.FOR_NOBODY);
  }

  /**
   * Brings a copy that the primary holds to the other sites. It is done when a majority holds that
   * copy, or a later one of the epoch; as with a write, the lease must hold then. The sites that
   * are left are asked on until they have answered or failed.
   */
  public static <V> Operation<V, V> copy(Setting setting, Copy<V> copy) {
    Operation<V, V> operation =
        new Operation<>(new Rules(), setting, Kind.COPY, Update.read(), Sequences.FOR_NOBODY);
    operation.toCopy(copy);
    return operation;
  }

  void toCopy(Copy<V> copy) {
    course.toCopy(copy);
  }

  /** The same operation in the same state, going its own way from here. For exploring. */
  public Operation<V, R> copy() {
    return new Operation<>(new Course<>(course));
  }

  /** Begins. */
  public List<Request<V>> start() {
    return course.start();
  }

  /** A site showed its copy. */
  public List<Request<V>> onRead(int site, int tag, Shown<V> shown) {
    return course.onRead(site, tag, shown);
  }

  /** A site answered a compare-and-set; "no" is looked into, for it may have been performed. */
  public List<Request<V>> onSwap(int site, int tag, boolean swapped) {
    return course.onSwap(site, tag, swapped);
  }

  /** No answer will come: the request may have been performed, or may still be. */
  public List<Request<V>> onLost(int site, int tag) {
    return course.onLost(site, tag);
  }

  /** Whether it found too few sites, and waits for {@link #resume}. */
  public boolean isPaused() {
    return course.isPaused();
  }

  /** Tries again after a pause. */
  public List<Request<V>> resume() {
    return course.resume();
  }

  /** Ends an operation that has no outcome yet. */
  public Outcome<V, R> expire() {
    return course.expire();
  }

  /** The outcome, once there is one. */
  public Optional<Outcome<V, R>> outcome() {
    return course.outcome();
  }

  /** Whether ending it now would leave its outcome unknown. */
  public boolean mayHaveWritten() {
    return course.mayHaveWritten();
  }

  /**
   * Whether it may yet bring copies of former epochs into its own. Where writes may be lost it must
   * then go on only under a lease in which not all keys are recovered; else it is to be ended.
   */
  public boolean recovers() {
    return course.recovers();
  }

  /** The stamp of what a write took the place of; {@link Stamp#NONE} where nothing was. */
  public Stamp replaced() {
    return course.replaced();
  }

  /** What a write has decided to write, once it has, whatever came of it. */
  public Optional<Copy<V>> proposed() {
    return course.proposed();
  }

  /** How many sites besides the primary are known to hold what was written last. */
  public int holders() {
    return course.holders();
  }

  /** Rounds of requests so far: each waits for the answers of the one before. */
  public int roundTrips() {
    return course.roundTrips();
  }

  /** Whether an answer to this request still matters. */
  public boolean awaits(Request<V> request) {
    return course.awaits(request.site(), request.tag());
  }

  /** A fingerprint, equal for operations that will act alike. */
  public long digest() {
    return course.digest();
  }
}
