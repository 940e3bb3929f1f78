package io.ensemble.simulation.weak;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.cache.weak.WeakEngine;
import io.ensemble.cache.weak.replica.WeakMetrics;
import io.ensemble.cache.weak.replica.WeakOptions;
import io.ensemble.cache.weak.replica.WeakReplica;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.SimClient;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One client of a WEAK cache that does one random operation after the other. */
final class WeakClient {

  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final SimClient process;
  private final WeakHistory history;
  private final int keys;
  private final Map<String, SiteStore> stores = new LinkedHashMap<>();
  private final WeakEngine engine;
  private int left;
  private int numbers;
  private boolean busy;

  WeakClient(
      SimClient process,
      int local,
      Map<String, SiteStore> handles,
      WeakOptions options,
      WeakHistory history,
      int keys,
      int operations) {
    this.process = process;
    this.history = history;
    this.keys = keys;
    this.left = operations;
    handles.forEach((site, store) -> use(site, store));
    List<WeakReplica> replicas = new ArrayList<>();
    handles.keySet().forEach(site -> replicas.add(new Current(site)));
    WriterId writer = new WriterId(process.random().nextLong(), process.random().nextLong());
    engine =
        new WeakEngine(
            "c",
            replicas,
            local,
            process.scheduler(),
            new HybridClock(process.scheduler()::epochMicros),
            writer,
            options,
            WeakMetrics.NONE);
  }

  private final class Current implements WeakReplica {

    private final String site;

    Current(String site) {
      this.site = site;
    }

    @Override
    public String site() {
      return site;
    }

    @Override
    public Optional<SiteStore> store() {
      return Optional.ofNullable(stores.get(site));
    }
  }

  WeakEngine engine() {
    return engine;
  }

  String name() {
    return process.name();
  }

  /** The store to use at a site; null for none. */
  void use(String site, @Nullable SiteStore store) {
    stores.put(
        site, store == null ? null : new UnseenSwapRecorder(store, name(), history.unseen()));
  }

  void start() {
    process.scheduler().after(process.random().nextLong(50_000_000), this::next);
  }

  /** Whether every operation has ended. */
  boolean isDone() {
    return left == 0 && !busy;
  }

  private void next() {
    if (left == 0) {
      return;
    }
    left--;
    busy = true;
    Bytes key = bytes("k" + process.random().nextInt(keys));
    Deadline deadline = Deadline.after(TIMEOUT, process.scheduler());
    int kind = process.random().nextInt(10);
    CompletionStage<?> operation;
    if (kind < 3) {
      operation = engine.read(key, deadline).thenAccept(found -> history.read(name(), key, found));
    } else if (kind < 4) {
      history.issued(name(), key, null);
      operation = wrote(key, engine.write(key, null, deadline));
    } else if (kind < 8) {
      operation = wrote(key, engine.write(key, newValue(key), deadline));
    } else {
      Payload value = newValue(key);
      operation = wrote(key, engine.update(key, current -> Decision.write(value, null), deadline));
    }
    operation.whenComplete((done, failure) -> ended(failure));
  }

  private <R> CompletionStage<WriteOutcome<R>> wrote(
      Bytes key, CompletionStage<WriteOutcome<R>> outcome) {
    return outcome.whenComplete(
        (done, failure) -> {
          if (done != null) {
            history.ended(name(), key, done);
          }
        });
  }

  private void ended(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause != null) {
      history.failed(name(), cause);
    }
    busy = false;
    process.scheduler().after(process.random().nextLong(100_000_000), this::next);
  }

  private Payload newValue(Bytes key) {
    Bytes value = bytes(name() + "-" + numbers++);
    history.issued(name(), key, value);
    return new Payload(value, 0);
  }

  private static Bytes bytes(String text) {
    return Bytes.of(text.getBytes(UTF_8));
  }
}
