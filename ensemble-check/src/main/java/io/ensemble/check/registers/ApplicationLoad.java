package io.ensemble.check.registers;

import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.check.trial.ClientMessage;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.testkit.history.HistoryRecorder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The load of an application on an existing cache for a limited time, during any changes of the
 * cache and its sites. Each key has one client that writes it; all clients read all keys. So the
 * recorded history is linearizable if no acknowledged write is lost, even if the cache is WEAK for
 * a part of the time: reads are recorded only while it is not.
 *
 * <p>One thread runs it; another may end it.
 */
public final class ApplicationLoad {

  /**
   * The range of client numbers of a process in a history; the ranges of two processes are
   * disjoint.
   */
  private static final long NUMBERS_OF_A_PROCESS = 1_000_000;

  private static final Duration LONGEST_END = Duration.ofMinutes(2);
  private static final long TELL_MILLIS = 2_000;
  private static final int READS_OF_TEN = 5;

  /**
   * The settings of the load.
   *
   * @param clients the number of clients, each with one operation at a time
   * @param keys the number of keys in all
   * @param part the number of this process among those that share the keys, from 1
   * @param parts the number of these processes
   * @param perSecond operations per second of all clients together
   * @param longest the duration
   * @param seed the seed of the choices
   */
  public record LoadSettings(
      int clients, int keys, int part, int parts, int perSecond, Duration longest, long seed) {

    /**
     * @throws IllegalArgumentException if a value is invalid; the message names it
     */
    public LoadSettings {
      if (part < 1 || part > parts) {
        throw new IllegalArgumentException(
            "part must be a number of parts, such as 1/2; got %d/%d".formatted(part, parts));
      }
      if (clients < 1 || perSecond < 1 || keys < clients * parts) {
        throw new IllegalArgumentException(
            ("load requires clients, a rate, and a key for each client of each part; clients=%d "
                    + "rate=%d keys=%d parts=%d")
                .formatted(clients, perSecond, keys, parts));
      }
    }
  }

  /**
   * The result of the load.
   *
   * @param answered operations with an answer
   * @param refused operations without effect
   * @param unknown operations of unknown outcome
   * @param broken operations with an illegal end
   * @param longestGapMillis the longest time without any answer
   * @param trouble the first operation with an illegal end; empty if there was none
   */
  public record LoadResult(
      long answered,
      long refused,
      long unknown,
      long broken,
      double longestGapMillis,
      String trouble) {}

  private final EnsembleCache<String, Long> cache;
  private final LoadSettings settings;
  private final Consumer<String> progress;
  private final ClientOutcomeCounts tally = new ClientOutcomeCounts();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final AtomicLong next = new AtomicLong();
  private final LongestGap gaps = new LongestGap();

  /** The longest time between two answers. */
  private static final class LongestGap {
    private long last = System.nanoTime();
    private long longest;

    synchronized void recordAnswer() {
      long now = System.nanoTime();
      longest = Math.max(longest, now - last);
      last = now;
    }

    synchronized double longestMillis() {
      return longest / 1e6;
    }
  }

  /**
   * @param progress receives short lines
   */
  public ApplicationLoad(
      EnsembleCache<String, Long> cache, LoadSettings settings, Consumer<String> progress) {
    this.cache = cache;
    this.settings = settings;
    this.progress = progress;
  }

