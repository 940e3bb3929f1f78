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

  private final @Nullable VersionedCopy<V>[] versionedCopies;
  private final int[] awaitedTags;
  private final int[] tries;
  private int lastTag;

  @SuppressWarnings({"unchecked", "rawtypes"})
  CopyTracker(int sites) {
    versionedCopies = (VersionedCopy<V>[]) new VersionedCopy[sites];
    awaitedTags = new int[sites];
    tries = new int[sites];
  }

  CopyTracker(CopyTracker<V> other) {
    versionedCopies = other.versionedCopies.clone();
    awaitedTags = other.awaitedTags.clone();
    tries = other.tries.clone();
    lastTag = other.lastTag;
  }

  int sites() {
    return versionedCopies.length;
  }

  @Nullable VersionedCopy<V> copyOf(int site) {
    return versionedCopies[site];
  }

  boolean isAwaited(int site) {
    return awaitedTags[site] != 0;
  }

  boolean isAwaited(int site, int tag) {
    return tag != 0 && awaitedTags[site] == tag;
  }

  /** Records a new request to a site, which replaces the one before; the copy shown is used up. */
  int beginRequest(int site) {
    versionedCopies[site] = null;
    awaitedTags[site] = ++lastTag;
    return lastTag;
  }

  void recordCopy(int site, VersionedCopy<V> versionedCopy) {
    awaitedTags[site] = 0;
    versionedCopies[site] = versionedCopy;
  }

  /**
   * A response without a copy: that of a compare-and-set, or none. Counts as a try unless {@code
   * good}.
   */
  void recordResponse(int site, boolean isSuccess) {
    awaitedTags[site] = 0;
    tries[site] += isSuccess ? 0 : 1;
  }

  void clear(int site) {
    versionedCopies[site] = null;
    awaitedTags[site] = 0;
  }

  /** Whether a site may be asked again immediately. */
  boolean canTry(int site) {
    return tries[site] < QUICK_TRIES;
  }

  void resetTries() {
    Arrays.fill(tries, 0);
  }

  int countKnown() {
    int knownCopies = 0;
    for (VersionedCopy<V> versionedCopy : versionedCopies) {
      knownCopies += versionedCopy == null ? 0 : 1;
    }
    return knownCopies;
  }

  /** Read requests to all sites without a copy and without a pending request. */
  List<PrimaryRequest<V>> readUnknown() {
    return readUnknown(site -> true);
  }

  /** Read requests to those of these sites that pass {@code siteFilter}. */
  List<PrimaryRequest<V>> readUnknown(IntPredicate siteFilter) {
    List<PrimaryRequest<V>> requests = new ArrayList<>();
    for (int site = 0; site < versionedCopies.length; site++) {
      if (versionedCopies[site] == null
          && awaitedTags[site] == 0
          && canTry(site)
          && siteFilter.test(site)) {
        requests.add(new PrimaryRequest.Read<>(site, beginRequest(site)));
      }
    }
    return requests;
  }

  /** Whether any site owes a response. */
  boolean isWaiting() {
    return Arrays.stream(awaitedTags).anyMatch(tag -> tag != 0);
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
    for (VersionedCopy<V> versionedCopy : versionedCopies) {
      if (versionedCopy != null) {
        latest = rules.laterOf(latest, rules.valid(versionedCopy.copy(), termContext));
      }
    }
    return Objects.requireNonNull(latest);
  }

  static long digest(@Nullable Copy<?> copy) {
    if (copy == null) {
      return 7;
    }
    long position = RegisterDigest.of(copy.mark().epoch(), copy.mark().sequence());
    return RegisterDigest.of(
        position, Objects.hashCode(copy.value()) * 2L + (copy.settled() ? 1 : 0));
  }

  long digest() {
    long hash = 0;
    for (int i = 0; i < versionedCopies.length; i++) {
      VersionedCopy<V> versionedCopy = versionedCopies[i];
      long siteHash =
          versionedCopy == null
              ? 0
              : RegisterDigest.of(versionedCopy.token(), digest(versionedCopy.copy()));
      siteHash = RegisterDigest.of(siteHash, (awaitedTags[i] != 0 ? 1 : 0) + tries[i] * 2L);
      hash = RegisterDigest.of(hash, siteHash);
    }
    return hash;
  }
}
