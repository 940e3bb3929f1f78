package io.ensemble.benchmarks.tree;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.objects.FigureFiles;
import io.ensemble.benchmarks.tree.LinePlot.Panel;
import io.ensemble.benchmarks.tree.LinePlot.Point;
import io.ensemble.tree.SharedTree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Question: how many guests can be started whose transactions are long?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure tree-load --clients 160}, in the repository's directory.
 *
 * <p>Figure 8 of the paper of OXenstored, with {@link SimulatedGuests}: {@code --clients} guests
 * are started one after the other. From then on, each writes two nodes in a loop, in one
 * transaction that lasts {@code --slice-millis}, and waits as long before the next one. The
 * transaction that configures a guest lasts as long, too: the time in which a host builds the
 * domain. Rival: the same tree under the rule of the first Xenstored, by which any change of the
 * tree is a conflict. A contestant ends after {@value #LONGEST_SECONDS} s.
 */
public final class TreeLoadBenchmark {

  /**
   * What a contestant did.
   *
   * @param startedAfterSeconds when each guest was started, since the beginning
   * @param committed the long transactions that were committed
   * @param repeated how often long transactions were repeated
   */
  public record LoadedHost(
      String contestant, List<Double> startedAfterSeconds, long committed, long repeated) {}

  private static final int LONGEST_SECONDS = 210;

  /** Ends a transaction that is under way at the end. */
  private static final class EndException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final BenchmarkOptions options;
  private final int guests;
  private final CountDownLatch end = new CountDownLatch(1);
  private final AtomicLong committed = new AtomicLong();
  private final AtomicLong repeated = new AtomicLong();

  private TreeLoadBenchmark(BenchmarkOptions options, int guests) {
    this.options = options;
    this.guests = guests;
  }

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions options) {
    List<Integer> sizes = options.objectPlan().clients();
    int guests = sizes.get(sizes.size() - 1);
    List<LoadedHost> hosts = new ArrayList<>();
    try (TreeTestbed testbed = new TreeTestbed(options, options.objectPlan().processes(), false)) {
      for (boolean anyChange : new boolean[] {false, true}) {
        List<SharedTree> trees = testbed.openForGuests("load-" + anyChange);
        hosts.add(new TreeLoadBenchmark(options, guests).measure(trees, anyChange));
        trees.forEach(SharedTree::close);
      }
    }
    Map<String, List<Point>> lines = new LinkedHashMap<>();
    for (LoadedHost host : hosts) {
      List<Point> points = new ArrayList<>();
      for (int i = 0; i < host.startedAfterSeconds.size(); i++) {
        points.add(new Point(i + 1, host.startedAfterSeconds.get(i)));
      }
      lines.put(host.contestant, points);
    }
    FigureFiles.write(
        options,
        "tree-load.svg",
        LinePlot.draw(
            List.of(new Panel("time until a guest was started, in s", "guest", false, lines))));
    return new BenchmarkResult(hosts, table(hosts));
  }

  private LoadedHost measure(List<SharedTree> trees, boolean anyChange) {
    List<Double> started = new ArrayList<>();
    ExecutorService loops = Executors.newFixedThreadPool(guests);
    ExecutorService starter = Executors.newSingleThreadExecutor();
    SimulatedGuests host = new SimulatedGuests(trees, anyChange);
    long begin = System.nanoTime();
    CountDownLatch done = new CountDownLatch(1);
    List<RuntimeException> failures = new ArrayList<>();
    starter.execute(
        () -> {
          try {
            for (int guest = 1; guest <= guests; guest++) {
              int number = guest;
              host.start(guest, this::last);
              double seconds = (System.nanoTime() - begin) / 1e9;
              synchronized (started) {
                started.add(seconds);
              }
              loops.execute(() -> loop(host, number));
            }
          } catch (EndException over) {
            // Not all were started in time.
          } catch (RuntimeException e) {
            failures.add(e);
          } finally {
            done.countDown();
          }
        });
    try {
      boolean isComplete = done.await(LONGEST_SECONDS, TimeUnit.SECONDS);
      end.countDown();
      starter.shutdown();
      loops.shutdown();
      if (!starter.awaitTermination(60, TimeUnit.SECONDS)
          || !loops.awaitTermination(60, TimeUnit.SECONDS)) {
        throw new IllegalStateException("guests do not end");
      }
      if (isComplete && !failures.isEmpty()) {
        throw new IllegalStateException("a guest was not started", failures.get(0));
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    } finally {
      starter.shutdownNow();
      loops.shutdownNow();
      host.close();
    }
    LoadedHost result =
        new LoadedHost(TreeRivals.nameOf(anyChange), started, committed.get(), repeated.get());
    options.say(
        "%s: %d guests, the last after %.0f s, %d long transactions, %d repeated",
        result.contestant,
        started.size(),
        started.isEmpty() ? 0.0 : started.get(started.size() - 1),
        result.committed,
        result.repeated);
    return result;
  }

  private void loop(SimulatedGuests host, int guest) {
    SharedTree tree = host.treeOf(guest);
    String device = "/local/domain/" + guest + "/device/";
    try {
      for (int i = 0; ; i++) {
        byte[] value = String.valueOf(i).getBytes(UTF_8);
        int[] runs = {0};
        host.transact(
            tree,
            t -> {
              repeated.addAndGet(runs[0]++ == 0 ? 0 : 1);
              t.write(device + "foo", value);
              last();
              t.write(device + "bar", value);
            });
        committed.incrementAndGet();
        last();
      }
    } catch (EndException over) {
      // The measurement is over.
    }
  }

  /** Lasts for the slice; ends what is under way if the measurement is over. */
  private void last() {
    try {
      if (end.await(options.sliceMillis(), TimeUnit.MILLISECONDS)) {
        throw new EndException();
      }
    } catch (InterruptedException e) {
      throw new EndException();
    }
  }

  private static List<String> table(List<LoadedHost> hosts) {
    List<String> table = new ArrayList<>();
    table.add("| | guests started | the last one after s | long transactions | repeated |");
    table.add("|---|---|---|---|---|");
    for (LoadedHost host : hosts) {
      int count = host.startedAfterSeconds.size();
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %d | %.0f | %,d | %,d |",
              host.contestant,
              count,
              count == 0 ? 0.0 : host.startedAfterSeconds.get(count - 1),
              host.committed,
              host.repeated));
    }
    return table;
  }
}
