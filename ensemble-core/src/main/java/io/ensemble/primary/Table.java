package io.ensemble.primary;

import io.ensemble.register.Digest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** What an operation knows of each site, and what it waits for. At most one request a site. */
final class Table<V> {

  private static final int QUICK_TRIES = 3;

  private final @Nullable Shown<V>[] shown;
  private final int[] awaited;
  private final int[] tries;
  private int lastTag;

  @SuppressWarnings({"unchecked", "rawtypes"})
  Table(int sites) {
    shown = (Shown<V>[]) new Shown[sites];
    awaited = new int[sites];
    tries = new int[sites];
  }

  Table(Table<V> other) {
    shown = other.shown.clone();
    awaited = other.awaited.clone();
    tries = other.tries.clone();
    lastTag = other.lastTag;
  }

  int sites() {
    return shown.length;
  }

  @Nullable Shown<V> shown(int site) {
    return shown[site];
  }

  boolean isAwaited(int site) {
    return awaited[site] != 0;
  }

  boolean isAwaited(int site, int tag) {
    return tag != 0 && awaited[site] == tag;
  }

  /** A request to a site takes the place of the one before; what was shown is used up. */
  int ask(int site) {
    shown[site] = null;
    awaited[site] = ++lastTag;
    return lastTag;
  }

  void show(int site, Shown<V> what) {
    awaited[site] = 0;
    shown[site] = what;
  }

  /** An answer without a copy: a compare-and-set's, or none. Counts as a try unless it is good. */
  void answered(int site, boolean good) {
    awaited[site] = 0;
    tries[site] += good ? 0 : 1;
  }

  void forget(int site) {
    shown[site] = null;
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
    for (Shown<V> one : shown) {
      known += one == null ? 0 : 1;
    }
    return known;
  }

  /** Questions for all sites of which nothing is known and nothing awaited. */
  List<Request<V>> readUnknown() {
    return readUnknown(site -> true);
  }

  /** The same for those that are {@code wanted}. */
  List<Request<V>> readUnknown(IntPredicate wanted) {
    List<Request<V>> requests = new ArrayList<>();
    for (int site = 0; site < shown.length; site++) {
      if (shown[site] == null && awaited[site] == 0 && mayTry(site) && wanted.test(site)) {
        requests.add(new Request.Read<>(site, ask(site)));
      }
    }
    return requests;
  }

  /** Whether any site owes an answer. */
  boolean isWaiting() {
    return Arrays.stream(awaited).anyMatch(tag -> tag != 0);
  }

  /** What this epoch's primary has is the key's; else the latest of those that were shown. */
  Copy<V> latest(Copy<V> atPrimary, Rules rules, Setting setting) {
    if (atPrimary.mark().epoch() == setting.epoch()) {
      return rules.valid(atPrimary, setting);
    }
    Copy<V> latest = null;
    for (Shown<V> one : shown) {
      if (one != null) {
        latest = rules.later(latest, rules.valid(one.copy(), setting));
      }
    }
    return Objects.requireNonNull(latest);
  }

  static long digest(@Nullable Copy<?> copy) {
    if (copy == null) {
      return 7;
    }
    long mark = Digest.of(copy.mark().epoch(), copy.mark().sequence());
    return Digest.of(mark, Objects.hashCode(copy.value()) * 2L + (copy.settled() ? 1 : 0));
  }

  long digest() {
    long hash = 0;
    for (int i = 0; i < shown.length; i++) {
      Shown<V> one = shown[i];
      long of = one == null ? 0 : Digest.of(one.token(), digest(one.copy()));
      of = Digest.of(of, (awaited[i] != 0 ? 1 : 0) + tries[i] * 2L);
      hash = Digest.of(hash, of);
    }
    return hash;
  }
}
