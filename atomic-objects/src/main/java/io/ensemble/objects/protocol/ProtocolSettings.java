package io.ensemble.objects.protocol;

import java.time.Duration;
import java.util.stream.IntStream;

/**
 * Sizes and times of the construction. Processes may differ in them; safety depends on none.
 *
 * @param inlineBytes how large a state may grow in the root, before it gets an entry of its own
 * @param tailBytes how much may be called after a snapshot, before the next one; a sixteenth of the
 *     snapshot if that is more, up to 64 KiB; never more than a quarter of {@code rootBytes}, so
 *     that there is room for the steps until it is written
 * @param tailSteps how many steps there are at least between two snapshots, unless they hold more
 *     than 64 KiB
 * @param stateBytes how large a state may be; a call that makes a larger one is not applied, unless
 *     it makes it smaller than it was
 * @param rootBytes how large the root may be, with the outcomes that wait in it; calls whose
 *     results do not fit together are declined, the later ones first
 * @param callBytes how large a call with its arguments may be
 * @param resultBytes how large what one call returns may be
 * @param batchCalls how many calls of a process one step takes
 * @param members how many sessions the root remembers
 * @param watched into how many mailboxes a combiner looks
 * @param queued how many calls of a process may wait
 * @param patience how long a session leaves its calls to a combiner before it applies them itself;
 *     longer where answers take longer
 * @param duty for how long a combiner that finds nothing goes on looking
 * @param freshness how old the root may be that a sequential read is answered from
 * @param comparing whether every call is applied to two copies of the state, and those compared: to
 *     find methods that do not depend on state and arguments alone
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
    int queued,
    Duration patience,
    Duration duty,
    Duration freshness,
    boolean comparing) {

  /** Throws {@link IllegalArgumentException} for what is not above zero. */
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
                queued)
            .min()
            .getAsInt();
    if (least < 1 || patience.isNegative() || duty.isNegative() || freshness.isNegative()) {
      throw new IllegalArgumentException("sizes above zero, and times, are wanted");
    }
  }

  /** What suits a cluster in one place. */
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
          10_000,
          Duration.ofMillis(60),
          Duration.ofMillis(100),
          Duration.ofSeconds(1),
          false);

  /** With more than that after a snapshot, the next one waits for nothing. */
  static final int MOST_TAIL_BYTES = 64 << 10;

  /** After so much of a snapshot was called, the next one costs no more than the calls do. */
  static final int TAIL_PART = 16;

  /** A tail that makes up more of a root than that part is not waited with. */
  static final int ROOT_PART = 4;

  /** The most steps between two snapshots. */
  static final int TAIL_STEPS = 1024;

  /**
   * After how many steps a snapshot that was announced, and is not there, is taken for given up.
   */
  static final int ANNOUNCED_STEPS = 64;

  /** With states of up to so many bytes in the root. */
  public ProtocolSettings inlineBytes(int bytes) {
    return changed(bytes, tailBytes, tailSteps, stateBytes, members, freshness, comparing);
  }

  /** With snapshots after so many bytes of calls. */
  public ProtocolSettings tailBytes(int bytes) {
    return changed(inlineBytes, bytes, tailSteps, stateBytes, members, freshness, comparing);
  }

  /** With snapshots after so many steps, at least. */
  public ProtocolSettings tailSteps(int steps) {
    return changed(inlineBytes, tailBytes, steps, stateBytes, members, freshness, comparing);
  }

  /** With states of up to so many bytes. */
  public ProtocolSettings stateBytes(int bytes) {
    return changed(inlineBytes, tailBytes, tailSteps, bytes, members, freshness, comparing);
  }

  /** With so many sessions remembered. */
  public ProtocolSettings members(int count) {
    return changed(inlineBytes, tailBytes, tailSteps, stateBytes, count, freshness, comparing);
  }

  /** With every call applied twice, and compared. */
  public ProtocolSettings comparing(boolean compare) {
    return changed(inlineBytes, tailBytes, tailSteps, stateBytes, members, freshness, compare);
  }

  /** With sequential reads answered from a root that is at most {@code longest} old. */
  public ProtocolSettings freshness(Duration longest) {
    return changed(inlineBytes, tailBytes, tailSteps, stateBytes, members, longest, comparing);
  }

  private ProtocolSettings changed(
      int inline,
      int tail,
      int steps,
      int state,
      int memberCount,
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
        queued,
        patience,
        duty,
        longest,
        compare);
  }
}
