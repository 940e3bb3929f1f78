package io.ensemble.cache.adapter;

import io.ensemble.AsyncSiblings;
import io.ensemble.CausalContext;
import io.ensemble.Reconciliation;
import io.ensemble.SiblingValues;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.cache.weak.entry.SiblingCodec;
import io.ensemble.sibling.ActorVersionVector;
import io.ensemble.sibling.SiblingUpdate;
import io.ensemble.sibling.SiblingUpdate.Decision;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The operations on siblings, implemented by those of the engine. */
record SiblingAdapter<K, V>(CallRunner calls, EntryCodec<K, V> cells)
    implements AsyncSiblings<K, V> {

  /**
   * A context further ahead comes from no correct clock, and would advance the clocks of all
   * writers.
   */
  private static final long MOST_AHEAD_MICROS = Duration.ofDays(1).toNanos() / 1000;

  @Override
  public CompletableFuture<SiblingValues<V>> siblings(K key) {
    Bytes encoded = cells.key(key);
    return calls.read(
        "siblings",
        calls.forKeys().siblings(encoded, calls.deadline()),
        found ->
            new SiblingValues<>(
                by(Reconciliation.lastWriter()).live(found).stream().map(cells::read).toList(),
                CausalContext.of(SiblingCodec.token(encoded, found.seen()).array())));
  }

  @Override
  public CompletableFuture<WriteOutcome<V>> put(
      K key, V value, CausalContext seen, Duration lifespan) {
    Bytes encoded = cells.key(key);
    ActorVersionVector causes = causes(encoded, seen);
    Payload payload = cells.payload(key, value, lifespan);
    return amend("put_seen", encoded, found -> Decision.write(causes, payload, null));
  }

  @Override
  public CompletableFuture<WriteOutcome<V>> remove(K key, CausalContext seen) {
    Bytes encoded = cells.key(key);
    ActorVersionVector causes = causes(encoded, seen);
    return amend("remove_seen", encoded, found -> removal(found, causes));
  }

  /** When all values seen are already gone, there is nothing to write. */
  private static <R> Decision<Payload, R> removal(
      Siblings<Payload> found, ActorVersionVector seen) {
    boolean done =
        found.seen().covers(seen)
            && found.alive().stream()
                .noneMatch(one -> seen.covers(one.actor(), one.stamp().micros()));
    return done ? Decision.keep(null) : Decision.write(seen, null, null);
  }

  @Override
  public CompletableFuture<WriteOutcome<V>> resolve(K key, Reconciliation<V> merge) {
    SiblingPolicy<V> policy = by(merge);
    return amend(
        "resolve",
        cells.key(key),
        found -> {
          Payload one = policy.one(found);
          V value = cells.value(one);
          List<Payload> live = policy.live(found);
          return found.alive().size() < 2 || live.isEmpty()
              ? Decision.keep(value)
              : Decision.write(found.seen(), kept(one, live), value);
        });
  }

  /** A value that equals one of the siblings expires when that sibling does. */
  private static @Nullable Payload kept(@Nullable Payload one, List<Payload> live) {
    for (Payload sibling : live) {
      if (one != null && sibling.value().equals(one.value())) {
        return sibling;
      }
    }
    return one;
  }

  private <R> CompletableFuture<WriteOutcome<R>> amend(
      String operation, Bytes key, SiblingUpdate<Payload, R> siblingUpdate) {
    return calls.write(operation, calls.forKeys().amend(key, siblingUpdate, calls.deadline()));
  }

  private SiblingPolicy<V> by(Reconciliation<V> merge) {
    return new SiblingPolicy<>(cells, calls.session().scheduler(), merge);
  }

  private ActorVersionVector causes(Bytes key, CausalContext context) {
    ActorVersionVector seen = SiblingCodec.seen(key, Bytes.of(context.toBytes()));
    if (seen.latestMicros() > cells.epochMicros().getAsLong() + MOST_AHEAD_MICROS) {
      throw new IllegalArgumentException(
          "a causal context must not be ahead of the clock; "
              + "cache="
              + cells.cache()
              + " "
              + context);
    }
    return seen;
  }
}
