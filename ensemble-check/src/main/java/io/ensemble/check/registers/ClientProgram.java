package io.ensemble.check.registers;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.EnsembleException;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.check.faults.WriterRotation;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.JsonLines;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.check.report.WindowFile;
import io.ensemble.check.trial.ClientMessage;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.near.NearCache;
import io.ensemble.near.NearCacheSettings;
import io.ensemble.stamp.Stamp;
import io.ensemble.testkit.history.HistoryRecorder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/**
 * The program of a client process. It reads its {@link ClientSpec}, opens the cache, and reports
 * that it is ready. It works from {@code go} to {@code stop}, reports its operations, and keeps the
 * cache open until its standard input ends. So it does not outlive its starter.
 */
public final class ClientProgram {
  private static final long PROGRESS_MILLIS = 500;
  private static final Duration LONGEST_END = Duration.ofMinutes(2);

  private final ClientSpec order;
  private final EnsembleCacheManager manager;
  private final HistoryRecorder recorder;
  private final WindowFile window;
  private final StampFile stamps;
  private final PrintStream out;
  private final ClientOutcomeCounts tally = new ClientOutcomeCounts();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final AtomicLong next = new AtomicLong();

  private ClientProgram(
      ClientSpec order,
      EnsembleCacheManager manager,
      HistoryRecorder recorder,
      WindowFile window,
      StampFile stamps,
      PrintStream out) {
    this.order = order;
    this.manager = manager;
    this.recorder = recorder;
    this.window = window;
    this.stamps = stamps;
    this.out = out;
  }

  /** Runs the program. */
  public static void main(String[] arguments) throws Exception {
    run(System.in, System.out, cache -> cache);
    System.exit(0);
  }

  /**
   * Runs the program with a wrapped cache.
   *
   * @param seenAs wraps the asynchronous view of the cache for the clients
   */
  static void run(
      InputStream in, PrintStream out, UnaryOperator<AsyncEnsembleCache<String, Long>> seenAs)
      throws Exception {
    run(in, out, new CacheInterceptor.CacheOnly(seenAs));
  }

