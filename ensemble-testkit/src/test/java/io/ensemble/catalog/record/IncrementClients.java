package io.ensemble.catalog.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.catalog.record.CatalogRecords.Kind;
import io.ensemble.catalog.record.CatalogRecords.VersionedRecord;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Concurrent clients, each of which increments the same record repeatedly. */
final class IncrementClients implements AutoCloseable {

  private static final int PATIENCE_SECONDS = 90;

  /** A fault of the servers. */
  interface Trouble {
    void come() throws Exception;
  }

  private final List<Client> clients = new ArrayList<>();
  private final List<CompletableFuture<Void>> working = new ArrayList<>();
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong sure = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();

  private IncrementClients() {}

  /** Starts the clients. */
  static IncrementClients of(int clients, ZooKeeperAccess access) {
    IncrementClients made = new IncrementClients();
    for (int number = 0; number < clients; number++) {
      Client client = made.new Client(number, ZooKeeperRecords.at(access));
      made.clients.add(client);
      made.working.add(
          CompletableFuture.runAsync(client::count, task -> new Thread(task, "counter").start()));
    }
    return made;
  }

  private final class Client {

    private final int number;
    private final ZooKeeperRecords records;

    Client(int number, ZooKeeperRecords records) {
      this.number = number;
      this.records = records;
    }

    void count() {
      for (long turn = 0; !over.get(); turn++) {
        try {
          Optional<VersionedRecord> seen = get(records.get(Kind.CACHE, "c"));
          Bytes next = text(seen.map(IncrementClients::counted).orElse(0L) + 1, turn);
          boolean done =
              seen.isPresent()
                  ? get(records.replace(Kind.CACHE, "c", seen.get(), next))
                  : get(records.create(Kind.CACHE, "c", next));
          if (done) {
            sure.incrementAndGet();
          }
        } catch (CatalogException e) {
          assertThat(e.reason()).isIn(Reason.UNKNOWN, Reason.UNAVAILABLE);
          if (e.reason() == Reason.UNKNOWN) {
            unknown.incrementAndGet();
          }
        }
      }
    }

    private Bytes text(long count, long turn) {
      return Bytes.of("%d by %d in turn %d".formatted(count, number, turn).getBytes(UTF_8));
    }
  }

  /**
   * Causes the faults one after the other, waits for new increments after each, and stops the
   * clients.
   */
  void among(List<? extends Trouble> troubles) throws Exception {
    goOn(0);
    for (Trouble trouble : troubles) {
      long before = sure.get();
      trouble.come();
      goOn(before);
    }
    over.set(true);
    for (CompletableFuture<Void> each : working) {
      each.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }

  private void goOn(long before) {
    await("changes are made again")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofSeconds(PATIENCE_SECONDS))
        .until(
            () -> sure.get() > before + 5 || working.stream().anyMatch(CompletableFuture::isDone));
  }

  /** The number of increments that were acknowledged. */
  long sure() {
    return sure.get();
  }

  /** The number of increments whose outcome is unknown. */
  long unknown() {
    return unknown.get();
  }

  /** The number of increments that the record contains. */
  long made() {
    return counted(get(clients.get(0).records.get(Kind.CACHE, "c")).orElseThrow());
  }

  private static long counted(VersionedRecord held) {
    return Long.parseLong(new String(held.text().array(), UTF_8).split(" ")[0]);
  }

  private static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CatalogException why) {
        throw why;
      }
      throw new AssertionError(e.getCause());
    } catch (Exception e) {
      throw new AssertionError("no answer within " + PATIENCE_SECONDS + " s", e);
    }
  }

  @Override
  public void close() {
    over.set(true);
    clients.forEach(client -> client.records.close());
  }
}
