package io.ensemble.objects;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.OperationHistory;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.impl.InternalRemoteCache;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes with a factory each, on one site of three nodes. */
@Timeout(120)
class FactoryOnSitesIT {

  private static final String CACHE = "factory-on-sites";
  private static final int CALLS = 200;
  private static final long CLIENTS_OF_A_PROCESS = 1_000_000;

  @TempDir private Path directory;
  private final List<Process> processes = new ArrayList<>();
  private final List<Path> histories = new ArrayList<>();
  private EmbeddedSite site;
  private RemoteCacheManager manager;
  private RemoteCache<byte[], byte[]> cache;

  @BeforeEach
  void start() {
    site = SharedFederation.threeNodes().site("lyon");
    manager = CountingProgram.manager(ports());
    cache = HotRodObjectStore.cache(manager, CACHE);
  }

  @AfterEach
  void stop() {
    processes.forEach(Process::destroyForcibly);
    if (!site.isBalanced()) {
      site.restart();
    }
    awaitBalance();
    manager.administration().removeCache(CACHE);
    manager.close();
  }

  @Test
  void nothingIsLostWhereThePrimaryOwnerAndAClientAreKilled() throws Exception {
    primaryOwnerAndClientKilled(1);
  }

  @Tag("deep")
  @RepeatedTest(10)
  @Timeout(300)
  void nothingIsLostWherePrimaryOwnersAreKilledOneAfterAnother() throws Exception {
    primaryOwnerAndClientKilled(4);
  }

  private void primaryOwnerAndClientKilled(int deaths) throws Exception {
    for (int i = 0; i < 3; i++) {
      processes.add(launch(i));
    }
    for (Process process : processes) {
      assertThat(process.inputReader(UTF_8).readLine()).isEqualTo("counting");
    }

    awaitCounts(CALLS);
    for (int i = 0; i < deaths; i++) {
      int doomed = primaryOwner();
      site.killNode(doomed);
      awaitCounts(CALLS);
      if (i + 1 < deaths) {
        site.restartNode(doomed);
        awaitBalance();
      }
    }
    try (OutputStream words = processes.get(2).getOutputStream()) {
      words.write('d');
    }
    assertThat(processes.get(2).waitFor(60, SECONDS)).isTrue();
    awaitCounts(CALLS);
    for (Process process : processes.subList(0, 2)) {
      process.getOutputStream().close();
      assertThat(process.waitFor(60, SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    }

    CounterHistoryChecker.linearizable(history(), lastSeen(), FactoryOnSitesIT.class);
  }

  @Test
  void aFactoryThatIsAbandonedInsideACallLeavesNothingWrong() throws Exception {
    HistoryRecorder recorder = HistoryRecorder.inMemory(System::nanoTime, 1_000_000);
    List<UnresponsiveStore> stores = new ArrayList<>();
    List<AtomicObjectFactory> factories = new ArrayList<>();
    List<CountingThreads> counting = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      UnresponsiveStore store = new UnresponsiveStore(new HotRodObjectStore(cache));
      stores.add(store);
      factories.add(AtomicObjectFactory.on(store));
      counting.add(CountingThreads.start(factories.get(i), recorder, 2, store::isDead));
    }

    for (int i = 0; i < 4; i++) {
      counting.get(i).awaitCalls(CALLS / 4);
      stores.get(i).die(i % 2);
    }
    counting.subList(4, 6).forEach(each -> each.awaitCalls(CALLS));
    for (CountingThreads survivors : counting.subList(4, 6)) {
      survivors.end();
    }
    factories.subList(4, 6).forEach(AtomicObjectFactory::close);

    CounterHistoryChecker.linearizable(recorder.history(), lastSeen(), FactoryOnSitesIT.class);
    recorder.close();
  }

  /** The value that a new factory reads. */
  private long lastSeen() {
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(new HotRodObjectStore(cache))) {
      return factory.open(CountingThreads.NAME, Counter.TYPE).get();
    }
  }

  private Process launch(int index) throws IOException {
    Path history = directory.resolve("history-" + index);
    histories.add(history);
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                CountingProgram.class.getName(),
                history.toString(),
                String.valueOf(index * CLIENTS_OF_A_PROCESS),
                CACHE));
    ports().forEach(port -> command.add(String.valueOf(port)));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private OperationHistory history() throws IOException {
    List<HistoryOperation> all = new ArrayList<>();
    for (Path history : histories) {
      all.addAll(HistoryReader.read(history).operations());
    }
    return new OperationHistory(all);
  }

  private int primaryOwner() {
    InetSocketAddress primary =
        (InetSocketAddress)
            ((InternalRemoteCache<?, ?>) cache)
                .getDispatcher()
                .getConsistentHash(CACHE)
                .getServer(("object/" + CountingThreads.NAME).getBytes(UTF_8));
    return ports().indexOf(primary.getPort());
  }

  private List<Integer> ports() {
    return site.endpoints().stream().map(InetSocketAddress::getPort).toList();
  }

  /** Waits until the processes together have counted {@code more}. */
  private void awaitCounts(int more) {
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(new HotRodObjectStore(cache))) {
      Counter counter = factory.open(CountingThreads.NAME, Counter.TYPE);
      long[] wanted = {-1};
      await("counted " + more + " more")
          .pollInterval(20, MILLISECONDS)
          .atMost(100, SECONDS)
          .ignoreExceptionsInstanceOf(AtomicObjectException.class)
          .until(
              () -> {
                long now = counter.get();
                wanted[0] = wanted[0] < 0 ? now + more : wanted[0];
                return now >= wanted[0];
              });
    }
  }

  private void awaitBalance() {
    await("the site is balanced")
        .pollInterval(100, MILLISECONDS)
        .atMost(100, SECONDS)
        .until(site::isBalanced);
  }
}