  /**
   * Runs the load, until its time is over or {@link #stop}, and reads each of its keys once more.
   *
   * @param history the file that records every write, and every read of a cache that is not WEAK
   * @throws IOException if the file cannot be written
   */
  public LoadResult run(Path history) throws IOException, InterruptedException {
    long first = ProcessHandle.current().pid() * NUMBERS_OF_A_PROCESS;
    try (HistoryRecorder recorder = HistoryRecorder.toFile(System::nanoTime, first, history)) {
      long begin = System.nanoTime();
      SplittableRandom random = new SplittableRandom(settings.seed());
      List<Thread> clients = new ArrayList<>();
      for (int i = 0; i < settings.clients(); i++) {
        int number = i;
        SplittableRandom own = random.split();
        Thread client =
            new Thread(() -> client(number, own, recorder, begin), "load-client-" + number);
        client.setDaemon(true);
        client.start();
        clients.add(client);
      }
      reportProgress(begin);
      stopping.countDown();
      for (Thread client : clients) {
        client.join(LONGEST_END.toMillis());
      }
    }
    ClientMessage all = tally.say(ClientMessage.ENDED);
    return new LoadResult(
        all.completed(),
        all.refused(),
        all.unknown(),
        all.broken(),
        gaps.longestMillis(),
        Objects.requireNonNullElse(all.trouble(), ""));
  }

  /** Ends the load. Any thread may call this. */
  public void stop() {
    stopping.countDown();
  }

  private void reportProgress(long begin) throws InterruptedException {
    long left = settings.longest().toNanos();
    while (left > 0
        && !stopping.await(
            Math.min(left, TimeUnit.MILLISECONDS.toNanos(TELL_MILLIS)), TimeUnit.NANOSECONDS)) {
      ClientMessage now = tally.say(ClientMessage.PROGRESS);
      progress.accept(
          "%s at %s: %,d answered, %,d refused, %,d unknown"
              .formatted(
                  cache.definition().mode(),
                  cache.definition().sites(),
                  now.completed(),
                  now.refused(),
                  now.unknown()));
      left = settings.longest().toNanos() - (System.nanoTime() - begin);
    }
  }

  private void client(int number, SplittableRandom random, HistoryRecorder recorder, long begin) {
    EntryCall.CacheViews views = EntryCall.CacheViews.of(cache);
    Duration deadline = cache.definition().deadline();
    ClientSession recorded =
        new ClientSession(views, recorder, tally, (client, at, key, stamp) -> {}, deadline);
    ClientSession unrecorded =
        new ClientSession(
            views,
            HistoryRecorder.inMemory(System::nanoTime, Integer.MAX_VALUE),
            tally,
            (client, at, key, stamp) -> {},
            deadline);
    List<String> own = ownKeys(number);
    long nanosBetween = TimeUnit.SECONDS.toNanos(1) / settings.perSecond();
    try {
      for (long i = next.getAndIncrement(); ; i = next.getAndIncrement()) {
        long due = begin + i * nanosBetween;
        if (stopping.await(due - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          break;
        }
        perform(recorded, unrecorded, own, random, i);
      }
      for (String key : own) {
        read(recorded, unrecorded, key);
      }
    } catch (InterruptedException | RuntimeException e) {
      tally.broken("a client stopped: " + e);
    }
  }

  /** The keys that only the given client of this process writes. */
  private List<String> ownKeys(int client) {
    List<String> own = new ArrayList<>();
    for (int key = 0; key < settings.keys(); key++) {
      if (key % settings.parts() == settings.part() - 1
          && key / settings.parts() % settings.clients() == client) {
        own.add(keyName(key));
      }
    }
    return own;
  }

  private static String keyName(int key) {
    return "load-" + key;
  }

  private void perform(
      ClientSession recorded,
      ClientSession unrecorded,
      List<String> own,
      SplittableRandom random,
      long fresh)
      throws InterruptedException {
    int dice = random.nextInt(10);
    if (dice < READS_OF_TEN) {
      read(recorded, unrecorded, keyName(random.nextInt(settings.keys())));
    } else {
      recorded.perform(
          own.get(random.nextInt(own.size())),
          dice == 9 ? EntryCall.delete() : EntryCall.write(fresh));
      gaps.recordAnswer();
    }
  }

  private void read(ClientSession recorded, ClientSession unrecorded, String key)
      throws InterruptedException {
    boolean promises = cache.definition().mode() != Mode.WEAK;
    (promises ? recorded : unrecorded).perform(key, EntryCall.read());
    gaps.recordAnswer();
  }
}
