package io.ensemble.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.CatalogException.Reason;
import io.ensemble.catalog.Records.Held;
import io.ensemble.catalog.Records.Kind;
import io.ensemble.site.Bytes;
import io.ensemble.testkit.link.Link;
import io.ensemble.testkit.link.LinkThreads;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.link.Relay;
import io.ensemble.testkit.zookeeper.ZooKeeperProcess;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What became of a change is known or said to be unknown, whatever befalls a real server. */
class ZooKeeperFaultsIT {

  private static final int PATIENCE_SECONDS = 90;

  @TempDir static Path directory;

  private static ZooKeeperProcess server;
  private static LinkThreads threads;
  private static Relay relay;

  @BeforeAll
  static void start() {
    int port = Ports.reserve(2);
    server = ZooKeeperProcess.start(directory, port);
    threads = new LinkThreads(1);
    relay =
        Relay.listening(
            port + 1, InetSocketAddress.createUnresolved("127.0.0.1", port), new Link(), threads);
    relay.link().up();
  }

  @AfterAll
  static void stop() {
    relay.close();
    threads.close();
    server.close();
  }

  private static ZooKeeperAccess access(String path) {
    return ZooKeeperAccess.to("127.0.0.1:" + relay.address().getPort() + path);
  }

  /** Adds one to the same record, time and again, beside another. */
  private static final class Counter {

    private final ZooKeeperRecords records = ZooKeeperRecords.at(access("/counted"));
    private final AtomicLong sure = new AtomicLong();
    private final AtomicLong unknown = new AtomicLong();
    private final int number;

    Counter(int number) {
      this.number = number;
    }

    void count(AtomicBoolean over) {
      for (long turn = 0; !over.get(); turn++) {
        try {
          Optional<Held> seen = get(records.get(Kind.CACHE, "c"));
          Bytes next = text(seen.map(ZooKeeperFaultsIT::counted).orElse(0L) + 1, turn);
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

  private static long counted(Held held) {
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

  private static void await(String what, BooleanSupplier isSo) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!isSo.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      pause(20);
    }
  }

  private static void pause(int millis) throws InterruptedException {
    assertThat(new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS)).isFalse();
  }

  private interface Trouble {
    void come() throws Exception;
  }

  @Test
  void everyChangeIsMadeOnceOrNotAtAllWhileTheServerIsKilledStoppedAndCutOff() throws Exception {
    List<Counter> counters = List.of(new Counter(1), new Counter(2));
    AtomicBoolean over = new AtomicBoolean();
    List<CompletableFuture<Void>> counting = new ArrayList<>();
    for (Counter counter : counters) {
      counting.add(
          CompletableFuture.runAsync(
              () -> counter.count(over), task -> new Thread(task, "counter").start()));
    }
    List<Trouble> troubles =
        List.of(
            () -> {}, // First they get going.
            () -> {
              relay.link().blockReplies(); // What is asked for meanwhile is done unheard.
              pause(200);
              relay.link().reset();
              pause(100);
              relay.link().heal();
            },
            () -> {
              server.kill();
              server.restart();
            },
            () -> {
              server.pause();
              pause(500);
              server.resume();
            },
            () -> {
              server.pause();
              relay.link().reset(); // What it has been sent is done when it goes on.
              pause(200);
              relay.link().heal();
              server.resume();
            });

    for (Trouble trouble : troubles) {
      long before = sum(counters, counter -> counter.sure.get());
      trouble.come();
      await(
          "changes are made again",
          () ->
              sum(counters, counter -> counter.sure.get()) > before + 5
                  || counting.stream().anyMatch(CompletableFuture::isDone));
    }
    over.set(true);
    for (CompletableFuture<Void> each : counting) {
      each.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    long sure = sum(counters, counter -> counter.sure.get());
    long unknown = sum(counters, counter -> counter.unknown.get());
    long made = counted(get(counters.get(0).records.get(Kind.CACHE, "c")).orElseThrow());
    assertThat(made).isBetween(sure, sure + unknown);
    counters.forEach(counter -> counter.records.close());
  }

  private static long sum(List<Counter> counters, ToLongFunction<Counter> figure) {
    return counters.stream().mapToLong(figure).sum();
  }

  /** Has each change of a node done by the server, and its answer lost with the connection. */
  private record Unheard(Nodes nodes) implements Nodes {

    @Override
    public CompletionStage<Optional<Node>> read(String path) {
      return nodes.read(path);
    }

    @Override
    public CompletionStage<List<String>> children(String path) {
      return nodes.children(path);
    }

    @Override
    public CompletionStage<Change> create(String path, byte[] data) {
      return nodes.create(path, data);
    }

    @Override
    public CompletionStage<Change> write(String path, byte[] data, int version) {
      return losing(() -> nodes.write(path, data, version));
    }

    private static CompletionStage<Change> losing(Supplier<CompletionStage<Change>> change) {
      relay.link().blockReplies();
      CompletionStage<Change> asked = change.get();
      new Thread(
              () -> {
                try {
                  pause(300);
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
                relay.link().reset();
                relay.link().heal();
              },
              "loses")
          .start();
      return asked;
    }
  }

  @Test
  void aChangeWhoseAnswerIsLostIsKnownToBeMade() throws Exception {
    ZooKeeperAccess access = access("/unheard");
    CuratorFramework curator = ZooKeeperRecords.client(access);
    curator.start();
    ZooKeeperRecords records =
        new ZooKeeperRecords(new Unheard(new ZNodes(curator)), access.path(), curator::close);
    Bytes first = Bytes.of((byte) 1);
    Bytes second = Bytes.of((byte) 2);

    assertThat(get(records.create(Kind.CACHE, "c", first))).isTrue();
    Held seen = get(records.get(Kind.CACHE, "c")).orElseThrow();
    assertThat(get(records.replace(Kind.CACHE, "c", seen, second))).isTrue();

    assertThat(get(records.replace(Kind.CACHE, "c", seen, first))).isFalse();
    assertThat(get(records.get(Kind.CACHE, "c")).map(Held::text)).contains(second);
    records.close();
  }

  /** As after a long pause: the server has given the session up. */
  @Test
  void aSessionThatExpiresLosesNothing() throws Exception {
    ZooKeeperAccess access = access("/expired");
    CuratorFramework curator = ZooKeeperRecords.client(access);
    curator.start();
    ZooKeeperRecords records =
        new ZooKeeperRecords(new ZNodes(curator), access.path(), curator::close);
    Bytes first = Bytes.of((byte) 1);
    Bytes second = Bytes.of((byte) 2);
    assertThat(get(records.create(Kind.CACHE, "c", first))).isTrue();
    Held seen = get(records.get(Kind.CACHE, "c")).orElseThrow();
    long session = SessionEnd.of(curator, server.connectString());

    await(
        "the record is read by another session",
        () -> {
          try {
            return get(records.get(Kind.CACHE, "c")).equals(Optional.of(seen));
          } catch (CatalogException away) {
            return false;
          }
        });
    assertThat(curator.getZookeeperClient().getZooKeeper().getSessionId()).isNotEqualTo(session);
    assertThat(get(records.replace(Kind.CACHE, "c", seen, second))).isTrue();
    records.close();
  }
}
