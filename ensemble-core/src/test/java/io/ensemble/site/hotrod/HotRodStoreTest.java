package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoredEntry;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.infinispan.client.hotrod.MetadataValue;
import org.infinispan.client.hotrod.RemoteCache;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads that the client sends elsewhere than to the key's owner. */
@Timeout(30)
class HotRodStoreTest {

  private static final SocketAddress A = InetSocketAddress.createUnresolved("a", 1);
  private static final SocketAddress B = InetSocketAddress.createUnresolved("b", 1);

  private final ThreadScheduler scheduler = new ThreadScheduler(1);
  private final OwnerWatch watch = new OwnerWatch();
  private int reads;
  private int sentElsewhere;

  @AfterEach
  void close() {
    scheduler.close();
  }

  /** A client that sends the first so many reads elsewhere, and counts them in the versions. */
  private HotRodStore store(StoreKind kind, int elsewhere) {
    sentElsewhere = elsewhere;
    watch.setServers(List.of(A, B));
    Object cache =
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {RemoteCache.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "withFlags" -> self;
                  case "getName" -> "s";
                  case "getWithMetadataAsync" -> read();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
    @SuppressWarnings("unchecked")
    RemoteCache<byte[], byte[]> typed = (RemoteCache<byte[], byte[]>) cache;
    return new HotRodStore(kind, typed, new Replies("lyon"));
  }

  private CompletableFuture<Object> read() {
    if (reads++ < sentElsewhere) {
      watch.nextServer(Set.of());
    }
    long version = reads;
    Object value =
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {MetadataValue.class},
            (self, method, arguments) ->
                method.getName().equals("getVersion") ? version : new byte[] {1});
    return CompletableFuture.supplyAsync(() -> value, scheduler);
  }

  private CompletableFuture<Optional<StoredEntry>> reading(StoreKind kind, int elsewhere) {
    return store(kind, elsewhere)
        .read(Bytes.of((byte) 7), Deadline.after(Duration.ofSeconds(20), scheduler))
        .toCompletableFuture();
  }

  private static long version(CompletableFuture<Optional<StoredEntry>> read) throws Exception {
    return read.get(20, TimeUnit.SECONDS).orElseThrow().version();
  }

  @Test
  void aReadAtTheOwnerIsOneRequest() throws Exception {
    assertThat(version(reading(StoreKind.ACCEPTOR, 0))).isEqualTo(1);
  }

  @Test
  void aStrongStoreReadsAgainWhenAnotherNodeAnswered() throws Exception {
    assertThat(version(reading(StoreKind.ACCEPTOR, 1))).isEqualTo(2);
  }

  @Test
  void aStrongStoreGivesUpWhenTheOwnerStaysAway() throws Exception {
    CompletableFuture<Optional<StoredEntry>> read = reading(StoreKind.ACCEPTOR, 2);
    try {
      read.get(20, TimeUnit.SECONDS);
      throw new AssertionError("answered by another node");
    } catch (ExecutionException failed) {
      assertThat(failed.getCause()).isInstanceOf(SiteException.class);
      assertThat(((SiteException) failed.getCause()).reason()).isEqualTo(Reason.UNREACHABLE);
      assertThat(failed.getCause()).hasMessageContaining("the node that owns the key");
    }
    assertThat(reads).isEqualTo(2);
  }

  @Test
  void aPlainStoreTakesAnyNodesAnswer() throws Exception {
    assertThat(version(reading(StoreKind.PLAIN, 1))).isEqualTo(1);
  }

  @Test
  void nodesAreAskedInTurnAndFailedOnesAvoidedWhileThereAreOthers() {
    watch.setServers(List.of(A, B));
    List<SocketAddress> turns = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      turns.add(watch.nextServer(Set.of()));
    }

    assertThat(turns).containsExactly(A, B, A, B);
    for (int i = 0; i < 4; i++) {
      assertThat(watch.nextServer(Set.of(A))).isEqualTo(B);
    }
    assertThat(watch.nextServer(Set.of(A, B))).isIn(A, B);
    watch.setServers(List.of(A));
    assertThat(watch.nextServer(Set.of(A))).isEqualTo(A);
  }
}
