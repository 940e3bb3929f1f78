package io.ensemble.rest.identity;

import com.fasterxml.jackson.databind.JsonNode;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.json.StrictJson;
import java.text.ParseException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The public keys that verify tokens. A thread of this object fetches the keys periodically, and
 * also, with a minimum interval, when a token names an unknown key. If a fetch fails, the former
 * keys remain valid for a bounded time; then there are none. Thread-safe.
 */
public final class SigningKeys implements AutoCloseable {

  /** The maximum number of keys in a set. */
  public static final int MOST_KEYS = 32;

  private static final Logger LOG = LoggerFactory.getLogger(SigningKeys.class);

  /**
   * How often keys are fetched.
   *
   * @param period the period of regular fetches
   * @param minInterval the minimum time between two fetches, regardless of how many tokens name
   *     unknown keys
   * @param retention how long keys remain valid that could not be fetched again
   */
  public record Pace(Duration period, Duration minInterval, Duration retention) {

    /** The pace for a file. */
    public static final Pace OF_FILE =
        new Pace(Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofDays(1));

    /** The pace for an address. */
    public static final Pace OF_ADDRESS =
        new Pace(Duration.ofMinutes(5), Duration.ofSeconds(30), Duration.ofHours(6));
  }

  private record Held(JWKSet keys, long fetchedNanos) {}

  private final Callable<byte[]> source;
  private final String location;
  private final Pace pace;
  private final LongSupplier nanoTime;
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "ensemble-rest-keys");
            thread.setDaemon(true);
            return thread;
          });
  private volatile @Nullable Held cachedKeys;
  private @Nullable CompletableFuture<Void> pendingFetch;
  private long lastFetchNanos;

  private SigningKeys(Callable<byte[]> source, String location, Pace pace, LongSupplier nanoTime) {
    this.source = source;
    this.location = location;
    this.pace = pace;
    this.nanoTime = nanoTime;
    this.lastFetchNanos = nanoTime.getAsLong() - pace.minInterval().toNanos();
  }

  /**
   * Keys from {@code source}, which may block for a bounded time; starts the first fetch.
   *
   * @param location the location, for messages
   */
  public static SigningKeys from(
      Callable<byte[]> source, String location, Pace pace, LongSupplier nanoTime) {
    SigningKeys keys = new SigningKeys(source, location, pace, nanoTime);
    long periodMillis = pace.period().toMillis();
    keys.refresh();
    keys.executor.scheduleWithFixedDelay(
        keys::fetch, periodMillis, periodMillis, TimeUnit.MILLISECONDS);
    return keys;
  }

  /** The present keys; empty if there are none, or none that is still valid. */
  JWKSet currentKeys() {
    Held cached = cachedKeys;
    return cached == null || isExpired(cached) ? new JWKSet() : cached.keys();
  }

  private boolean isExpired(Held cached) {
    return nanoTime.getAsLong() - cached.fetchedNanos() > pace.retention().toNanos();
  }

  /** Whether the key is present; for null, whether any key is present. */
  boolean hasKey(@Nullable String id) {
    JWKSet current = currentKeys();
    return id == null ? !current.isEmpty() : current.getKeyByKeyId(id) != null;
  }

  /**
   * @throws ProblemException if no keys are available
   */
  void requireKeys() {
    if (currentKeys().isEmpty()) {
      throw new ProblemException(
          Problem.bare(ProblemType.NOT_READY, "the signing keys of tokens are not available")
              .header("Retry-After", "5"));
    }
  }

  /**
   * Fetches the keys, unless they were fetched a moment ago. Completes after the fetch, on this
   * object's thread.
   */
  synchronized CompletionStage<Void> refresh() {
    if (pendingFetch != null && !pendingFetch.isDone()) {
      return pendingFetch;
    }
    long now = nanoTime.getAsLong();
    if (now - lastFetchNanos < pace.minInterval().toNanos()) {
      return CompletableFuture.completedFuture(null);
    }
    lastFetchNanos = now;
    try {
      pendingFetch = CompletableFuture.runAsync(this::fetch, executor);
      return pendingFetch;
    } catch (RejectedExecutionException closed) {
      return CompletableFuture.completedFuture(null);
    }
  }

  private void fetch() {
    try {
      JWKSet fetched = parse(source.call());
      Held previous = cachedKeys;
      cachedKeys = new Held(fetched, nanoTime.getAsLong());
      if (previous == null || !previous.keys().equals(fetched)) {
        LOG.info("signing keys of tokens changed; from={} keys={}", location, listKeyIds(fetched));
      }
    } catch (Exception | Error e) { // Any failure may be gone at the next fetch.
      LOG.warn(
          "signing keys of tokens cannot be fetched; {}; from={}: {}",
          cachedKeys == null
              ? "no keys are available"
              : "the former keys are used for a limited time",
          location,
          e.getMessage());
    }
  }

  private static List<String> listKeyIds(JWKSet keys) {
    return keys.getKeys().stream()
        .map(key -> key.getKeyID() == null ? "-" : Problem.abbreviate(key.getKeyID()))
        .toList();
  }

  /**
   * The public keys of a set. A key that is not understood is ignored, as RFC 7517 requires, since
   * it may be for other applications.
   *
   * @throws IllegalArgumentException if the text is no key set, is too large, has keys that are not
   *     public, or has keys of which none is understood
   */
  public static JWKSet parse(byte[] json) {
    JsonNode keyNodes;
    try {
      keyNodes = StrictJson.parse(json).path("keys");
    } catch (ProblemException e) {
      throw new IllegalArgumentException("expected a JSON Web Key Set: " + e.getMessage(), e);
    }
    if (!keyNodes.isArray()) {
      throw new IllegalArgumentException("expected a JSON Web Key Set; got no list of 'keys'");
    }
    if (keyNodes.size() > MOST_KEYS) {
      throw new IllegalArgumentException(
          "at most %d keys are supported; got %d".formatted(MOST_KEYS, keyNodes.size()));
    }
    List<JWK> keys = new ArrayList<>();
    for (JsonNode node : keyNodes) {
      try {
        keys.add(JWK.parse(node.toString()));
      } catch (ParseException | RuntimeException notUnderstood) {
        // The log names the usable keys.
      }
    }
    if (keys.isEmpty() && !keyNodes.isEmpty()) {
      throw new IllegalArgumentException("expected RSA or elliptic curve keys; got none");
    }
    if (keys.stream().anyMatch(JWK::isPrivate)) { // Symmetric keys count as private, too.
      throw new IllegalArgumentException("expected public keys; got a private or symmetric key");
    }
    return new JWKSet(keys);
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
