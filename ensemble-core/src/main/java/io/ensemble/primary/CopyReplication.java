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
  private final CopyTracker<V> table;
  private final int primary;
  private final boolean[] held;
  private final @Nullable Copy<V>[] asked;

  /** The copies that sites showed before the operation; null once used. */
  private final @Nullable VersionedCopy<V>[] known;

  private @Nullable Copy<V> copy;
  private boolean sent;

  @SuppressWarnings({"unchecked", "rawtypes"})
  CopyReplication(PrimaryRules rules, CopyTracker<V> table, int primary, KnownCopies<V> before) {
    this.rules = rules;
    this.table = table;
    this.primary = primary;
    held = new boolean[table.sites()];
    asked = (Copy<V>[]) new Copy[table.sites()];
    known = (VersionedCopy<V>[]) new VersionedCopy[table.sites()];
    for (int site = 0; site < known.length; site++) {
      known[site] = site == primary ? null : before.of(site).orElse(null);
    }
  }

  CopyReplication(CopyReplication<V> other, CopyTracker<V> table) {
    rules = other.rules;
    this.table = table;
    primary = other.primary;
    held = other.held.clone();
    asked = other.asked.clone();
    known = other.known.clone();
    copy = other.copy;
    sent = other.sent;
  }

  boolean isActive() {
    return copy != null;
  }

  /** Whether a request was sent that may store the copy at a site. */
  boolean wasSent() {
    return sent;
  }

  int holders() {
    int holders = 0;
    for (boolean one : held) {
      holders += one ? 1 : 0;
    }
    return holders;
  }

  /** Begins to replicate {@code what}, after the primary showed the copy {@code atPrimary}. */
  List<PrimaryRequest<V>> begin(Copy<V> what, Copy<V> atPrimary) {
    if (atPrimary.isAbsent()) {
      supposeAbsent();
    }
    return begin(what);
  }

  List<PrimaryRequest<V>> begin(Copy<V> what) {
    copy = what;
    Arrays.fill(held, false);
    table.freshTries();
    return go();
  }

  /** Asks every site that does not hold the copy and owes no response. */
  List<PrimaryRequest<V>> go() {
    List<PrimaryRequest<V>> requests = new ArrayList<>();
    for (int site = 0; site < table.sites(); site++) {
      if (site != primary && !held[site] && !table.isAwaited(site)) {
        go(site, requests);
      }
    }
    return requests;
  }

  private void go(int site, List<PrimaryRequest<V>> requests) {
    Copy<V> target = copy;
    if (target == null || !table.mayTry(site)) {
      return;
    }
    VersionedCopy<V> shown = table.shown(site) == null ? before(site, target) : table.shown(site);
    if (shown == null) {
      requests.add(new PrimaryRequest.Read<>(site, table.ask(site)));
    } else if (rules.mayReplace(shown.copy(), target)) {
      sent = true;
      asked[site] = target;
      requests.add(new PrimaryRequest.Swap<>(site, table.ask(site), shown, target));
    } else {
      held[site] = true;
    }
  }

  /** Whether an earlier copy of a site is known. */
  boolean knows(int site) {
    return known[site] != null;
  }

  /**
   * Assumes that the key is new at the sites without a known copy. A key that the primary does not
   * hold is usually absent elsewhere as well, and the compare-and-set verifies this.
   */
  private void supposeAbsent() {
    for (int site = 0; site < known.length; site++) {
      if (site != primary && table.shown(site) == null && known[site] == null) {
        known[site] = new VersionedCopy<>(Copy.absent(), 0);
        table.forget(site);
      }
    }
  }

  /** The earlier copy of a site, once, if {@code target} may replace it. */
  private @Nullable VersionedCopy<V> before(int site, Copy<V> target) {
    VersionedCopy<V> before = known[site];
    known[site] = null;
    return before == null || !rules.mayReplace(before.copy(), target) ? null : before;
  }

  long digest() {
    long hash = CopyTracker.digest(copy);
    for (int site = 0; site < held.length; site++) {
      VersionedCopy<V> before = known[site];
      hash =
          RegisterDigest.of(
              hash, (held[site] ? 1 : 0) + (Objects.equals(asked[site], copy) ? 2 : 0));
      hash = before == null ? hash : RegisterDigest.of(hash, 31 * before.token() + site);
    }
    return RegisterDigest.of(hash, sent ? 1 : 0);
  }

  /** A site performed a compare-and-set, which may have been that of the copy before. */
  void swapped(int site) {
    held[site] = rules.isSame(asked[site], copy);
  }
}
