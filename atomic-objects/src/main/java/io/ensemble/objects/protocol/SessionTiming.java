package io.ensemble.objects.protocol;

import java.util.SplittableRandom;

/** When to send the next request. All times are in nanoseconds of the clock that is passed in. */
final class SessionTiming {

  private static final long SHORTEST = 500_000;
  private static final long LONGEST_POLL = 10_000_000;
  private static final long LONGEST_PAUSE = 200_000_000;
  private static final long LONGEST_GATHERING = 1_000_000;

  /** The bound of the patience where 4 round trips take less. */
  private static final long LONGEST_PATIENCE = 2_000_000_000;

  /** A response counts as at most this many average round trips. */
  private static final long MAX_TRIPS_OF_A_RESPONSE = 4;

  private static final int LOSSES_TO_PAUSE = 6;
  private static final int LOSSES_TO_COMBINE = 2;

  private final ProtocolSettings protocolSettings;
  private final SplittableRandom random;
  private long trip = 1_000_000;
  private long sentAt;
  private long poll = SHORTEST;
  private boolean hints;
  private boolean contents;
  private long lookedAt = Long.MIN_VALUE / 2;
  private long tokenBy = Long.MIN_VALUE;
  private int failures;
  private int losses;
  private long pollAt = Long.MIN_VALUE;
  private long foundAt;
  private long ownCallBy = Long.MIN_VALUE;
  private long notBefore = Long.MIN_VALUE;

  SessionTiming(ProtocolSettings protocolSettings, long seed) {
    this.protocolSettings = protocolSettings;
    this.random = new SplittableRandom(seed);
  }

  void sent(long now) {
    sentAt = now;
  }

  long sentAt() {
    return sentAt;
  }

  /**
   * A response. One that takes unusually long counts as a few round trips: after a pause of the
   * process or of the store, the waits below must not last a multiple of that pause.
   */
  void answered(long now) {
    trip += (Math.min(now - sentAt, MAX_TRIPS_OF_A_RESPONSE * trip) - trip) / 8;
    failures = 0;
  }

  /** A request failed: the pauses double, up to a limit. */
  void failed(long now) {
    failures = Math.min(failures + 1, 10);
    notBefore = now + between(Math.min(LONGEST_PAUSE, (1L << failures) * 1_000_000));
  }

  /**
   * A swap of another session came first; from the seventh loss in a row on, this session pauses.
   */
  void lost(long now) {
    losses++;
    if (losses > LOSSES_TO_PAUSE) {
      notBefore = now + between(2 * trip);
    }
  }

  /** A swap of this session succeeded. */
  void won() {
    losses = 0;
  }

  /**
   * @param applied whether the batch of this session has just been found applied, by any session
   */
  void settled(boolean applied) {
    losses = applied ? 0 : losses;
  }

  /** Whether other sessions have come first several times in a row. */
  boolean isLosing() {
    return losses >= LOSSES_TO_COMBINE;
  }

  /** Whether other sessions have come first so often that this one may never win. */
  boolean isStarving() {
    return losses > LOSSES_TO_PAUSE;
  }

  /** This session polled while it waits for another one to act; the intervals grow. */
  void polled(long now) {
    pollAt = now + poll;
    poll = Math.min(Math.max(LONGEST_POLL, 3 * trip), poll * 2);
  }

  /**
   * This session looked for the step that contains its batch.
   *
   * @param soon whether to look again after half a round trip
   */
  void polled(boolean soon, long now) {
    polled(now);
    pollAt = soon ? now + Math.max(SHORTEST, trip / 2) : pollAt;
  }

  /**
   * The root is being read.
   *
   * @param forToken whether the read is for the token because no event has reported it, so events
   *     do not arrive as expected
   */
  void looked(boolean forToken, long now) {
    contents &= !forToken || now < tokenBy;
    lookedAt = now;
    polled(now);
  }

  /** The time of the next poll. */
  long pollAt() {
    return pollAt;
  }

  void pollNow() {
    pollAt = Long.MIN_VALUE;
  }

  /** A combiner has found a batch, or has just begun. */
  void found(long now) {
    foundAt = now;
  }

  /**
   * This session is a combiner from now on, or no longer is one.
   *
   * @param isChosen whether the state of the object chose it, since it will probably make a call
   */
  void beginDuty(boolean isChosen, long now) {
    found(now);
    pollSoon();
    ownCallBy = isChosen ? now + trip : now;
  }

  /**
   * Until this time a new combiner that has no calls waits for its own; a step for others would
   * delay that call.
   */
  long ownCallBy() {
    return ownCallBy;
  }

  /** Whether a combiner has found no batch for so long that it should resign. */
  boolean isTired(long now) {
    return now - foundAt > Math.max(protocolSettings.duty().toNanos(), 8 * trip);
  }

  /**
   * Polls are frequent again from now on; less so if events arrive, since a poll in progress when
   * an event arrives delays the read that the event requires.
   */
  void pollSoon() {
    poll = Math.max(SHORTEST, hints ? 3 * trip : trip / 4);
  }

  /** An event arrived: the store has events. */
  void hinted() {
    hints = true;
  }

  /** An event arrived, with the content that was written. */
  void told() {
    hints = true;
    contents = true;
  }

  /** Whether events carry content. */
  boolean isTold() {
    return contents;
  }

  /**
   * Whether events with content replace reads for now. If an event is lost, the patience of the
   * session that needed it ends. A read is still made from time to time.
   */
  boolean isTold(long now) {
    return contents && now - lookedAt < 2 * longestPatience();
  }

  /** After a swap: an event may report the token of the new root. */
  void awaitToken(long now) {
    tokenBy = contents ? now + trip : now;
  }

  /** The time at which a token that no event has reported is read. */
  long tokenBy() {
    return tokenBy;
  }

  /** Whether events report changes. Some events may be missing. */
  boolean hasHints() {
    return hints;
  }

  /** The time at which a session that posts its batch looks whether a session combines at all. */
  long lookDuringPostAt() {
    return sentAt + trip / 2;
  }

  /**
   * How long to leave a batch to the next winner. Without events, no winner learns of a batch that
   * it has not looked for.
   */
  long helping() {
    return hints ? 4 * trip : random.nextLong(trip / 2 + 1);
  }

  /** How long to leave a batch to the combiner. */
  long patience() {
    return between(longestPatience());
  }

  /** About 20 round trips; fewer in an overloaded store, whose round trips are long. */
  private long longestPatience() {
    long trips = Math.min(20 * trip, Math.max(LONGEST_PATIENCE, 4 * trip));
    return Math.max(protocolSettings.patience().toNanos(), trips);
  }

  /** How long to wait for callers that just got their answers to call again. */
  long gathering() {
    return Math.min(LONGEST_GATHERING, trip / 4);
  }

  long notBefore() {
    return notBefore;
  }

  private long between(long atMost) {
    return atMost / 2 + random.nextLong(atMost / 2 + 1);
  }
}
