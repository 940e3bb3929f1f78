package io.ensemble.testkit.truth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.site.Bytes;
import io.ensemble.testkit.embedded.EmbeddedSite;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ClientIntelligence;
import org.infinispan.commons.api.CacheContainerAdmin.AdminFlag;
import org.infinispan.commons.configuration.StringConfiguration;

/**
 * Many contenders for few keys of a site in this JVM, one node of which is killed and restarted.
 * The more contenders wait for a lock while the owner of its key changes, the more of them succeed
 * incorrectly.
 */
final class RestartContention implements AutoCloseable {

  private static final int KEYS = 4;
  private static final int CONTENDERS = 32;
  private static final int CLIENTS = 4;
  private static final int MOST_TRIES = 100;
  private static final long CALM_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(90);
  private static final AtomicLong IDS = new AtomicLong();

  private final EmbeddedSite site;
  private final GuaranteeTable guaranteeTable;
  private final long origin = System.nanoTime();
  private final List<RemoteCacheManager> clients = new ArrayList<>();
  private final List<RemoteCacheManager> nodes = new ArrayList<>();

  /**
   * @param guaranteeTable records chains with anomalies
   */
  RestartContention(EmbeddedSite site, GuaranteeTable guaranteeTable) {
    this.site = site;
    this.guaranteeTable = guaranteeTable;
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(SiteClients.client(site.endpoints(), ClientIntelligence.HASH_DISTRIBUTION_AWARE));
    }
    for (InetSocketAddress node : site.endpoints()) {
      nodes.add(SiteClients.client(List.of(node), ClientIntelligence.BASIC));
    }
  }

  /** Creates the cache that {@link #run} uses. */
  void create(SiteCacheSetting setting) {
    clients
        .get(0)
        .administration()
        .withFlags(AdminFlag.VOLATILE)
        .createCache(cache(setting), new StringConfiguration(setting.xml()));
  }

  private static String cache(SiteCacheSetting setting) {
    return setting.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Kills and restarts node {@code victim}; for a store of one node, this is a peer of that node.
   * Each run uses new keys, because such a store may be on another node.
   *
   * @return the anomalies of the run
   */
  ChainAnomalies run(SiteCacheSetting setting, int victim) throws InterruptedException {
    List<RemoteCacheManager> next = List.of(nodes.get((victim + 1) % nodes.size()));
    List<CasClient> doors = doors(setting.isOfOneNode() ? next : clients, setting);
    Map<Bytes, CasChain> chains = new LinkedHashMap<>();
    for (int i = 0; i < KEYS; i++) {
      Bytes key = Bytes.of(("key-" + IDS.incrementAndGet()).getBytes(UTF_8));
      ChainValue first = new ChainValue(IDS.incrementAndGet(), 0, 0);
      again(() -> doors.get(0).putIfAbsent(key, first));
      chains.put(key, new CasChain(first));
    }
    AtomicBoolean over = new AtomicBoolean();
    List<Thread> contenders = new ArrayList<>();
    for (int i = 0; i < CONTENDERS; i++) {
      CasClient door = doors.get(i % doors.size());
      SplittableRandom random = new SplittableRandom(i);
      List<Bytes> keys = List.copyOf(chains.keySet());
      Runnable attempts =
          () -> {
            while (!over.get()) {
              Bytes key = keys.get(random.nextInt(keys.size()));
              attempt(door, key, chains.get(key));
            }
          };
      contenders.add(new Thread(attempts, "contender-" + i));
    }
    contenders.forEach(Thread::start);
    try {
      waited(CALM_NANOS);
      site.killNode(victim);
      waited(CALM_NANOS);
      site.restartNode(victim);
      awaitBalance();
      waited(CALM_NANOS);
    } finally {
      over.set(true);
    }
    for (Thread contender : contenders) {
      contender.join();
    }
    List<CasClient> each = doors(setting.isOfOneNode() ? next : nodes, setting);
    return chains.entrySet().stream()
        .map(chain -> judged(setting, chain.getKey(), chain.getValue(), doors, each))
        .reduce(ChainAnomalies.NONE, ChainAnomalies::plus);
  }

  private static List<CasClient> doors(List<RemoteCacheManager> through, SiteCacheSetting setting) {
    return through.stream()
        .<CasClient>map(c -> new NodeCasClient(c.getCache(cache(setting))))
        .toList();
  }

  private void attempt(CasClient door, Bytes key, CasChain chain) {
    String by = Thread.currentThread().getName();
    long start = System.nanoTime();
    try {
      CasClient.Found found = door.read(key).orElseThrow();
      long asked = System.nanoTime();
      chain.saw(found.step(), by, start, asked);
      ChainValue next = found.step().after(IDS.incrementAndGet());
      CasChain.Answer answer = CasChain.Answer.UNKNOWN;
      try {
        boolean won = door.replace(key, found.version(), next);
        answer = won ? CasChain.Answer.ACKNOWLEDGED : CasChain.Answer.REFUSED;
      } finally {
        chain.attempted(next, found.version(), by, asked, System.nanoTime(), answer);
      }
    } catch (RuntimeException unanswered) {
      Thread.onSpinWait(); // An unanswered attempt is unknown; the next one reads.
    }
  }

  private ChainAnomalies judged(
      SiteCacheSetting setting,
      Bytes key,
      CasChain chain,
      List<CasClient> doors,
      List<CasClient> each) {
    Optional<CasClient.Found> last = again(() -> doors.get(0).read(key));
    int differing = 0;
    for (CasClient node : each) {
      differing += again(() -> node.read(key)).equals(last) ? 0 : 1;
    }
    ChainValue step = last.map(CasClient.Found::step).orElse(null);
    ChainAnomalies breaks = chain.judged(step).withDiffering(differing);
    if (breaks.forgets()) {
      guaranteeTable.record(setting, () -> breaks.kinds() + ", " + chain.recorded(step, origin));
    }
    return breaks;
  }

  private void awaitBalance() throws InterruptedException {
    long deadline = System.nanoTime() + LONGEST_NANOS;
    while (!site.isBalanced()) {
      assertThat(System.nanoTime() - deadline).as("the site does not balance").isNegative();
      waited(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  /** Repeats a call until it is answered. */
  private <T> T again(Supplier<T> asked) {
    for (int tries = 1; ; tries++) {
      try {
        return asked.get();
      } catch (RuntimeException silent) {
        if (tries == MOST_TRIES) {
          throw silent;
        }
      }
    }
  }

  private synchronized void waited(long nanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.timedWait(this, nanos);
  }

  @Override
  public void close() {
    clients.forEach(RemoteCacheManager::stop);
    nodes.forEach(RemoteCacheManager::stop);
  }
}
