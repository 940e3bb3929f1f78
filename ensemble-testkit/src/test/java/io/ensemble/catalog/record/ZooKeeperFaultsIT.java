package io.ensemble.catalog.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.record.CatalogRecords.Kind;
import io.ensemble.catalog.record.CatalogRecords.VersionedRecord;
import io.ensemble.site.Bytes;
import io.ensemble.testkit.link.LinkThreads;
import io.ensemble.testkit.link.NodeLink;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.link.Relay;
import io.ensemble.testkit.zookeeper.ZooKeeperProcess;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The outcome of each change is known or reported as unknown, under faults of a real server. */
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
            port + 1,
            InetSocketAddress.createUnresolved("127.0.0.1", port),
            new NodeLink(),
            threads);
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

  private static void await(String what, Callable<Boolean> isSo) {
    Awaitility.await(what)
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofSeconds(PATIENCE_SECONDS))
        .until(isSo);
  }

  /** Lets a fault last for a while. */
  private static void pause(int millis) {
    Awaitility.await("the fault's end").pollDelay(Duration.ofMillis(millis)).until(() -> true);
  }

  @Test
  void everyChangeIsMadeOnceOrNotAtAllWhileTheServerIsKilledStoppedAndCutOff() throws Exception {
    List<IncrementClients.Trouble> troubles =
        List.of(
            () -> {
              relay.link().blockReplies(); // Requests take effect meanwhile, without an answer.
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
              relay.link().reset(); // The server performs received requests when it resumes.
              pause(200);
              relay.link().heal();
              server.resume();
            });

    try (IncrementClients incrementClients = IncrementClients.of(2, access("/counted"))) {
      incrementClients.among(troubles);

      assertThat(incrementClients.made())
          .isBetween(incrementClients.sure(), incrementClients.sure() + incrementClients.unknown());
    }
  }

  /** Lets the server make each write, and loses the answer with the connection. */
  private record Unheard(ZnodeOperations nodes) implements ZnodeOperations {

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
                pause(300);
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
        new ZooKeeperRecords(
            new Unheard(new CuratorZnodes(curator)), access.path(), curator::close);
    Bytes first = Bytes.of((byte) 1);
    Bytes second = Bytes.of((byte) 2);

    assertThat(get(records.create(Kind.CACHE, "c", first))).isTrue();
    VersionedRecord seen = get(records.get(Kind.CACHE, "c")).orElseThrow();
    assertThat(get(records.replace(Kind.CACHE, "c", seen, second))).isTrue();

    assertThat(get(records.replace(Kind.CACHE, "c", seen, first))).isFalse();
    assertThat(get(records.get(Kind.CACHE, "c")).map(VersionedRecord::text)).contains(second);
    records.close();
  }

  /** The server ends the session, as after a long pause of the client. */
  @Test
  void aSessionThatExpiresLosesNothing() throws Exception {
    ZooKeeperAccess access = access("/expired");
    CuratorFramework curator = ZooKeeperRecords.client(access);
    curator.start();
    ZooKeeperRecords records =
        new ZooKeeperRecords(new CuratorZnodes(curator), access.path(), curator::close);
    Bytes first = Bytes.of((byte) 1);
    Bytes second = Bytes.of((byte) 2);
    assertThat(get(records.create(Kind.CACHE, "c", first))).isTrue();
    VersionedRecord seen = get(records.get(Kind.CACHE, "c")).orElseThrow();
    long session = SessionExpiry.of(curator, server.connectString());

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
