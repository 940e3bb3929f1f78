package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.schedule.Scheduler;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.infinispan.client.hotrod.CacheTopologyInfo;
import org.infinispan.client.hotrod.RemoteCache;
import org.junit.jupiter.api.Test;

/** How many nodes a site reports for a cache, and sites that report none. */
class TopologyCheckTest {

  private static final int NONE = TopologyCheck.UNKNOWN;

  private final Turns scheduler = new Turns();
  private final Deque<Integer> told = new ArrayDeque<>();
  private int readings;

  /** Runs the pending tasks immediately, in order, and adds up their delays. */
  private static final class Turns implements Scheduler {

    private final Deque<Runnable> due = new ArrayDeque<>();
    private long nanos;

    @Override
    public void execute(Runnable task) {
      due.add(task);
    }

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public long epochMicros() {
      return nanos / 1000;
    }

    @Override
    public Timer after(long delayNanos, Runnable task) {
      due.add(
          () -> {
            nanos += delayNanos;
            task.run();
          });
      return () -> {};
    }

    void run() {
      for (Runnable next = due.poll(); next != null; next = due.poll()) {
        next.run();
      }
    }
  }

  /** A client that reports these numbers of nodes in turn, and the last one from then on. */
  @SuppressWarnings("unchecked")
  private RemoteCache<byte[], byte[]> telling(Integer... nodes) {
    told.addAll(List.of(nodes));
    return (RemoteCache<byte[], byte[]>)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {RemoteCache.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getAsync" -> {
                    readings++;
                    yield CompletableFuture.completedFuture(null);
                  }
                  case "getCacheTopologyInfo" ->
                      topology(told.size() > 1 ? told.remove() : told.element());
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static CacheTopologyInfo topology(int nodes) {
    Map<SocketAddress, Set<Integer>> servers = new HashMap<>();
    for (int i = 0; i < Math.max(1, nodes); i++) {
      servers.put(InetSocketAddress.createUnresolved("n" + i, 1), Set.of());
    }
    return (CacheTopologyInfo)
        Proxy.newProxyInstance(
            TopologyCheckTest.class.getClassLoader(),
            new Class<?>[] {CacheTopologyInfo.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getTopologyId" -> nodes == NONE ? -1 : 7;
                  case "getNumSegments" -> nodes == NONE ? null : 256;
                  case "getSegmentsPerServer" -> servers;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private int settled(Integer... nodes) {
    CompletableFuture<Integer> result =
        TopologyCheck.settledNodes(telling(nodes), scheduler).toCompletableFuture();
    scheduler.run();
    return result.join();
  }

  private int opened(Integer... nodes) {
    CompletableFuture<Integer> result =
        TopologyCheck.nodes(telling(nodes), scheduler).toCompletableFuture();
    scheduler.run();
    return result.join();
  }

  @Test
  void aCountStandsWhenThreeReadingsAgree() {
    assertThat(settled(1, 2, 3, 3, 3)).isEqualTo(3);
    assertThat(readings).isEqualTo(5);
  }

  @Test
  void aCountThatNeverAgreesIsTheLastOneAfterASecond() {
    Integer[] toAndFro = new Integer[60];
    for (int i = 0; i < toAndFro.length; i++) {
      toAndFro[i] = 2 + i % 2;
    }

    assertThat(settled(toAndFro)).isEqualTo(3);
    assertThat(readings).isEqualTo(40);
  }

  @Test
  void aTopologyThatIsToldLateIsWaitedFor() {
    assertThat(settled(NONE, NONE, NONE, NONE, 3)).isEqualTo(3);
  }

  @Test
  void aStoreThatIsOpenedWaitsForTheFirstCountOnly() {
    assertThat(opened(NONE, NONE, NONE, NONE, 2, 3)).isEqualTo(2);
    assertThat(readings).isEqualTo(5);
  }

  @Test
  void aTopologyThatIsNeverToldIsUnknownAfterASecond() {
    assertThat(settled(NONE)).isEqualTo(NONE);

    assertThat(readings).isEqualTo(40);
    assertThat(Duration.ofNanos(scheduler.nanos()))
        .isBetween(Duration.ofMillis(900), Duration.ofMillis(1_100));
    assertThat(opened(NONE)).isEqualTo(NONE);
  }

  @Test
  void aFailedReadingIsTheFailure() {
    RemoteCache<byte[], byte[]> cache = telling(3);
    RemoteCache<?, ?> failing =
        (RemoteCache<?, ?>)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {RemoteCache.class},
                (self, method, arguments) ->
                    method.getName().equals("getAsync")
                        ? CompletableFuture.failedFuture(new IllegalStateException("gone"))
                        : method.invoke(cache, arguments));
    @SuppressWarnings("unchecked")
    CompletableFuture<Integer> result =
        TopologyCheck.nodes((RemoteCache<byte[], byte[]>) failing, scheduler).toCompletableFuture();

    assertThatThrownBy(result::join).hasMessageContaining("gone");
  }
}
