package io.ensemble.objects.protocol;

import java.util.SplittableRandom;

/** When to ask again. All times in nanoseconds of the clock that is handed in. */
final class SessionTiming {

  private static final long SHORTEST = 500_000;
  private static final long LONGEST_POLL = 10_000_000;
  private static final long LONGEST_PAUSE = 200_000_000;
  private static final long LONGEST_GATHERING = 1_000_000;
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

  void answered(long now) {
    trip += (now - sentAt - trip) / 8;
    failures = 0;
  }

  /** After a request that failed: pauses that double. */
  void failed(long now) {
    failures = Math.min(failures + 1, 10);
    notBefore = now + between(Math.min(LONGEST_PAUSE, (1L << failures) * 1_000_000));
  }

  /** After a swap that another session's came before: from the some-th in a row on, pauses. */
  void lost(long now) {
    losses++;
    if (losses > LOSSES_TO_PAUSE) {
      notBefore = now + between(2 * trip);
    }
  }

  /** A swap of this session's has come first. */
  void won() {
    losses = 0;
  }

  /**
   * @param applied whether this session's batch has just turned out applied, whoever did it
   */
  void settled(boolean applied) {
    losses = applied ? 0 : losses;
  }

  /** Whether others have come first again and again. */
  boolean isLosing() {
    return losses >= LOSSES_TO_COMBINE;
  }

  /**
   * A look was made by somebody who waits for another to act; the next ones come later and later.
   */
  void polled(long now) {
    pollAt = now + poll;
    poll = Math.min(Math.max(LONGEST_POLL, 3 * trip), poll * 2);
  }

  /**
   * A look is made.
   *
   * @param forToken whether no event has told the token: then they do not come as they should
   */
  void looked(boolean forToken, long now) {
    contents &= !forToken || now < tokenBy;
    lookedAt = now;
    polled(now);
  }

  /** When the next look is due. */
  long pollAt() {
    return pollAt;
  }

  void pollNow() {
    pollAt = Long.MIN_VALUE;
  }

  /** A combiner has found something, or has just begun. */
  void found(long now) {
    foundAt = now;
  }

  /** Whether a combiner has found nothing for so long that it had better resign. */
  boolean isTired(long now) {
    return now - foundAt > Math.max(protocolSettings.duty().toNanos(), 8 * trip);
  }

  /**
   * From now on looks come often again. Where events tell when to look, not so often: one that is
   * under way when the event comes only delays the one that is wanted.
   */
  void pollSoon() {
    poll = Math.max(SHORTEST, hints ? 3 * trip : trip / 4);
  }

  /** An event came: the store has some. */
  void hinted() {
    hints = true;
  }

  /** An event came, and said of what. */
  void told() {
    hints = true;
    contents = true;
  }

  /** Whether events say of what they are. */
  boolean isTold() {
    return contents;
  }

  /**
   * Whether what they say will do in the place of looks. Whom a lost one concerns loses patience;
   * from time to time a look is made all the same.
   */
  boolean isTold(long now) {
    return contents
        && now - lookedAt < 2 * Math.max(protocolSettings.patience().toNanos(), 20 * trip);
  }

  /** After a swap: an event may tell by what the store knows the new root. */
  void awaitToken(long now) {
    tokenBy = contents ? now + trip : now;
  }

  /** When a token that no event has told is looked for. */
  long tokenBy() {
    return tokenBy;
  }

  /** Whether events tell when to look. They need not tell always. */
  boolean hasHints() {
    return hints;
  }

  /** How long to leave a batch to whoever wins next. */
  long helping() {
    return 4 * trip;
  }

  /** How long to leave a batch to the combiner. */
  long patience() {
    return between(Math.max(protocolSettings.patience().toNanos(), 20 * trip));
  }

  /** For how long to wait for callers that were just answered to call again. */
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
