package io.ensemble.primary;

import io.ensemble.register.Digest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Brings one copy to the sites other than the primary, each only over an earlier one. */
final class Spreading<V> {

  private final Rules rules;
  private final Table<V> table;
  private final int primary;
  private final boolean[] held;
  private final @Nullable Copy<V>[] asked;
  private @Nullable Copy<V> copy;
  private boolean sent;

  @SuppressWarnings({"unchecked", "rawtypes"})
  Spreading(Rules rules, Table<V> table, int primary) {
    this.rules = rules;
    this.table = table;
    this.primary = primary;
    held = new boolean[table.sites()];
    asked = (Copy<V>[]) new Copy[table.sites()];
  }

  Spreading(Spreading<V> other, Table<V> table) {
    rules = other.rules;
    this.table = table;
    primary = other.primary;
    held = other.held.clone();
    asked = other.asked.clone();
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

  List<Request<V>> begin(Copy<V> what) {
    copy = what;
    Arrays.fill(held, false);
    table.freshTries();
    return go();
  }

  /** Asks every site that does not hold the copy and owes no answer. */
  List<Request<V>> go() {
    List<Request<V>> requests = new ArrayList<>();
    for (int site = 0; site < table.sites(); site++) {
      if (site != primary && !held[site] && !table.isAwaited(site)) {
        go(site, requests);
      }
    }
    return requests;
  }

  private void go(int site, List<Request<V>> requests) {
    Copy<V> target = copy;
    Shown<V> shown = table.shown(site);
    if (target == null || !table.mayTry(site)) {
      return;
    }
    if (shown == null) {
      requests.add(new Request.Read<>(site, table.ask(site)));
    } else if (rules.mayReplace(shown.copy(), target)) {
      sent = true;
      asked[site] = target;
      requests.add(new Request.Swap<>(site, table.ask(site), shown, target));
    } else {
      held[site] = true;
    }
  }

  long digest() {
    long hash = Table.digest(copy);
    for (int site = 0; site < held.length; site++) {
      hash = Digest.of(hash, (held[site] ? 1 : 0) + (Objects.equals(asked[site], copy) ? 2 : 0));
    }
    return Digest.of(hash, sent ? 1 : 0);
  }

  /** A site answered a compare-and-set with yes, perhaps one of the copy before. */
  void swapped(int site) {
    held[site] = rules.isSame(asked[site], copy);
  }
}
