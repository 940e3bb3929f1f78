package io.ensemble.primary;

import io.ensemble.stamp.WriterId;
import java.util.List;

/**
 * The record that a control register keeps of a cache: whose turn it is. Every change of primary or
 * writer is a new epoch. Each method gives the record to put in this one's place by a
 * compare-and-set.
 *
 * @param epoch the term's number, from 1 on
 * @param primary the site that orders writes and answers reads
 * @param writer who may write; {@link WriterId#NONE} when nobody may
 * @param beat counts the signs of life in this term
 * @param active false until all leases of the former term have run out
 * @param floor the last epoch into which every key was recovered
 * @param closing whether every key has been recovered into this epoch, and calls that began before
 *     may still bring in what a fail-over has lost
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
          "wanted 1 <= floor <= epoch, beat >= 0; floor=%d epoch=%d beat=%d"
              .formatted(floor, epoch, beat));
    }
    if (closing && floor != epoch) {
      throw new IllegalArgumentException(
          "only a recovered term is closing; floor=%d epoch=%d".formatted(floor, epoch));
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

  /** This term under a later number, in which nothing happens until it is {@link #activated()}. */
  Term renumbered(long later, long laterFloor) {
    return new Term(later, primary, writer, 0, false, laterFloor);
  }

  /** The next term, in which nothing happens until it is {@link #activated()}. */
  public Term succeeded(String nextPrimary, WriterId nextWriter) {
    return new Term(epoch + 1, nextPrimary, nextWriter, 0, false, floor);
  }

  /**
   * The next term, active at once: the writer has given up, and the primary stays, so that what is
   * still trusted is true.
   */
  public Term handedOver(WriterId nextWriter) {
    if (!active || !writer.equals(WriterId.NONE)) {
      throw new IllegalStateException("only a term without a writer is handed over; " + this);
    }
    return new Term(epoch + 1, primary, nextWriter, 0, true, floor);
  }

  /** This term, begun. */
  public Term activated() {
    return new Term(epoch, primary, writer, beat + 1, true, floor);
  }

  /** This term, its writer alive. */
  public Term beaten() {
    return new Term(epoch, primary, writer, beat + 1, active, floor, closing);
  }

  /** This term, its writer gone. */
  public Term released() {
    return new Term(epoch, primary, WriterId.NONE, beat + 1, active, floor, closing);
  }

  /** This term, with every key recovered into it, while calls that recover may be under way. */
  public Term recoveredFirst() {
    return new Term(epoch, primary, writer, beat + 1, active, epoch, true);
  }

  /** This term, with every key recovered into it, and no call left that recovers. */
  public Term recovered() {
    return new Term(epoch, primary, writer, beat + 1, active, epoch);
  }

  /** Whether every key has been recovered into this term: what is of former ones is void. */
  public boolean isRecovered() {
    return floor == epoch;
  }

  /** Whether, besides, what was not recovered never comes back. */
  public boolean isWhole() {
    return isRecovered() && !closing;
  }

  /**
   * Whether the writer has certainly done something since its record was {@code before}: it came,
   * or the term was beaten more often than it takes to begin it and to recover its keys, which
   * anybody does.
   */
  public boolean isSignOfLifeSince(Term before) {
    return !writer.equals(before.writer)
        || (epoch == before.epoch && beat - before.beat > stage() - before.stage());
  }

  private int stage() {
    return (active ? 1 : 0) + (isRecovered() ? 1 : 0) + (isWhole() ? 1 : 0);
  }

  /** Where operations of this term take place. */
  public TermContext setting(List<String> sites, boolean copiesFirst) {
    int index = sites.indexOf(primary);
    if (index < 0) {
      throw new IllegalStateException("the primary is one of the sites; " + this + " " + sites);
    }
    return new TermContext(sites.size(), index, epoch, floor, copiesFirst);
  }
}
