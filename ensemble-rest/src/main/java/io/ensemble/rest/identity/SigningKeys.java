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
 * The public keys that tokens are signed with, fetched now and then on a thread of its own, and
 * when a token names one that is not known, at most once in a while. When they cannot be fetched
 * the former ones serve for a bounded time, then none. Thread-safe.
 */
public final class SigningKeys implements AutoCloseable {

  /** The most keys that a set may have. */
  public static final int MOST_KEYS = 32;

  private static final Logger LOG = LoggerFactory.getLogger(SigningKeys.class);

  /**
   * How often keys are fetched.
   *
   * @param every so often anyway
   * @param between at least so long after the last time, however many tokens name unknown keys
   * @param keep how long keys serve that could not be fetched again
   */
  public record Pace(Duration every, Duration between, Duration keep) {

    /** Of a file. */
    public static final Pace OF_FILE =
        new Pace(Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofDays(1));

    /** Of an address. */
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
   * Keys from {@code source}, which may wait, for a bounded time; begins to fetch them.
   *
   * @param where for messages
   */
  public static SigningKeys from(
      Callable<byte[]> source, String where, Pace pace, LongSupplier nanoTime) {
    SigningKeys keys = new SigningKeys(source, where, pace, nanoTime);
    long every = pace.every().toMillis();
    keys.again();
    keys.thread.scheduleWithFixedDelay(keys::fetch, every, every, TimeUnit.MILLISECONDS);
    return keys;
  }

  /** What there is; empty if nothing is, or nothing that still serves. */
  JWKSet present() {
    Held there = held;
    return there == null || isOld(there) ? new JWKSet() : there.keys();
  }

  private boolean isOld(Held there) {
    return nanoTime.getAsLong() - there.since() > pace.keep().toNanos();
  }

  /** Whether there is such a key; if none is named, whether there is any. */
  boolean know(@Nullable String id) {
    JWKSet present = present();
    return id == null ? !present.isEmpty() : present.getKeyByKeyId(id) != null;
  }

  /**
   * @throws ProblemException if there are no keys to check anything with
   */
  void check() {
    if (present().isEmpty()) {
      throw new ProblemException(
          Problem.bare(ProblemType.NOT_READY, "the keys that tokens are checked with cannot be had")
              .header("Retry-After", "5"));
    }
  }

  /** Fetches them, unless that was done a moment ago. Completes when it is over, on its thread. */
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
        LOG.info("keys of tokens are others now; from={} keys={}", where, names(fetched));
      }
    } catch (Exception | Error e) { // Whatever it is, the next time may be better.
      LOG.warn(
          "keys of tokens cannot be fetched; {}; from={}: {}",
          held == null ? "there are none" : "the former ones serve for a while",
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
   * The public keys of a set. One that is not understood is passed over, as RFC 7517 has it: others
   * may know what it is.
   *
   * @throws IllegalArgumentException if it is no set, is too large, has keys that are not public,
   *     or some and none that is understood
   */
  public static JWKSet parse(byte[] json) {
    JsonNode all;
    try {
      all = StrictJson.parse(json).path("keys");
    } catch (ProblemException e) {
      throw new IllegalArgumentException("wanted a JSON Web Key Set: " + e.getMessage(), e);
    }
    if (!all.isArray()) {
      throw new IllegalArgumentException("wanted a JSON Web Key Set; came no list of 'keys'");
    }
    if (all.size() > MOST_KEYS) {
      throw new IllegalArgumentException(
          "wanted at most %d keys; came %d".formatted(MOST_KEYS, all.size()));
    }
    List<JWK> keys = new ArrayList<>();
    for (JsonNode one : all) {
      try {
        keys.add(JWK.parse(one.toString()));
      } catch (ParseException | RuntimeException notUnderstood) {
        // The log tells which there are.
      }
    }
    if (keys.isEmpty() && !all.isEmpty()) {
      throw new IllegalArgumentException("wanted keys of RSA or elliptic curves; came none");
    }
    if (keys.stream().anyMatch(JWK::isPrivate)) { // Symmetric ones too.
      throw new IllegalArgumentException("wanted public keys; came one that is not public");
    }
    return new JWKSet(keys);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
