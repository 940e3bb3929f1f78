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
   * @param every the period of regular fetches
   * @param between the minimum time between two fetches, regardless of how many tokens name unknown
   *     keys
   * @param keep how long keys remain valid that could not be fetched again
   */
  public record Pace(Duration every, Duration between, Duration keep) {

    /** The pace for a file. */
    public static final Pace OF_FILE =
        new Pace(Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofDays(1));

    /** The pace for an address. */
    public static final Pace OF_ADDRESS =
        new Pace(Duration.ofMinutes(5), Duration.ofSeconds(30), Duration.ofHours(6));
  }

  private record Held(JWKSet keys, long since) {}

  private final Callable<byte[]> source;
  private final String where;
  private final Pace pace;
  private final LongSupplier nanoTime;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread made = new Thread(task, "ensemble-rest-keys");
            made.setDaemon(true);
            return made;
          });
  private volatile @Nullable Held held;
  private @Nullable CompletableFuture<Void> underWay;
  private long began;

  private SigningKeys(Callable<byte[]> source, String where, Pace pace, LongSupplier nanoTime) {
    this.source = source;
    this.where = where;
    this.pace = pace;
    this.nanoTime = nanoTime;
    this.began = nanoTime.getAsLong() - pace.between().toNanos();
  }

  /**
   * Keys from {@code source}, which may block for a bounded time; starts the first fetch.
   *
   * @param where the location, for messages
   */
  public static SigningKeys from(
      Callable<byte[]> source, String where, Pace pace, LongSupplier nanoTime) {
    SigningKeys keys = new SigningKeys(source, where, pace, nanoTime);
    long every = pace.every().toMillis();
    keys.again();
    keys.thread.scheduleWithFixedDelay(keys::fetch, every, every, TimeUnit.MILLISECONDS);
    return keys;
  }

  /** The present keys; empty if there are none, or none that is still valid. */
  JWKSet present() {
    Held there = held;
    return there == null || isOld(there) ? new JWKSet() : there.keys();
  }

  private boolean isOld(Held there) {
    return nanoTime.getAsLong() - there.since() > pace.keep().toNanos();
  }

  /** Whether the key is present; for null, whether any key is present. */
  boolean know(@Nullable String id) {
    JWKSet present = present();
    return id == null ? !present.isEmpty() : present.getKeyByKeyId(id) != null;
  }

  /**
   * @throws ProblemException if no keys are available
   */
  void check() {
    if (present().isEmpty()) {
      throw new ProblemException(
          Problem.bare(ProblemType.NOT_READY, "the signing keys of tokens are not available")
              .header("Retry-After", "5"));
    }
  }

  /**
   * Fetches the keys, unless they were fetched a moment ago. Completes after the fetch, on this
   * object's thread.
   */
  synchronized CompletionStage<Void> again() {
    if (underWay != null && !underWay.isDone()) {
      return underWay;
    }
    long now = nanoTime.getAsLong();
    if (now - began < pace.between().toNanos()) {
      return CompletableFuture.completedFuture(null);
    }
    began = now;
    try {
      underWay = CompletableFuture.runAsync(this::fetch, thread);
      return underWay;
    } catch (RejectedExecutionException closed) {
      return CompletableFuture.completedFuture(null);
    }
  }

  private void fetch() {
    try {
      JWKSet fetched = parse(source.call());
      Held before = held;
      held = new Held(fetched, nanoTime.getAsLong());
      if (before == null || !before.keys().equals(fetched)) {
        LOG.info("signing keys of tokens changed; from={} keys={}", where, names(fetched));
      }
    } catch (Exception | Error e) { // Any failure may be gone at the next fetch.
      LOG.warn(
          "signing keys of tokens cannot be fetched; {}; from={}: {}",
          held == null ? "no keys are available" : "the former keys are used for a limited time",
          where,
          e.getMessage());
    }
  }

  private static List<String> names(JWKSet keys) {
    return keys.getKeys().stream()
        .map(key -> key.getKeyID() == null ? "-" : Problem.shown(key.getKeyID()))
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
    JsonNode all;
    try {
      all = StrictJson.parse(json).path("keys");
    } catch (ProblemException e) {
      throw new IllegalArgumentException("expected a JSON Web Key Set: " + e.getMessage(), e);
    }
    if (!all.isArray()) {
      throw new IllegalArgumentException("expected a JSON Web Key Set; got no list of 'keys'");
    }
    if (all.size() > MOST_KEYS) {
      throw new IllegalArgumentException(
          "at most %d keys are supported; got %d".formatted(MOST_KEYS, all.size()));
    }
    List<JWK> keys = new ArrayList<>();
    for (JsonNode one : all) {
      try {
        keys.add(JWK.parse(one.toString()));
      } catch (ParseException | RuntimeException notUnderstood) {
        // The log names the usable keys.
      }
    }
    if (keys.isEmpty() && !all.isEmpty()) {
      throw new IllegalArgumentException("expected RSA or elliptic curve keys; got none");
    }
    if (keys.stream().anyMatch(JWK::isPrivate)) { // Symmetric keys count as private, too.
      throw new IllegalArgumentException("expected public keys; got a private or symmetric key");
    }
    return new JWKSet(keys);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
