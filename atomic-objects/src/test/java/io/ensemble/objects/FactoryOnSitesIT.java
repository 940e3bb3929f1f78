package io.ensemble.objects;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.store.HotRodStore;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.history.History;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.Operation;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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

  private static final String CACHE = "objects";
  private static final long CLIENTS_OF_A_PROCESS = 1_000_000;

  @TempDir private Path directory;
  private final List<Process> processes = new ArrayList<>();
  private final List<Path> histories = new ArrayList<>();
  private final CountDownLatch never = new CountDownLatch(1);
  private EmbeddedFederation federation;
  private EmbeddedSite site;
  private RemoteCacheManager manager;
  private RemoteCache<byte[], byte[]> cache;

  @BeforeEach
  void start() {
    federation =
        EmbeddedFederation.start(
            EmbeddedFederation.Options.defaults().withSiteNames("lyon").withNodesPerSite(3));
    site = federation.site("lyon");
    manager = CountingProgram.manager(ports());
    cache = HotRodStore.cache(manager, CACHE);
  }

  @AfterEach
  void stop() {
    processes.forEach(Process::destroyForcibly);
    manager.close();
    federation.close();
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

    pass(1_000);
    for (int i = 0; i < deaths; i++) {
      int doomed = primaryOwner();
      site.killNode(doomed);
      pass(3_000);
      if (i + 1 < deaths) {
        site.restartNode(doomed);
        awaitBalance();
      }
    }
    try (OutputStream words = processes.get(2).getOutputStream()) {
      words.write('d');
    }
    assertThat(processes.get(2).waitFor(60, TimeUnit.SECONDS)).isTrue();
    pass(1_000);
    for (Process process : processes.subList(0, 2)) {
      process.getOutputStream().close();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    }

    Judged.linearizable(history(), lastSeen());
  }

  @Test
  void aFactoryThatIsAbandonedInsideACallLeavesNothingWrong() throws Exception {
    HistoryRecorder recorder = HistoryRecorder.inMemory(System::nanoTime, 1_000_000);
    List<MuteStore> stores = new ArrayList<>();
    List<AtomicObjectFactory> factories = new ArrayList<>();
    List<Counting> counting = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      MuteStore store = new MuteStore(new HotRodStore(cache));
      stores.add(store);
      factories.add(AtomicObjectFactory.on(store));
      counting.add(Counting.start(factories.get(i), recorder, 2, store::isDead));
    }

    for (int i = 0; i < 4; i++) {
      pass(400);
      stores.get(i).die(i % 2);
    }
    pass(1_000);
    for (Counting survivors : counting.subList(4, 6)) {
      survivors.end();
    }
    factories.subList(4, 6).forEach(AtomicObjectFactory::close);

    Judged.linearizable(recorder.history(), lastSeen());
    recorder.close();
  }

  /** By one who was not there. */
  private long lastSeen() {
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(new HotRodStore(cache))) {
      return factory.open(Counting.NAME, Counter.TYPE).get();
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

  private History history() throws IOException {
    List<Operation> all = new ArrayList<>();
    for (Path history : histories) {
      all.addAll(HistoryReader.read(history).operations());
    }
    return new History(all);
  }

  private int primaryOwner() {
    InetSocketAddress primary =
        (InetSocketAddress)
            ((InternalRemoteCache<?, ?>) cache)
                .getDispatcher()
                .getConsistentHash(CACHE)
                .getServer(("object/" + Counting.NAME).getBytes(UTF_8));
    return ports().indexOf(primary.getPort());
  }

  private List<Integer> ports() {
    return site.endpoints().stream().map(InetSocketAddress::getPort).toList();
  }

  private void awaitBalance() throws InterruptedException {
    for (int looks = 0; !site.isBalanced(); looks++) {
      assertThat(looks).as("looks, ten in a second").isLessThan(300);
      pass(100);
    }
  }

  private void pass(int millis) throws InterruptedException {
    assertThat(never.await(millis, TimeUnit.MILLISECONDS)).isFalse();
  }
}
