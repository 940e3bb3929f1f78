package io.ensemble.primary;

import io.ensemble.register.RegisterDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** What an operation knows of each site, and what it waits for. At most one request a site. */
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

  /** A request to a site takes the place of the one before; what was shown is used up. */
  int ask(int site) {
    versionedCopy[site] = null;
    awaited[site] = ++lastTag;
    return lastTag;
  }

  void show(int site, VersionedCopy<V> what) {
    awaited[site] = 0;
    versionedCopy[site] = what;
  }

  /** An answer without a copy: a compare-and-set's, or none. Counts as a try unless it is good. */
  void answered(int site, boolean good) {
    awaited[site] = 0;
    tries[site] += good ? 0 : 1;
  }

  void forget(int site) {
    versionedCopy[site] = null;
    awaited[site] = 0;
  }

  /** Whether a site may be asked again at once. */
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

  /** Questions for all sites of which nothing is known and nothing awaited. */
  List<PrimaryRequest<V>> readUnknown() {
    return readUnknown(site -> true);
  }

  /** The same for those that are {@code wanted}. */
  List<PrimaryRequest<V>> readUnknown(IntPredicate wanted) {
    List<PrimaryRequest<V>> requests = new ArrayList<>();
    for (int site = 0; site < versionedCopy.length; site++) {
      if (versionedCopy[site] == null && awaited[site] == 0 && mayTry(site) && wanted.test(site)) {
        requests.add(new PrimaryRequest.Read<>(site, ask(site)));
      }
    }
    return requests;
  }

  /** Whether any site owes an answer. */
  boolean isWaiting() {
    return Arrays.stream(awaited).anyMatch(tag -> tag != 0);
  }

  /** What this epoch's primary has is the key's; else the latest of those that were shown. */
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
