package io.ensemble.primary;

import io.ensemble.register.RegisterDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Brings one copy to the sites other than the primary, each only over an earlier one. */
final class CopyReplication<V> {

  private final PrimaryRules rules;
  private final CopyTracker<V> table;
  private final int primary;
  private final boolean[] held;
  private final @Nullable Copy<V>[] asked;

  /** What was known of the sites before; null once it is used up. */
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

  /** Whether a request went out that may store the copy somewhere. */
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

  /** The same, after the primary showed that copy. */
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

  /** Asks every site that does not hold the copy and owes no answer. */
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

  /** Whether anything is known of a site from before. */
  boolean knows(int site) {
    return known[site] != null;
  }

  /**
   * Takes the key for new at the sites of which nothing is known: what holds nothing at the primary
   * is there no more than that elsewhere, as a rule, and a compare-and-set finds out.
   */
  private void supposeAbsent() {
    for (int site = 0; site < known.length; site++) {
      if (site != primary && table.shown(site) == null && known[site] == null) {
        known[site] = new VersionedCopy<>(Copy.absent(), 0);
        table.forget(site);
      }
    }
  }

  /** What was known of a site, once, if the copy may take the place of that. */
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

  /** A site answered a compare-and-set with yes, perhaps one of the copy before. */
  void swapped(int site) {
    held[site] = rules.isSame(asked[site], copy);
  }
}