  /** The same, where {@code cacheInterceptor} also wraps the reports of the cache. */
  static void run(InputStream in, PrintStream out, CacheInterceptor cacheInterceptor)
      throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8));
    ClientSpec order = JsonOutput.mapper().readValue(lines.readLine(), ClientSpec.class);
    EnsembleCacheManagerBuilder builder =
        FederationConnection.builder(order.sites()).catalog(order.catalog());
    if (order.localSite() != null) {
      builder.localSite(order.localSite());
    }
    try (EnsembleCacheManager manager = builder.build();
        HistoryRecorder recorder =
            HistoryRecorder.toFile(
                System::nanoTime, order.firstClient(), Path.of(order.history()));
        WindowFile window = WindowFile.of(order);
        StampFile stamps = StampFile.of(order.stamps())) {
      EnsembleCache<String, Long> cache = manager.getCache(order.cache());
      if (cache == null) {
        throw new IllegalStateException("the cache does not exist; cache=" + order.cache());
      }
      cache.onInDoubtWrites(cacheInterceptor.reports(window::report));
      ClientProgram program = new ClientProgram(order, manager, recorder, window, stamps, out);
      if (order.nearStalenessNanos() == 0) {
        program.work(lines, cache, cacheInterceptor);
      } else {
        try (NearCache<String, Long> near = NearCache.open(cache, near(order))) {
          program.work(lines, near.cache(), cacheInterceptor);
        }
      }
    }
  }

  /** Every other process has an eager near cache. Some keys do not fit. */
  private static NearCacheSettings near(ClientSpec order) {
    int entries = Math.max(2, order.keys() * 3 / 4);
    Duration staleness = Duration.ofNanos(order.nearStalenessNanos());
    NearCacheSettings settings =
        ClientProcesses.process(order.firstClient()) % 2 == 0
            ? NearCacheSettings.lazy(entries, 1 << 20, staleness)
            : NearCacheSettings.eager(entries, 1 << 20, staleness);
    return settings.staleReads();
  }

  private void work(
      BufferedReader orders, EnsembleCache<String, Long> cache, CacheInterceptor interceptor)
      throws IOException, InterruptedException {
    EntryCall.CacheViews views = EntryCall.CacheViews.of(cache);
    work(
        orders,
        new EntryCall.CacheViews(
            interceptor.cache(manager, views.plain()),
            interceptor.cache(manager, views.returning())));
  }

  private void work(BufferedReader orders, EntryCall.CacheViews cache)
      throws IOException, InterruptedException {
    sendMessage(ClientMessage.READY);
    if (!"go".equals(orders.readLine())) {
      return;
    }
    Thread reader = new Thread(() -> awaitStop(orders), "check-ears");
    reader.setDaemon(true);
    reader.start();
    long begin = System.nanoTime();
    SplittableRandom random = new SplittableRandom(order.seed());
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < order.clients(); i++) {
      SplittableRandom own = random.split();
      Thread client = new Thread(() -> client(cache, own, begin), "check-client-" + i);
      client.setDaemon(true);
      client.start();
      clients.add(client);
    }
    boolean own = false;
    while (!stopping.await(PROGRESS_MILLIS, TimeUnit.MILLISECONDS)) {
      sendMessage(ClientMessage.PROGRESS);
      own = updateTurn(own, System.nanoTime() - begin);
    }
    for (Thread client : clients) {
      client.join(LONGEST_END.toMillis());
    }
    recorder.close();
    stamps.close();
    if (order.stamps() != null && order.turns() != null) {
      resign(); // Another process makes the last writes.
    }
    sendMessage(ClientMessage.ENDED);
    // The cache stays open: in WEAK mode it may still have copies to make.
    reader.join();
    orders.readLine();
  }

  /** Releases the writer's lease when the turn is over, so that the next process need not wait. */
  private boolean updateTurn(boolean hadTurn, long sinceBegin) {
    WriterRotation turns = order.turns();
    if (turns == null) {
      return false;
    }
    boolean hasTurn = turns.hasTurn(sinceBegin);
    if (hadTurn && !hasTurn) {
      resign();
    }
    return hasTurn;
  }

  private void resign() {
    try {
      manager.resign(order.cache());
    } catch (EnsembleException | CatalogException notNow) {
      // Then the next process waits until the lease has expired.
    }
  }

  private void awaitStop(BufferedReader orders) {
    try {
      orders.readLine(); // "stop", or the end of the starter
    } catch (IOException e) {
      // Equivalent to the end of the input.
    }
    stopping.countDown();
  }

  private void client(EntryCall.CacheViews cache, SplittableRandom random, long begin) {
    ClientSession.LastValues guesses = new ClientSession.LastValues(order.keys());
    ClientSession session =
        new ClientSession(
            cache, recorder, tally, this::done, Duration.ofMillis(order.deadlineMillis()));
    if (order.nearStalenessNanos() != 0) {
      session.readsNear(order.nearStalenessNanos());
    }
    try {
      for (long i = next.getAndIncrement(); i < order.operations(); i = next.getAndIncrement()) {
        long due = begin + i * order.nanosBetween();
        if (stopping.await(due - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          return;
        }
        WriterRotation turns = order.turns();
        boolean mayWrite = turns == null || turns.mayWrite(System.nanoTime() - begin, random);
        session.performRandom(random, guesses, order.firstValue() + i + 1, mayWrite);
      }
    } catch (InterruptedException | RuntimeException e) {
      tally.broken("a client stopped: " + e);
    }
  }

  private void done(long client, long callNanos, String key, Stamp stamp) {
    window.done(client, callNanos, key, stamp);
    stamps.done(client, callNanos, stamp);
  }

  private void sendMessage(String kind) {
    out.println(JsonLines.json(tally.say(kind)));
    out.flush();
  }
}
