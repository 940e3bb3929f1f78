package io.ensemble.cache.weak;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.cache.weak.entry.StampGenerator;
import io.ensemble.cache.weak.replica.AntiEntropyReport;
import io.ensemble.cache.weak.replica.WeakContext;
import io.ensemble.cache.weak.replica.WeakMetrics;
import io.ensemble.cache.weak.replica.WeakOptions;
import io.ensemble.cache.weak.replica.WeakReplica;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** Sites in memory and the clients of one cache over them. */
public final class WeakCacheFixture {

  static final Duration TIMEOUT = Duration.ofSeconds(10);

  final WeakManualScheduler scheduler = new WeakManualScheduler();
  final List<FakeSiteMemory> sites = new ArrayList<>();

  /** How long a client's first use of a store takes to open it; null when it is open already. */
  Duration opening;

  WeakOptions options =
      WeakOptions.DEFAULTS.withComparison(
          new WeakOptions.Comparison(
              Duration.ofHours(1), Duration.ZERO, Duration.ofDays(1), 4, 10));

  WeakCacheFixture(int number) {
    for (int i = 0; i < number; i++) {
      sites.add(new FakeSiteMemory("s" + i));
    }
  }

  /** One process with its engine. Comparisons run on demand only, unless options say otherwise. */
  final class Client {

    final List<FakeStore> ways = new ArrayList<>();
    final List<SiteStore> given = new ArrayList<>();
    final List<AntiEntropyReport> reports = new ArrayList<>();
    long skewMicros;
    int putBacks;
    int siblingsDropped;
    final WeakEngine engine;

    Client(int local, long writer) {
      List<WeakReplica> replicas = new ArrayList<>();
      for (int i = 0; i < sites.size(); i++) {
        int at = i;
        FakeStore way = new FakeStore(sites.get(i), scheduler);
        ways.add(way);
        given.add(opening == null ? way : null);
        replicas.add(replica(way.site(), at));
      }
      HybridClock clock = new HybridClock(() -> scheduler.epochMicros() + skewMicros);
      WriterId id = new WriterId(0, writer);
      engine =
          new WeakEngine(
              "c",
              replicas,
              local,
              scheduler,
              clock,
              id,
              options,
              new WeakMetrics() {
                @Override
                public void putBack(String site) {
                  putBacks++;
                }

                @Override
                public void siblingsDropped(String site, int siblings) {
                  siblingsDropped += siblings;
                }

                @Override
                public void compared(AntiEntropyReport report) {
                  reports.add(report);
                }
              });
    }

    private WeakReplica replica(String site, int at) {
      return new WeakReplica() {
        @Override
        public String site() {
          return site;
        }

        @Override
        public Optional<SiteStore> store() {
          return Optional.ofNullable(given.get(at));
        }

        @Override
        public CompletionStage<SiteStore> open(Deadline deadline) {
          if (opening == null || given.get(at) != null) {
            return WeakReplica.super.open(deadline);
          }
          CompletableFuture<SiteStore> opened = new CompletableFuture<>();
          scheduler.after(
              opening.toNanos(),
              () -> {
                given.set(at, ways.get(at));
                opened.complete(ways.get(at));
              });
          return opened;
        }
      };
    }

    CompletionStage<WriteOutcome<Void>> writing(String key, String value) {
      return engine.write(key(key), value == null ? null : payload(value), deadline(TIMEOUT));
    }

    WriteOutcome<Void> write(String key, String value) {
      return scheduler.get(writing(key, value));
    }

    CompletionStage<Optional<Payload>> reading(String key) {
      return engine.read(key(key), deadline(TIMEOUT));
    }

    String read(String key) {
      return scheduler.get(reading(key)).map(WeakCacheFixture::text).orElse(null);
    }

    CompletionStage<WriteOutcome<String>> updating(String key, UnaryOperator<String> function) {
      Update<Payload, String> update =
          current -> {
            String before = current == null ? null : text(current);
            String after = function.apply(before);
            return after == null ? Decision.keep(before) : Decision.write(payload(after), before);
          };
      return engine.update(key(key), update, deadline(TIMEOUT));
    }

    WriteOutcome<String> update(String key, UnaryOperator<String> function) {
      return scheduler.get(updating(key, function));
    }

    AntiEntropyReport reconcile() {
      return scheduler.get(engine.reconcile());
    }

    void crash() {
      ways.forEach(
          way -> way.next.addAll(java.util.Collections.nCopies(1000, FakeSiteMemory.Mode.SILENT)));
      engine.close();
    }
  }

  /** The context that the parts of an engine share, without an engine. */
  WeakContext context() {
    StampGenerator stamps =
        new StampGenerator(new HybridClock(scheduler::epochMicros), new WriterId(0, 99));
    return new WeakContext(
        "c", scheduler, stamps, options, WeakMetrics.NONE, new SplittableRandom(1));
  }

  Client client(int local, long writer) {
    return new Client(local, writer);
  }

  Deadline deadline(Duration timeout) {
    return Deadline.after(timeout, scheduler);
  }

  Deadline deadline() {
    return deadline(TIMEOUT);
  }

  /** Runs 30 s of virtual time, in which all pending work ends. */
  void settle() {
    scheduler.run(Duration.ofSeconds(30));
  }

  void put(int site, String key, long micros, long writer, String value) {
    Envelope envelope =
        Envelope.of(
            new Stamp(micros, new WriterId(0, writer)), value == null ? null : bytes(value), 0);
    sites.get(site).store(key(key), EnvelopeCodec.encode(envelope));
  }

  /** The value of a key at each site: "-" for a tombstone, null for no entry. */
  List<String> values(String key) {
    List<String> values = new ArrayList<>();
    for (FakeSiteMemory site : sites) {
      Envelope envelope = envelope(site, key);
      values.add(envelope == null ? null : envelope.isTombstone() ? "-" : text(envelope.payload()));
    }
    return values;
  }

  Envelope envelope(FakeSiteMemory site, String key) {
    var entry = site.entries.get(key(key));
    return entry == null ? null : EnvelopeCodec.decode(entry.value());
  }

  public static Bytes key(String key) {
    return bytes(key);
  }

  static Payload payload(String value) {
    return new Payload(bytes(value), 0);
  }

  public static Bytes bytes(String text) {
    return Bytes.of(text.getBytes(UTF_8));
  }

  static String text(Payload payload) {
    return text(payload.value());
  }

  static String text(Bytes bytes) {
    return new String(bytes.array(), UTF_8);
  }
}
