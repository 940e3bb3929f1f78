package io.ensemble.objects.protocol;

import java.time.Duration;
import java.util.stream.IntStream;

/**
 * Sizes and times of the protocol. Processes may use different settings; safety depends on none of
 * them.
 *
 * @param inlineBytes the maximum size of a state in the root; a larger state gets an entry of its
 *     own
 * @param tailBytes the bytes of calls after a snapshot until the next one; a sixteenth of the
 *     snapshot if that is more, up to 64 KiB; at most a quarter of {@code rootBytes}, to leave room
 *     for the steps until the snapshot is written
 * @param tailSteps the minimum number of steps between two snapshots, unless the steps hold more
 *     than 64 KiB
 * @param stateBytes the maximum size of a state; a call that makes a larger state is not applied,
 *     unless it makes the state smaller than before
 * @param rootBytes the maximum size of the root, with the outcomes in it; calls whose results do
 *     not fit together are declined, the later ones first
 * @param callBytes the maximum size of a call with its arguments
 * @param resultBytes the maximum size of the result of one call
 * @param batchCalls the maximum number of calls of a process in one step
 * @param members the number of sessions that the root remembers
 * @param watched the number of mailboxes that a combiner reads
 * @param loneSteps after how many steps of the object a session that is no combiner looks into the
 *     shared mailbox, beside its next step
 * @param queued the number of calls of a process that may wait
 * @param patience how long a session leaves its calls to a combiner before it applies them itself;
 *     longer where responses take longer
 * @param duty how long a combiner that finds no batch continues to poll
 * @param freshness the maximum age of the root that answers a sequential read
 * @param comparing whether every call is applied to two copies of the state that are then compared,
 *     to find methods that depend on more than state and arguments
 */
public record ProtocolSettings(
    int inlineBytes,
    int tailBytes,
    int tailSteps,
    int stateBytes,
    int rootBytes,
    int callBytes,
    int resultBytes,
    int batchCalls,
    int members,
    int watched,
    int loneSteps,
    int queued,
    Duration patience,
    Duration duty,
    Duration freshness,
    boolean comparing) {

  /** Throws {@link IllegalArgumentException} for a size below one or a negative time. */
  public ProtocolSettings {
    int least =
        IntStream.of(
                inlineBytes,
                tailBytes,
                tailSteps,
                stateBytes,
                rootBytes,
                callBytes,
                resultBytes,
                batchCalls,
                members,
                watched,
                loneSteps,
                queued)
            .min()
            .getAsInt();
    if (least < 1 || patience.isNegative() || duty.isNegative() || freshness.isNegative()) {
      throw new IllegalArgumentException("sizes must be above zero, times must not be negative");
    }
  }

  /** Settings for a cluster at one location. */
  public static final ProtocolSettings DEFAULT =
      new ProtocolSettings(
          32 << 10,
          64 << 10,
          1,
          1 << 20,
          4 << 20,
          256 << 10,
          256 << 10,
          256,
          64,
          16,
          32,
          10_000,
          Duration.ofMillis(60),
          Duration.ofMillis(100),
          Duration.ofSeconds(1),
          false);

  /** With a longer tail, the next snapshot does not wait for {@code tailSteps}. */
  static final int MOST_TAIL_BYTES = 64 << 10;

  /**
   * After calls of this fraction of a snapshot, the next snapshot costs no more than the calls do.
   */
  static final int TAIL_PART = 16;

  /** A tail larger than this fraction of the maximum root makes a snapshot due. */
  static final int ROOT_PART = 4;

  /** The maximum number of steps between two snapshots. */
  static final int TAIL_STEPS = 1024;

  /**
   * The number of steps after which a snapshot that was announced but is missing counts as
   * abandoned.
   */
  static final int ANNOUNCED_STEPS = 64;

  /** Returns a copy with this maximum size of a state in the root. */
  public ProtocolSettings inlineBytes(int bytes) {
    return changed(
        bytes, tailBytes, tailSteps, stateBytes, members, loneSteps, freshness, comparing);
  }

  /** Returns a copy with snapshots after this number of bytes of calls. */
  public ProtocolSettings tailBytes(int bytes) {
    return changed(
        inlineBytes, bytes, tailSteps, stateBytes, members, loneSteps, freshness, comparing);
  }

  /** Returns a copy with snapshots after at least this number of steps. */
  public ProtocolSettings tailSteps(int steps) {
    return changed(
        inlineBytes, tailBytes, steps, stateBytes, members, loneSteps, freshness, comparing);
  }

  /** Returns a copy with this maximum size of a state. */
  public ProtocolSettings stateBytes(int bytes) {
    return changed(
        inlineBytes, tailBytes, tailSteps, bytes, members, loneSteps, freshness, comparing);
  }

  /** Returns a copy with this number of remembered sessions. */
  public ProtocolSettings members(int count) {
    return changed(
        inlineBytes, tailBytes, tailSteps, stateBytes, count, loneSteps, freshness, comparing);
  }

  /** Returns a copy that sets whether every call is applied twice and compared. */
  public ProtocolSettings comparing(boolean compare) {
    return changed(
        inlineBytes, tailBytes, tailSteps, stateBytes, members, loneSteps, freshness, compare);
  }

  /**
   * Returns a copy with sequential reads answered from a root that is at most {@code longest} old.
   */
  public ProtocolSettings freshness(Duration longest) {
    return changed(
        inlineBytes, tailBytes, tailSteps, stateBytes, members, loneSteps, longest, comparing);
  }

  /** Returns a copy with looks into the shared mailbox after this number of lone steps. */
  ProtocolSettings loneSteps(int steps) {
    return changed(
        inlineBytes, tailBytes, tailSteps, stateBytes, members, steps, freshness, comparing);
  }

  private ProtocolSettings changed(
      int inline,
      int tail,
      int steps,
      int state,
      int memberCount,
      int lone,
      Duration longest,
      boolean compare) {
    return new ProtocolSettings(
        inline,
        tail,
        steps,
        state,
        Math.max(rootBytes, 4 * Math.min(state, Integer.MAX_VALUE / 4)),
        callBytes,
        resultBytes,
        batchCalls,
        memberCount,
        watched,
        lone,
        queued,
        patience,
        duty,
        longest,
        compare);
  }
}
