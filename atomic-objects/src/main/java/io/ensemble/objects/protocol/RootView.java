package io.ensemble.objects.protocol;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The view that a session has of the object: the last root that it read, and the time of that read.
 *
 * <p>A store may show an earlier root than before: one of its nodes is behind, or it has lost the
 * later one. The view falls back to an earlier root that is read repeatedly. Until a swap on that
 * root succeeds, which shows that the later root is lost, nothing but a swap may follow from it.
 */
final class RootView {

  /** A root that an event reported, the token of that version, and the time of the event. */
  record Told(ObjectRoot root, Object token, long at) {}

  private static final long SHORT_NANOS = 50_000_000;
  private static final long LONG_NANOS = 1_000_000_000;
  private static final int EARLIER_READS_TO_FALL_BACK = 2;

  @Nullable ObjectRoot root;

  /** Identifies the version of {@code root} at the store; null if the store has not reported it. */
  @Nullable Object token;

  /**
   * A later root that an event reported. The root may never have been decided: only a swap, which
   * compares its token, may be built on it.
   */
  @Nullable Told told;

  /** Whether the root may have been replaced since it was read. */
  boolean stale = true;

  /** The number of requests sent. */
  long requests;

  /** The number of the request that returned the root: the root is at least as recent as that. */
  long evidence;

  /** Whether sequential reads use this view, so that events refresh it. */
  boolean followed;

  /** The time at which the root was requested. */
  long at;

  /** The number of requests sent at the time of the last event. */
  long hinted = -1;

  /** Whether the root is to be read although no call needs it yet. */
  boolean refresh;

  /** Whether the token was requested while no call needed it. */
  boolean sought;

  /** The number of the last root that was read or acknowledged, also if the view fell back. */
  private long latest;

  /** The number of requests sent when {@code latest} became known. */
  private long latestRequests;

  /** The number of reads in a row that returned a root before {@code latest}. */
  private int earlierReads;

  private @Nullable UUID snapshotName;
  private @Nullable ByteString snapshot;

  void saw(ObjectRoot seen, @Nullable Object seenToken, long request, long asked) {
    Told before = told;
    root = seen;
    token = seenToken;
    latest = seen.sequence();
    latestRequests = requests;
    earlierReads = 0;
    if (before != null && before.root.sequence() <= seen.sequence()) {
      told = null;
      if (token == null && before.root.equals(seen)) {
        token = before.token;
      }
    }
    evidence = request;
    at = asked;
    sought = false;
  }

  /** Whether a root that was read is earlier than one that was read or acknowledged before. */
  boolean isEarlier(ObjectRoot seen) {
    return seen.sequence() < latest;
  }

  /**
   * Whether a request was sent before the last root became known: if it returned an earlier root,
   * that is nothing unusual.
   */
  boolean isOverlapping(long request) {
    return request <= latestRequests;
  }

  /** A request returned this root or an earlier one: the root is at least as recent as that. */
  void confirm(long request, long asked) {
    evidence = Math.max(evidence, request);
    at = Math.max(at, asked);
  }

  /**
   * An earlier root was read.
   *
   * @return whether the view falls back to it
   */
  boolean sawEarlier(ObjectRoot seen, @Nullable Object seenToken) {
    earlierReads++;
    ObjectRoot known = root;
    if (earlierReads < EARLIER_READS_TO_FALL_BACK
        || known == null
        || seen.isDisposed()
        || !seen.birth().equals(known.birth())) {
      return false;
    }
    root = seen;
    token = seenToken;
    told = null;
    evidence = -1; // No read is answered from it.
    return true;
  }

  /** Whether only a swap may follow from the root, since a later one was read before. */
  boolean isUnconfirmed() {
    return root != null && root.sequence() < latest;
  }

  /** Whether an event reports another root with the number of this one: one of them is lost. */
  boolean contradicts(ObjectRoot news) {
    return root != null && root.sequence() == news.sequence() && !root.equals(news);
  }

  /** The root was read before any request of this session: no read may be answered from it. */
  void began(ObjectRoot found, Object foundToken, long now) {
    saw(found, foundToken, 0, now);
    stale = false;
  }

  /**
   * An event reports a root.
   *
   * @return whether it is later than the root of this view
   */
  boolean hears(Told news) {
    ObjectRoot known = root;
    if (known != null && news.root.sequence() <= known.sequence()) {
      if (token == null && known.equals(news.root)) {
        token = news.token;
      }
      return false;
    }
    if (isUnconfirmed()) {
      return true;
    }
    if (told == null || told.root.sequence() < news.root.sequence()) {
      told = news;
    }
    return true;
  }

  /**
   * A root was read that was requested at {@code asked}. A root reported before then that is
   * neither this root nor an earlier one was never decided.
   */
  void looked(long asked) {
    if (told != null && told.at - asked <= 0) {
      told = null;
    }
  }

  /** The root must be read before any attempt. */
  void lookFirst() {
    stale = true;
    told = null;
  }

  /**
   * A root that was reported long ago is not tried any more: a store that restarts may assign the
   * same tokens again.
   */
  void age(long now) {
    if (told != null && now - told.at > LONG_NANOS) {
      told = null;
    }
  }

  /** The swap to {@code proposed} failed: the root that it was built on has been replaced. */
  void lost(ObjectRoot proposed) {
    if (told != null && told.root.sequence() < proposed.sequence()) {
      told = null;
    }
  }

  /** Whether the store has not reported the token of the root. */
  boolean lacksToken() {
    return root != null && token == null;
  }

  /** Whether a batch can be applied, by the root of this view. */
  boolean isNew(CallBatch batch) {
    return root != null && root.standing(batch) == ObjectRoot.Standing.NEW;
  }

  /**
   * Whether so many sessions may have been active since the root was read that this session is no
   * longer remembered. A batch based on this root would then end unknown, though it was never
   * applied. So the root is read first, and a reported root is not tried.
   *
   * @param eventsTell whether events report the activity of other sessions
   */
  boolean isRisky(UUID me, ProtocolSettings protocolSettings, boolean eventsTell, long now) {
    ObjectRoot known = root;
    if (known == null) {
      return false;
    }
    long recent = Math.max(0, known.sequence() - 4L * protocolSettings.members());
    boolean alone =
        known.members().stream().allMatch(m -> m.session().equals(me) || m.sequence() <= recent);
    long horizon = told == null ? known.horizon() : told.root.horizon();
    long heard = told == null ? at : Math.max(at, told.at);
    boolean quiet = alone || eventsTell;
    return horizon > recent || now - heard > (quiet ? LONG_NANOS : SHORT_NANOS);
  }

  boolean isCombiner(UUID me) {
    return root != null && me.equals(root.combiner());
  }

  /** Caches a snapshot in place of the previous one. */
  void keep(UUID name, ByteString state) {
    snapshotName = name;
    snapshot = state;
  }

  boolean has(UUID name) {
    return name.equals(snapshotName);
  }

  @Nullable ByteString snapshot() {
    return snapshot;
  }
}
