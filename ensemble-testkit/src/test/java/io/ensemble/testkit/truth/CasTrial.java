package io.ensemble.testkit.truth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.site.Bytes;
import io.ensemble.testkit.process.ProcessSite;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One run of one setting. Contenders build chains in a new cache, on keys that one node owns; the
 * node may be killed meanwhile. Fails in {@link #begin} if the site refuses the setting.
 */
final class CasTrial {

  private static final int KEYS = 3;
  private static final int CONTENDERS = 4;
  private static final int READERS = 2;
  private static final int MOST_TRIED_KEYS = 1_000;
  private static final long LONGEST_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final AtomicLong IDS = new AtomicLong();

  private final SiteCacheSetting setting;
  private final String cache;
  private final SiteClients clients;
  private final Map<Bytes, CasChain> chains = new LinkedHashMap<>();
  private final List<CasClient> doors;
  private final List<CasClient> nodes;
  private final List<Thread> threads = new ArrayList<>();
  private final StringBuilder explanation = new StringBuilder();
  private final GuaranteeTable guaranteeTable;
  private final long origin = System.nanoTime();
  private volatile boolean stopping;
  private volatile int paceMillis;

  private CasTrial(
      SiteCacheSetting setting,
      String cache,
      SiteClients clients,
      int victim,
      GuaranteeTable guaranteeTable) {
    this.guaranteeTable = guaranteeTable;
    this.setting = setting;
    this.cache = cache;
    this.clients = clients;
    List<CasClient> all = clients.nodes(cache);
    CasClient next = all.get((victim + 1) % all.size());
    this.nodes = setting.isOfOneNode() ? List.of(next) : all;
    this.doors =
        setting.isOfOneNode()
            ? List.of(next, next)
            : setting.asksAnyNode() ? nodes : clients.owners(cache);
  }

  /**
   * Creates the cache and starts the contenders.
   *
   * @param victim the node that owns the keys, if the setting reports owners; for a store of one
   *     node its peer, if there is one
   * @param guaranteeTable records chains with anomalies
   */
  static CasTrial begin(
      SiteCacheSetting setting,
      SiteClients clients,
      ProcessSite site,
      int victim,
      GuaranteeTable guaranteeTable) {
    String cache = setting.name().toLowerCase(Locale.ROOT) + "-" + IDS.incrementAndGet();
    clients.create(cache, setting);
    CasTrial trial = new CasTrial(setting, cache, clients, victim, guaranteeTable);
    trial.chooseKeys(site.endpoints().get(victim));
    for (int i = 0; i < CONTENDERS; i++) {
      trial.work(i, trial::attempt);
    }
    for (int i = 0; i < READERS; i++) {
      trial.work(i, trial::readTwice);
    }
    return trial;
  }

  private void chooseKeys(InetSocketAddress victim) {
    for (int i = 0; chains.size() < KEYS && i < MOST_TRIED_KEYS; i++) {
      byte[] name = ("key-" + i).getBytes(UTF_8);
      boolean anyWillDo = setting == SiteCacheSetting.REPLICATED || setting.isOfOneNode();
      if (anyWillDo || isOwner(victim, clients.owner(cache, name))) {
        ChainValue first = new ChainValue(IDS.incrementAndGet(), 0, 0);
        Bytes key = Bytes.of(name);
        if (!doors.get(0).putIfAbsent(key, first)) {
          throw new IllegalStateException("a key requires to be fresh; cache=" + cache);
        }
        chains.put(key, new CasChain(first));
      }
    }
    if (chains.size() < KEYS) {
      throw new IllegalStateException("no keys are owned by " + victim + "; cache=" + cache);
    }
  }

  private static boolean isOwner(InetSocketAddress node, SocketAddress owner) {
    return ((InetSocketAddress) owner).getPort() == node.getPort();
  }

  SiteCacheSetting setting() {
    return setting;
  }

  /** Notes an event for the explanation. */
  void note(String what) {
    explanation.append("%.3f ms: %s%n".formatted((System.nanoTime() - origin) / 1e6, what));
  }

  /** Sets the pause between two attempts of a contender; 0 for none. */
  void pace(int millis) {
    paceMillis = millis;
  }

  /** The number of acknowledged compare-and-sets on the key with the fewest. */
  int progress() {
    return chains.values().stream().mapToInt(CasChain::acknowledged).min().orElseThrow();
  }

  private void work(int begin, Work work) {
    SplittableRandom random = new SplittableRandom(begin);
    List<Bytes> keys = List.copyOf(chains.keySet());
    Runnable loop =
        () -> {
          for (int turn = begin; !stopping; turn++) {
            boolean lucky = work.done(keys.get(random.nextInt(keys.size())), turn);
            if (!lucky || paceMillis > 0) {
              pause(Math.max(paceMillis, lucky ? 0 : 5));
            }
          }
        };
    Thread thread = new Thread(loop, cache + "-" + threads.size());
    thread.start();
    threads.add(thread);
  }

  /** A repeated step, which returns whether it was answered. */
  private interface Work {
    boolean done(Bytes key, int turn);
  }

  private CasClient door(int turn) {
    return doors.get(turn % doors.size());
  }

  private String client(int turn) {
    return "client " + turn % doors.size();
  }

  /** Two successive reads through different clients. */
  private boolean readTwice(Bytes key, int turn) {
    return read(key, turn).isPresent() && read(key, turn + 1).isPresent();
  }

  /** The value that was read; empty if it is absent or no answer arrived. */
  private Optional<CasClient.Found> read(Bytes key, int turn) {
    long start = System.nanoTime();
    Optional<CasClient.Found> found;
    try {
      found = door(turn).read(key);
    } catch (RuntimeException unanswered) {
      return Optional.empty();
    }
    ChainValue step = found.map(CasClient.Found::step).orElse(null);
    chains.get(key).saw(step, client(turn), start, System.nanoTime());
    return found;
  }

  /** One read, and one compare-and-set on its result. */
  private boolean attempt(Bytes key, int turn) {
    Optional<CasClient.Found> found = read(key, turn);
    if (found.isEmpty()) {
      return false;
    }
    ChainValue next = found.get().step().after(IDS.incrementAndGet());
    long start = System.nanoTime();
    CasChain.Answer answer = CasChain.Answer.UNKNOWN;
    try {
      boolean won = door(turn).replace(key, found.get().version(), next);
      answer = won ? CasChain.Answer.ACKNOWLEDGED : CasChain.Answer.REFUSED;
      return true;
    } catch (RuntimeException unanswered) {
      return false;
    } finally {
      chains
          .get(key)
          .attempted(next, found.get().version(), client(turn), start, System.nanoTime(), answer);
    }
  }

  private synchronized void pause(int millis) {
    try {
      wait(millis);
    } catch (InterruptedException e) {
      stopping = true;
    }
  }

  /** Stops the contenders without a judgement. */
  void stop() {
    stopping = true;
  }

  /** Judges the run after all nodes are back, and removes the cache. */
  ChainAnomalies judged() throws InterruptedException {
    stop();
    for (Thread thread : threads) {
      thread.join();
    }
    ChainAnomalies all = ChainAnomalies.NONE;
    for (Map.Entry<Bytes, CasChain> each : chains.entrySet()) {
      all = all.plus(judged(each.getKey(), each.getValue()));
    }
    clients.remove(cache);
    return all;
  }

  private ChainAnomalies judged(Bytes key, CasChain chain) {
    Optional<CasClient.Found> last;
    try {
      last = answered(doors.get(0), key);
    } catch (RuntimeException silent) {
      guaranteeTable.record(
          setting, () -> cache + " is silent: " + silent + ", " + chain.recorded(null, origin));
      return ChainAnomalies.silence(chain.acknowledged());
    }
    int differing = 0;
    for (CasClient node : nodes) {
      differing += answered(node, key).equals(last) ? 0 : 1;
    }
    ChainValue end = last.map(CasClient.Found::step).orElse(null);
    ChainAnomalies breaks = chain.judged(end).withDiffering(differing);
    if (breaks.forgets()) {
      guaranteeTable.record(
          setting, () -> cache + " " + breaks.kinds() + ", " + chain.recorded(end, origin));
    }
    if (breaks.any() && setting.isAccepted()) {
      explanation.append(cache).append(": ").append(breaks.kinds()).append('\n');
      explanation.append(chain.explained(end, origin));
    }
    return breaks;
  }

  /** The noted events and the anomalies of an accepted setting. Complete after the judgement. */
  String explanation() {
    return explanation.toString();
  }

  /** Repeats a read until it is answered. */
  private Optional<CasClient.Found> answered(CasClient casClient, Bytes key) {
    long end = System.nanoTime() + LONGEST_SILENCE_NANOS;
    while (true) {
      try {
        return casClient.read(key);
      } catch (RuntimeException silent) {
        if (System.nanoTime() - end > 0) {
          throw silent;
        }
        pause(100);
      }
    }
  }
}
