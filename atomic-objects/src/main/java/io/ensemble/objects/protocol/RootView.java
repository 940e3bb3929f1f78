package io.ensemble.objects.protocol;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a course knows of the object: the last root that it saw, and of when that is. */
final class RootView {

  /** A root that was told at some time, and by what the store knows it. */
  record Told(ObjectRoot root, Object token, long at) {}

  private static final long SHORT_NANOS = 50_000_000;
  private static final long LONG_NANOS = 1_000_000_000;

  @Nullable ObjectRoot root;

  /** By which the store knows that root; null if it did not tell. */
  @Nullable Object token;

  /**
   * A later root that an event told of. It may never have been decided: only a swap may be built on
   * it, which compares its token.
   */
  @Nullable Told told;

  /** Whether the root may have been replaced, as far as is known. */
  boolean stale = true;

  /** How many requests have been sent. */
  long requests;

  /** The number of the request that showed the root: it is not older than that. */
  long evidence;

  /** Whether reads are answered from the root as it is known, so that events refresh it. */
  boolean followed;

  /** When it was asked for. */
  long at;

  /** How many requests had been sent when something was last told of the object. */
  long hinted = -1;

  /** Whether the root is to be read although nothing needs it yet. */
  boolean refresh;

  /** Whether the token was looked for, while nothing needed it. */
  boolean sought;

  private @Nullable UUID snapshotName;
  private @Nullable ByteString snapshot;

  void saw(ObjectRoot seen, @Nullable Object seenToken, long request, long asked) {
    Told before = told;
    root = seen;
    token = seenToken;
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

  /** The root was read before anything was asked: no read may be answered from it. */
  void began(ObjectRoot found, Object foundToken, long now) {
    saw(found, foundToken, 0, now);
    stale = false;
  }

  /**
   * An event tells of a root.
   *
   * @return whether it is a later one than is known
   */
  boolean hears(Told news) {
    ObjectRoot known = root;
    if (known != null && news.root.sequence() <= known.sequence()) {
      if (token == null && known.equals(news.root)) {
        token = news.token;
      }
      return false;
    }
    if (told == null || told.root.sequence() < news.root.sequence()) {
      told = news;
    }
    return true;
  }

  /**
   * A root was seen that was asked for then: of one that had been told before, and is not that or
   * an earlier one, nothing has become.
   */
  void looked(long asked) {
    if (told != null && told.at - asked <= 0) {
      told = null;
    }
  }

  /** The root is to be looked at before anything is tried. */
  void lookFirst() {
    stale = true;
    told = null;
  }

  /** What was told long ago is tried no more: stores that begin anew may give tokens again. */
  void age(long now) {
    if (told != null && now - told.at > LONG_NANOS) {
      told = null;
    }
  }

  /** A swap that would have made this root came too late: what it was built on is no more. */
  void lost(ObjectRoot proposed) {
    if (told != null && told.root.sequence() < proposed.sequence()) {
      told = null;
    }
  }

  /** Whether the store has not told by what it knows the root. */
  boolean lacksToken() {
    return root != null && token == null;
  }

  /** Whether a batch can be applied, as far as is known. */
  boolean isNew(CallBatch batch) {
    return root != null && root.standing(batch) == ObjectRoot.Standing.NEW;
  }

  /**
   * Whether so many others may have come since that this session is remembered no more: then a
   * batch that is made by this root would end unknown, though it was never applied, and it is
   * better to look first, and not to try what was told.
   *
   * @param eventsTell whether events tell of others
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

  /** Keeps a snapshot at hand; the one before is given up. */
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
