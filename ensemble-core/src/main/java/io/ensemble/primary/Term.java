package io.ensemble.primary;

import io.ensemble.stamp.WriterId;
import java.util.List;

/**
 * The record of a cache in its control register: which site is the primary and which process may
 * write. Every change of primary or writer is a new epoch. Each method returns the record that
 * replaces this one by a compare-and-set.
 *
 * @param epoch the term's number, from 1 on
 * @param primary the site that orders writes and answers reads
 * @param writer the process that may write; {@link WriterId#NONE} when none may
 * @param beat counts the heartbeats in this term
 * @param active false until all leases of the former term have expired
 * @param floor the last epoch into which every key was recovered
 * @param closing whether every key has been recovered into this epoch, and calls that began before
 *     may still bring in writes that a fail-over has lost
 */
public record Term(
    long epoch,
    String primary,
    WriterId writer,
    long beat,
    boolean active,
    long floor,
    boolean closing) {

  public Term {
    if (epoch < 1 || floor < 1 || floor > epoch || beat < 0) {
      throw new IllegalArgumentException(
          "expected 1 <= floor <= epoch, beat >= 0; floor=%d epoch=%d beat=%d"
              .formatted(floor, epoch, beat));
    }
    if (closing && floor != epoch) {
      throw new IllegalArgumentException(
          "only a recovered term can be closing; floor=%d epoch=%d".formatted(floor, epoch));
    }
  }

  /** A term that is not closing. */
  public Term(long epoch, String primary, WriterId writer, long beat, boolean active, long floor) {
    this(epoch, primary, writer, beat, active, floor, false);
  }

  /** The first term of a cache, which has no keys yet. */
  public static Term first(String primary, WriterId writer) {
    return new Term(1, primary, writer, 0, true, 1);
  }

  /** The term under a later number, without operations until it is {@link #activated()}. */
  Term renumbered(long later, long laterFloor) {
    return new Term(later, primary, writer, 0, false, laterFloor);
  }

  /** The next term, without operations until it is {@link #activated()}. */
  public Term succeeded(String nextPrimary, WriterId nextWriter) {
    return new Term(epoch + 1, nextPrimary, nextWriter, 0, false, floor);
  }

  /**
   * The next term, active immediately. The former writer has released the term, and the primary
   * stays, so that leases on the former term remain correct.
   */
  public Term handedOver(WriterId nextWriter) {
    if (!active || !writer.equals(WriterId.NONE)) {
      throw new IllegalStateException("only a term without a writer can be handed over; " + this);
    }
    return new Term(epoch + 1, primary, nextWriter, 0, true, floor);
  }

  /** The term after it has begun. */
  public Term activated() {
    return new Term(epoch, primary, writer, beat + 1, true, floor);
  }

  /** The term after a heartbeat of its writer. */
  public Term beaten() {
    return new Term(epoch, primary, writer, beat + 1, active, floor, closing);
  }

  /** The term without its writer. */
  public Term released() {
    return new Term(epoch, primary, WriterId.NONE, beat + 1, active, floor, closing);
  }

  /** The term, with every key recovered into it, while recovering calls may be in progress. */
  public Term recoveredFirst() {
    return new Term(epoch, primary, writer, beat + 1, active, epoch, true);
  }

  /** The term, with every key recovered into it, and no recovering call left. */
  public Term recovered() {
    return new Term(epoch, primary, writer, beat + 1, active, epoch);
  }

  /**
   * Whether every key has been recovered into this term, so that copies of former terms are void.
   */
  public boolean isRecovered() {
    return floor == epoch;
  }

  /** Whether, in addition, a copy that was not recovered can never return. */
  public boolean isWhole() {
    return isRecovered() && !closing;
  }

  /**
   * Whether the writer has certainly been alive since its record was {@code before}. Either the
   * writer is new, or the term has more heartbeats than it takes to begin it and to recover its
   * keys, which any process does.
   */
  public boolean isSignOfLifeSince(Term before) {
    return !writer.equals(before.writer)
        || (epoch == before.epoch && beat - before.beat > stage() - before.stage());
  }

  private int stage() {
    return (active ? 1 : 0) + (isRecovered() ? 1 : 0) + (isWhole() ? 1 : 0);
  }

  /** The context of operations of this term. */
  public TermContext setting(List<String> sites, boolean copiesFirst) {
    int index = sites.indexOf(primary);
    if (index < 0) {
      throw new IllegalStateException(
          "the primary must be one of the sites; " + this + " " + sites);
    }
    return new TermContext(sites.size(), index, epoch, floor, copiesFirst);
  }
}
