package io.ensemble.testkit.weak;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.envelope.Envelope;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the clients of one run issued and were told, to be held against where the sites end. */
final class WeakHistory {

  /** What may explain that a write which was acknowledged is gone. */
  enum Excuse {
    /** Nothing. */
    NONE,
    /** A swap of something older whose answer nobody saw. */
    UNSEEN_SWAP,
    /** Anything: requests that the network repeats may do it, and no client can tell. */
    ANYTHING
  }

  private record Issued(Bytes key, @Nullable Bytes value) {}

  private record Promise(String client, Bytes key, Stamp stamp) {}

  private final Set<Issued> issued = new HashSet<>();
  private final List<Promise> promised = new ArrayList<>();
  private final List<Witness.Swap> unseen = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private int applied;
  private int superseded;
  private int undone;
  private int excused;

  void issued(Bytes key, @Nullable Bytes value) {
    issued.add(new Issued(key, value));
  }

  void read(Bytes key, Optional<Payload> found) {
    if (found.isPresent() && !issued.contains(new Issued(key, found.get().value()))) {
      violations.add("read what nobody wrote; key=" + key + " found=" + found.get());
    }
  }

  void ended(String client, Bytes key, WriteOutcome<?> outcome) {
    if (outcome instanceof WriteOutcome.Applied<?> done) {
      applied++;
      promised.add(new Promise(client, key, done.stamp()));
    } else if (outcome instanceof WriteOutcome.Superseded<?> lost) {
      superseded++;
      promised.add(new Promise(client, key, lost.by()));
    } else {
      undone++;
    }
  }

  void broken(Throwable failure) {
    violations.add("an operation failed with " + failure);
  }

  List<Witness.Swap> unseen() {
    return unseen;
  }

  /**
   * Judges where the run ended.
   *
   * @param ends the entries of each site, by site
   * @param excuse what may explain that a write which was acknowledged is gone
   */
  List<String> judge(Map<String, Map<Bytes, Envelope>> ends, Excuse excuse) {
    Map<Bytes, Envelope> end = ends.values().iterator().next();
    ends.forEach(
        (site, entries) -> {
          if (!entries.equals(end)) {
            violations.add("sites differ; site=" + site + " has=" + entries + " first=" + end);
          }
        });
    end.forEach(
        (key, entry) -> {
          if (!issued.contains(new Issued(key, entry.payload()))) {
            violations.add("ended with what nobody wrote; key=" + key + " entry=" + entry);
          }
        });
    for (Promise promise : promised) {
      Envelope entry = end.get(promise.key());
      Stamp last = entry == null ? Stamp.NONE : entry.stamp();
      if (promise.stamp().isAfter(last)) {
        if (excuse == Excuse.ANYTHING
            || (excuse == Excuse.UNSEEN_SWAP && mayHaveBeenTaken(promise))) {
          excused++;
        } else {
          violations.add("lost; promise=" + promise + " end=" + last);
        }
      }
    }
    return violations;
  }

  private boolean mayHaveBeenTaken(Promise promise) {
    return unseen.stream()
        .anyMatch(
            swap ->
                swap.key().equals(promise.key())
                    && (promise.stamp().isAfter(swap.stamp())
                        || (Objects.equals(swap.stamp(), promise.stamp())
                            && !swap.client().equals(promise.client()))));
  }

  int applied() {
    return applied;
  }

  int superseded() {
    return superseded;
  }

  int undone() {
    return undone;
  }

  int excused() {
    return excused;
  }
}
