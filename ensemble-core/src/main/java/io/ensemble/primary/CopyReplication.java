package io.ensemble.primary;

import io.ensemble.register.RegisterDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Replicates one copy to the sites other than the primary, each only over an earlier copy. */
final class CopyReplication<V> {

  private final PrimaryRules rules;
  private final CopyTracker<V> copyTracker;
  private final int primary;
  private final boolean[] holdsCopy;
  private final @Nullable Copy<V>[] requestedCopies;

  /** The copies that sites showed before the operation; null once used. */
  private final @Nullable VersionedCopy<V>[] knownCopies;

  private @Nullable Copy<V> copy;
  private boolean isSent;

  @SuppressWarnings({"unchecked", "rawtypes"})
  CopyReplication(
      PrimaryRules rules, CopyTracker<V> copyTracker, int primary, KnownCopies<V> initialCopies) {
    this.rules = rules;
    this.copyTracker = copyTracker;
    this.primary = primary;
    holdsCopy = new boolean[copyTracker.sites()];
    requestedCopies = (Copy<V>[]) new Copy[copyTracker.sites()];
    knownCopies = (VersionedCopy<V>[]) new VersionedCopy[copyTracker.sites()];
    for (int site = 0; site < knownCopies.length; site++) {
      knownCopies[site] = site == primary ? null : initialCopies.of(site).orElse(null);
    }
  }

  CopyReplication(CopyReplication<V> other, CopyTracker<V> copyTracker) {
    rules = other.rules;
    this.copyTracker = copyTracker;
    primary = other.primary;
    holdsCopy = other.holdsCopy.clone();
    requestedCopies = other.requestedCopies.clone();
    knownCopies = other.knownCopies.clone();
    copy = other.copy;
    isSent = other.isSent;
  }

  boolean isActive() {
    return copy != null;
  }

  /** Whether a request was sent that may store the copy at a site. */
  boolean wasSent() {
    return isSent;
  }

  int holders() {
    int holders = 0;
    for (boolean holdsTarget : holdsCopy) {
      holders += holdsTarget ? 1 : 0;
    }
    return holders;
  }

  /** Begins to replicate {@code newCopy}, after the primary showed the copy {@code atPrimary}. */
  List<PrimaryRequest<V>> begin(Copy<V> newCopy, Copy<V> atPrimary) {
    if (atPrimary.isAbsent()) {
      assumeAbsent();
    }
    return begin(newCopy);
  }

  List<PrimaryRequest<V>> begin(Copy<V> newCopy) {
    copy = newCopy;
    Arrays.fill(holdsCopy, false);
    copyTracker.resetTries();
    return sendRequests();
  }

  /** Asks every site that does not hold the copy and owes no response. */
  List<PrimaryRequest<V>> sendRequests() {
    List<PrimaryRequest<V>> requests = new ArrayList<>();
    for (int site = 0; site < copyTracker.sites(); site++) {
      if (site != primary && !holdsCopy[site] && !copyTracker.isAwaited(site)) {
        sendRequests(site, requests);
      }
    }
    return requests;
  }

  private void sendRequests(int site, List<PrimaryRequest<V>> requests) {
    Copy<V> target = copy;
    if (target == null || !copyTracker.canTry(site)) {
      return;
    }
    VersionedCopy<V> current =
        copyTracker.copyOf(site) == null ? takeKnownCopy(site, target) : copyTracker.copyOf(site);
    if (current == null) {
      requests.add(new PrimaryRequest.Read<>(site, copyTracker.beginRequest(site)));
    } else if (rules.mayReplace(current.copy(), target)) {
      isSent = true;
      requestedCopies[site] = target;
      requests.add(
          new PrimaryRequest.Swap<>(site, copyTracker.beginRequest(site), current, target));
    } else {
      holdsCopy[site] = true;
    }
  }

  /** Whether an earlier copy of a site is known. */
  boolean isKnown(int site) {
    return knownCopies[site] != null;
  }

  /**
   * Assumes that the key is new at the sites without a known copy. A key that the primary does not
   * hold is usually absent elsewhere as well, and the compare-and-set verifies this.
   */
  private void assumeAbsent() {
    for (int site = 0; site < knownCopies.length; site++) {
      if (site != primary && copyTracker.copyOf(site) == null && knownCopies[site] == null) {
        knownCopies[site] = new VersionedCopy<>(Copy.absent(), 0);
        copyTracker.clear(site);
      }
    }
  }

  /** The earlier copy of a site, once, if {@code target} may replace it. */
  private @Nullable VersionedCopy<V> takeKnownCopy(int site, Copy<V> target) {
    VersionedCopy<V> knownCopy = knownCopies[site];
    knownCopies[site] = null;
    return knownCopy == null || !rules.mayReplace(knownCopy.copy(), target) ? null : knownCopy;
  }

  long digest() {
    long hash = CopyTracker.digest(copy);
    for (int site = 0; site < holdsCopy.length; site++) {
      VersionedCopy<V> knownCopy = knownCopies[site];
      hash =
          RegisterDigest.of(
              hash,
              (holdsCopy[site] ? 1 : 0) + (Objects.equals(requestedCopies[site], copy) ? 2 : 0));
      hash = knownCopy == null ? hash : RegisterDigest.of(hash, 31 * knownCopy.token() + site);
    }
    return RegisterDigest.of(hash, isSent ? 1 : 0);
  }

  /** A site performed a compare-and-set, which may have been that of the copy before. */
  void recordSwap(int site) {
    holdsCopy[site] = rules.isSame(requestedCopies[site], copy);
  }
}
