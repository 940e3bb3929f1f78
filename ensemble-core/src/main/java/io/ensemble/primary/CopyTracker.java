package io.ensemble.primary;

import io.ensemble.register.RegisterDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The state of each site within an operation: the copy that it showed, and the request that it owes
 * a response to. At most one request a site.
 */
final class CopyTracker<V> {

  private static final int QUICK_TRIES = 3;

  private final @Nullable VersionedCopy<V>[] versionedCopy;
  private final int[] awaited;
  private final int[] tries;
  private int lastTag;

  @SuppressWarnings({"unchecked", "rawtypes"})
  CopyTracker(int sites) {
    versionedCopy = (VersionedCopy<V>[]) new VersionedCopy[sites];
    awaited = new int[sites];
    tries = new int[sites];
  }

  CopyTracker(CopyTracker<V> other) {
    versionedCopy = other.versionedCopy.clone();
    awaited = other.awaited.clone();
    tries = other.tries.clone();
    lastTag = other.lastTag;
  }

  int sites() {
    return versionedCopy.length;
  }

  @Nullable VersionedCopy<V> shown(int site) {
    return versionedCopy[site];
  }

  boolean isAwaited(int site) {
    return awaited[site] != 0;
  }

  boolean isAwaited(int site, int tag) {
    return tag != 0 && awaited[site] == tag;
  }

  /** Records a new request to a site, which replaces the one before; the copy shown is used up. */
  int ask(int site) {
    versionedCopy[site] = null;
    awaited[site] = ++lastTag;
    return lastTag;
  }

  void show(int site, VersionedCopy<V> what) {
    awaited[site] = 0;
    versionedCopy[site] = what;
  }

  /**
   * A response without a copy: that of a compare-and-set, or none. Counts as a try unless {@code
   * good}.
   */
  void answered(int site, boolean good) {
    awaited[site] = 0;
    tries[site] += good ? 0 : 1;
  }

  void forget(int site) {
    versionedCopy[site] = null;
    awaited[site] = 0;
  }

  /** Whether a site may be asked again immediately. */
  boolean mayTry(int site) {
    return tries[site] < QUICK_TRIES;
  }

  void freshTries() {
    Arrays.fill(tries, 0);
  }

  int known() {
    int known = 0;
    for (VersionedCopy<V> one : versionedCopy) {
      known += one == null ? 0 : 1;
    }
    return known;
  }

  /** Read requests to all sites without a copy and without a pending request. */
  List<PrimaryRequest<V>> readUnknown() {
    return readUnknown(site -> true);
  }

  /** Read requests to those of these sites that are {@code wanted}. */
  List<PrimaryRequest<V>> readUnknown(IntPredicate wanted) {
    List<PrimaryRequest<V>> requests = new ArrayList<>();
    for (int site = 0; site < versionedCopy.length; site++) {
      if (versionedCopy[site] == null && awaited[site] == 0 && mayTry(site) && wanted.test(site)) {
        requests.add(new PrimaryRequest.Read<>(site, ask(site)));
      }
    }
    return requests;
  }

  /** Whether any site owes a response. */
  boolean isWaiting() {
    return Arrays.stream(awaited).anyMatch(tag -> tag != 0);
  }

  /**
   * The copy that counts for the key: that of the primary if it is of this epoch, otherwise the
   * latest of the copies shown.
   */
  Copy<V> latest(Copy<V> atPrimary, PrimaryRules rules, TermContext termContext) {
    if (atPrimary.mark().epoch() == termContext.epoch()) {
      return rules.valid(atPrimary, termContext);
    }
    Copy<V> latest = null;
    for (VersionedCopy<V> one : versionedCopy) {
      if (one != null) {
        latest = rules.later(latest, rules.valid(one.copy(), termContext));
      }
    }
    return Objects.requireNonNull(latest);
  }

  static long digest(@Nullable Copy<?> copy) {
    if (copy == null) {
      return 7;
    }
    long mark = RegisterDigest.of(copy.mark().epoch(), copy.mark().sequence());
    return RegisterDigest.of(mark, Objects.hashCode(copy.value()) * 2L + (copy.settled() ? 1 : 0));
  }

  long digest() {
    long hash = 0;
    for (int i = 0; i < versionedCopy.length; i++) {
      VersionedCopy<V> one = versionedCopy[i];
      long of = one == null ? 0 : RegisterDigest.of(one.token(), digest(one.copy()));
      of = RegisterDigest.of(of, (awaited[i] != 0 ? 1 : 0) + tries[i] * 2L);
      hash = RegisterDigest.of(hash, of);
    }
    return hash;
  }
}
