package io.ensemble.testkit.truth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.site.Bytes;
import io.ensemble.testkit.process.ProcessSite;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A network partition in a site of three nodes. Node 0, which owns a key, continues without the
 * others, and then the others continue without it. The nodes are paused in turn for this, each time
 * until their peers declare them dead, which takes 40 s.
 */
final class SplitBrainTrial {

  private static final long LONGEST_PHASE_NANOS = TimeUnit.SECONDS.toNanos(90);
  private static final AtomicLong IDS = new AtomicLong(1_000_000_000);

  private final ProcessSite site;
  private final GuaranteeTable guaranteeTable;
  private final long origin = System.nanoTime();
  private final List<Side> sides = new ArrayList<>();

  private SplitBrainTrial(ProcessSite site, GuaranteeTable guaranteeTable) {
    this.site = site;
    this.guaranteeTable = guaranteeTable;
  }

  /** One setting's cache, as reached through each node, and by a client that routes to owners. */
  private static final class Side {
    final SiteCacheSetting setting;
    final Bytes key;
    final CasChain chain;
    final List<CasClient> nodes;
    final CasClient idle;
    int won;

    Side(SiteCacheSetting setting, SiteClients clients, ProcessSite site) {
      this.setting = setting;
      String cache = "split-" + setting.name().toLowerCase(Locale.ROOT);
      clients.create(cache, setting);
      List<CasClient> all = clients.nodes(cache);
      boolean isOfOne = setting.isOfOneNode();
      this.nodes = isOfOne ? List.of(all.get(0), all.get(0), all.get(0)) : all;
      this.idle = isOfOne ? all.get(0) : clients.owners(cache).get(1);
      this.key =
          isOfOne
              ? Bytes.of("key".getBytes(UTF_8))
              : keyOf(clients, cache, site.endpoints().get(0));
      ChainValue first = new ChainValue(IDS.incrementAndGet(), 0, 0);
      this.chain = new CasChain(first);
      if (!nodes.get(0).putIfAbsent(key, first) || idle.read(key).isEmpty()) {
        throw new IllegalStateException("a key requires to be fresh; cache=" + cache);
      }
    }

    private static Bytes keyOf(SiteClients clients, String cache, InetSocketAddress node) {
      for (int i = 0; ; i++) {
        byte[] name = ("key-" + i).getBytes(UTF_8);
        if (((InetSocketAddress) clients.owner(cache, name)).getPort() == node.getPort()) {
          return Bytes.of(name);
        }
      }
    }

    Optional<CasClient.Found> read(CasClient casClient) {
      long start = System.nanoTime();
      try {
        Optional<CasClient.Found> found = casClient.read(key);
        chain.saw(found.map(CasClient.Found::step).orElse(null), "one", start, System.nanoTime());
        return found;
      } catch (RuntimeException unanswered) {
        return Optional.empty();
      }
    }

    boolean wins(CasClient casClient) {
      Optional<CasClient.Found> found = read(casClient);
      if (found.isEmpty()) {
        return false;
      }
      ChainValue next = found.get().step().after(IDS.incrementAndGet());
      long start = System.nanoTime();
      CasChain.Answer answer = CasChain.Answer.UNKNOWN;
      try {
        boolean done = casClient.replace(key, found.get().version(), next);
        answer = done ? CasChain.Answer.ACKNOWLEDGED : CasChain.Answer.REFUSED;
      } catch (RuntimeException unanswered) {
        return false;
      } finally {
        chain.attempted(next, found.get().version(), "one", start, System.nanoTime(), answer);
      }
      return answer == CasChain.Answer.ACKNOWLEDGED;
    }
  }

  /**
   * One run of each setting.
   *
   * @param goOn settings that are expected to continue at the lone node
   * @param guaranteeTable records chains with anomalies
   */
  static Map<SiteCacheSetting, ChainAnomalies> run(
      ProcessSite site,
      List<SiteCacheSetting> settings,
      List<SiteCacheSetting> goOn,
      GuaranteeTable guaranteeTable)
      throws InterruptedException {
    try (SiteClients clients = new SiteClients(site)) {
      SplitBrainTrial split = new SplitBrainTrial(site, guaranteeTable);
      for (SiteCacheSetting setting : settings) {
        split.sides.add(new Side(setting, clients, site));
      }
      return split.run(goOn);
    }
  }

  private Map<SiteCacheSetting, ChainAnomalies> run(List<SiteCacheSetting> goOn)
      throws InterruptedException {
    site.pauseNode(1);
    site.pauseNode(2);
    untilWon(0, goOn);
    site.pauseNode(0);
    site.resumeNode(1);
    site.resumeNode(2);
    untilWon(
        1,
        sides.stream()
            .map(side -> side.setting)
            .filter(setting -> !setting.isOfOneNode())
            .toList());
    List<Thread> waiting = new ArrayList<>();
    for (Side side : sides) { // Node 0 must answer these when it resumes.
      Thread reader = new Thread(() -> side.read(side.idle), "idle");
      reader.start();
      waiting.add(reader);
    }
    waited(TimeUnit.MILLISECONDS.toNanos(300));
    site.resumeNode(0);
    for (Thread each : waiting) {
      each.join();
    }
    Map<SiteCacheSetting, ChainAnomalies> results = new EnumMap<>(SiteCacheSetting.class);
    for (Side side : sides) {
      results.put(side.setting, judged(side));
    }
    return results;
  }

  /** Repeats attempts at one node until each of these settings has succeeded once or time is up. */
  private void untilWon(int node, List<SiteCacheSetting> wanted) throws InterruptedException {
    long end = System.nanoTime() + LONGEST_PHASE_NANOS;
    sides.forEach(side -> side.won = 0);
    while (System.nanoTime() < end && !allHaveWon(wanted)) {
      for (Side side : sides) {
        side.won += side.wins(side.nodes.get(node)) ? 1 : 0;
      }
      waited(TimeUnit.MILLISECONDS.toNanos(100));
    }
  }

  private boolean allHaveWon(List<SiteCacheSetting> wanted) {
    return sides.stream().filter(side -> wanted.contains(side.setting)).allMatch(s -> s.won > 0);
  }

  private ChainAnomalies judged(Side side) throws InterruptedException {
    long end = System.nanoTime() + LONGEST_PHASE_NANOS;
    List<Optional<CasClient.Found>> last = List.of();
    while (System.nanoTime() < end && (last.isEmpty() || !agree(last))) {
      try {
        last = side.nodes.stream().map(node -> node.read(side.key)).toList();
      } catch (RuntimeException silent) {
        last = List.of();
      }
      waited(TimeUnit.MILLISECONDS.toNanos(200));
    }
    if (last.isEmpty()) {
      guaranteeTable.record(side.setting, () -> "silent: " + side.chain.recorded(null, origin));
      return ChainAnomalies.silence(side.chain.acknowledged());
    }
    Optional<CasClient.Found> majority = last.get(1);
    int differing = (int) last.stream().filter(found -> !found.equals(majority)).count();
    ChainValue step = majority.map(CasClient.Found::step).orElse(null);
    ChainAnomalies breaks = side.chain.judged(step).withDiffering(differing);
    if (breaks.forgets()) {
      guaranteeTable.record(
          side.setting, () -> breaks.kinds() + ", " + side.chain.recorded(step, origin));
    }
    return breaks;
  }

  private static boolean agree(List<Optional<CasClient.Found>> all) {
    return all.stream().distinct().count() == 1;
  }

  private synchronized void waited(long nanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.timedWait(this, nanos);
  }
}
