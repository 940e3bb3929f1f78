package io.ensemble.testkit.weak;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.QuorumUnavailableException;
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

/** The calls and results of the clients of one run, to be compared with the final entries. */
final class WeakHistory {

  /** The accepted reasons for which an acknowledged write may be missing. */
  enum Excuse {
    /** Nothing. */
    NONE,
    /** A swap of an older value whose answer was lost. */
    UNSEEN_SWAP,
    /** Any: requests that the network repeats may cause it, and clients cannot detect that. */
    ANYTHING
  }

  private record Issued(Bytes key, @Nullable Bytes value) {}

  private record Promise(String client, Bytes key, Stamp stamp) {}

  /** A call of a client, or its result. */
  private record Event(String client, String what, @Nullable Bytes key, @Nullable Object detail) {

    String line() {
      String where = key == null ? "" : " " + text(key);
      boolean isValue = detail == null || detail instanceof Bytes;
      return client + " " + what + where + ": " + (isValue ? text((Bytes) detail) : detail);
    }
  }

  private final List<Event> events = new ArrayList<>();
  private final Set<Issued> issued = new HashSet<>();
  private final List<Promise> promised = new ArrayList<>();
  private final List<UnseenSwapRecorder.Swap> unseen = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private int applied;
  private int superseded;
  private int undone;
  private int excused;

  /**
   * Records a write before it is sent.
   *
   * @param value null for a removal
   */
  void issued(String client, Bytes key, @Nullable Bytes value) {
    events.add(new Event(client, "writes", key, value));
    issued.add(new Issued(key, value));
  }

  void read(String client, Bytes key, Optional<Payload> found) {
    events.add(new Event(client, "reads", key, found.map(Payload::value).orElse(null)));
    if (found.isPresent() && !issued.contains(new Issued(key, found.get().value()))) {
      violations.add("read what nobody wrote; key=" + key + " found=" + found.get());
    }
  }

  void ended(String client, Bytes key, WriteOutcome<?> outcome) {
    events.add(new Event(client, "outcome of", key, outcome));
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

  /** Records an operation that failed: its outcome is unknown, or it was refused. */
  void failed(String client, Throwable failure) {
    events.add(new Event(client, "error", null, failure));
    if (!(failure instanceof QuorumUnavailableException)) {
      violations.add("an operation failed with " + failure);
    }
  }

  List<UnseenSwapRecorder.Swap> unseen() {
    return unseen;
  }

  /**
   * Judges the final entries.
   *
   * @param ends the entries of each site, by site
   * @param excuse the accepted reason for a missing acknowledged write
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

  /**
   * The events of the clients, the final entries, and the violations found so far, as text.
   *
   * @param ends the entries of each site, by site
   */
  String records(Map<String, Map<Bytes, Envelope>> ends) {
    StringBuilder text = new StringBuilder();
    violations.forEach(violation -> text.append("violation: ").append(violation).append('\n'));
    ends.forEach(
        (site, entries) ->
            entries.forEach(
                (key, entry) ->
                    text.append(
                        "%s ends with %s: %s, stamp %s%n"
                            .formatted(site, text(key), text(entry.payload()), entry.stamp()))));
    unseen.forEach(swap -> text.append("answer not seen: ").append(swap).append('\n'));
    events.forEach(event -> text.append(event.line()).append('\n'));
    return text.toString();
  }

  private static String text(@Nullable Bytes bytes) {
    return bytes == null ? "nothing" : new String(bytes.array(), UTF_8);
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
