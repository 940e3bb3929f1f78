package io.ensemble.benchmarks.tree;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.tree.SharedTree;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Question: does the rate of transactions depend on the number of nodes?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure tree-sizes}, in the repository's directory.
 *
 * <p>Trees of 1,000 to {@code --records} nodes, ten times as many each time, with values of 20
 * bytes, 100 children each. {@code --threads} clients write a random node each, and read another
 * one, in a closed loop. The trees are measured in turns, a slice of each. Each process has copies
 * of all pages, and reads each node once before the measurement.
 */
public final class TreeSizeBenchmark {

  /**
   * The rate at one size.
   *
   * @param cpuMillisOfOne the processor time of this process and the servers for each transaction,
   *     which depends less on other load than the rate does
   * @param requestsOfOne the requests to the store for each transaction, by kind
   */
  public record TreeSizeLine(
      int nodes,
      List<Double> perSecond,
      double p50Millis,
      double p99Millis,
      long repeated,
      double cpuMillisOfOne,
      Map<String, Double> requestsOfOne) {}

  private static final int SMALLEST = 1_000;
  private static final int CHILDREN = 100;
  private static final int LOADED_AT_A_TIME = 500;

  /** More than the pages of the largest tree take. */
  private static final long CACHE_BYTES = 512L << 20;

  private static final byte[] VALUE = "a value of 20 bytes.".getBytes(UTF_8);

  private TreeSizeBenchmark() {}

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions options) {
    List<Integer> sizes = new ArrayList<>();
    for (int size = SMALLEST; size <= options.records(); size *= 10) {
      sizes.add(size);
    }
    if (sizes.isEmpty()) {
      throw new IllegalArgumentException("--records must be at least " + SMALLEST);
    }
    try (TreeTestbed testbed = new TreeTestbed(options, options.objectPlan().processes(), false)) {
      for (int size : sizes) {
        options.say("loading %,d nodes", size);
        load(testbed.factories().get(0), size);
      }
      List<List<SharedTree>> trees = sizes.stream().map(size -> open(testbed, size)).toList();
      for (int i = 0; i < sizes.size(); i++) {
        options.say("reading %,d nodes", sizes.get(i));
        readAll(trees.get(i), sizes.get(i));
      }
      List<List<long[]>> times = new ArrayList<>();
      List<List<Double>> rates = new ArrayList<>();
      List<AtomicLong> repeated = new ArrayList<>();
      List<Map<String, Long>> requests = new ArrayList<>();
      long[] cpuMillis = new long[sizes.size()];
      sizes.forEach(
          size -> {
            requests.add(new TreeMap<>());
            times.add(new ArrayList<>());
            rates.add(new ArrayList<>());
            repeated.add(new AtomicLong());
          });
      for (int round = -1; round < options.objectPlan().rounds(); round++) {
        for (int i = 0; i < sizes.size(); i++) {
          int turn = round % 2 == 0 ? i : sizes.size() - 1 - i;
          testbed.requests().take();
          long cpuBefore = cpuMillis();
          List<long[]> slice =
              slice(options, trees.get(turn), sizes.get(turn), round, repeated.get(turn));
          if (round >= 0) {
            long done = slice.stream().mapToLong(one -> one.length).sum();
            rates.get(turn).add(done * 1000.0 / options.sliceMillis());
            times.get(turn).addAll(slice);
            cpuMillis[turn] += cpuMillis() - cpuBefore;
            Map<String, Long> ofSize = requests.get(turn);
            testbed.requests().take().forEach((kind, sent) -> ofSize.merge(kind, sent, Long::sum));
          }
        }
      }
      List<TreeSizeLine> lines = new ArrayList<>();
      for (int i = 0; i < sizes.size(); i++) {
        long[] all = times.get(i).stream().flatMapToLong(Arrays::stream).sorted().toArray();
        Map<String, Double> requestsOfOne = new TreeMap<>();
        requests.get(i).forEach((kind, sent) -> requestsOfOne.put(kind, sent * 1.0 / all.length));
        lines.add(
            new TreeSizeLine(
                sizes.get(i),
                rates.get(i),
                all[all.length / 2] / 1e6,
                all[(int) (all.length * 0.99)] / 1e6,
                repeated.get(i).get(),
                cpuMillis[i] * 1.0 / all.length,
                requestsOfOne));
      }
      trees.forEach(each -> each.forEach(SharedTree::close));
      return new BenchmarkResult(lines, table(lines));
    }
  }

  /** The processor time of this process and of the servers that it has started. */
  private static long cpuMillis() {
    return Stream.concat(Stream.of(ProcessHandle.current()), ProcessHandle.current().descendants())
        .mapToLong(process -> process.info().totalCpuDuration().map(Duration::toMillis).orElse(0L))
        .sum();
  }

  private static String path(int node) {
    return "/groups/g%d/n%d".formatted(node / CHILDREN, node % CHILDREN);
  }

  private static void load(AtomicObjectFactory factory, int size) {
    try (SharedTree tree = SharedTree.open(factory, "size-" + size)) {
      for (int from = 0; from < size; from += LOADED_AT_A_TIME) {
        int first = from;
        tree.transact(
            t -> {
              for (int i = first; i < Math.min(size, first + LOADED_AT_A_TIME); i++) {
                t.write(path(i), VALUE);
              }
              return true;
            });
      }
    }
  }

  private static List<SharedTree> open(TreeTestbed testbed, int size) {
    return testbed.factories().stream()
        .map(factory -> SharedTree.builder(factory, "size-" + size).cacheBytes(CACHE_BYTES).open())
        .toList();
  }

  private static void readAll(List<SharedTree> trees, int size) {
    for (int group = 0; group < size / CHILDREN; group++) {
      String path = "/groups/g" + group;
      trees.forEach(tree -> tree.children(path));
    }
  }

  private static List<long[]> slice(
      BenchmarkOptions options, List<SharedTree> trees, int size, int round, AtomicLong repeated) {
    ExecutorService threads = Executors.newFixedThreadPool(options.farThreads());
    try {
      List<Future<long[]>> all = new ArrayList<>();
      long end = System.nanoTime() + options.sliceMillis() * 1_000_000;
      for (int i = 0; i < options.farThreads(); i++) {
        SharedTree tree = trees.get(i % trees.size());
        SplittableRandom random = new SplittableRandom(round * 1000L + i);
        all.add(threads.submit(() -> transactions(tree, size, random, end, repeated)));
      }
      List<long[]> times = new ArrayList<>();
      for (Future<long[]> one : all) {
        times.add(one.get());
      }
      return times;
    } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
      throw new IllegalStateException("a client failed: " + e, e);
    } finally {
      threads.shutdownNow();
    }
  }

  private static long[] transactions(
      SharedTree tree, int size, SplittableRandom random, long end, AtomicLong repeated) {
    LongStream.Builder nanos = LongStream.builder();
    for (long call = System.nanoTime(); call < end; ) {
      String read = path(random.nextInt(size));
      String written = path(random.nextInt(size));
      int[] runs = {0};
      tree.transact(
          t -> {
            runs[0]++;
            t.read(read);
            t.write(written, VALUE);
            return true;
          });
      repeated.addAndGet(runs[0] - 1);
      long now = System.nanoTime();
      nanos.add(now - call);
      call = now;
    }
    return nanos.build().toArray();
  }

  private static List<String> table(List<TreeSizeLine> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| nodes | transactions a second, by round | p50 / p99 ms | repeated | processor ms of one | requests of one |");
    table.add("|---|---|---|---|---|---|");
    for (TreeSizeLine line : lines) {
      table.add(
          String.format(
              Locale.ROOT,
              "| %,d | %s | %.2f / %.2f | %d | %.2f | %s |",
              line.nodes,
              line.perSecond.stream().map(rate -> "%,.0f".formatted(rate)).toList(),
              line.p50Millis,
              line.p99Millis,
              line.repeated,
              line.cpuMillisOfOne,
              line.requestsOfOne.entrySet().stream()
                  .map(kind -> "%s %.3f".formatted(kind.getKey(), kind.getValue()))
                  .collect(Collectors.joining(", "))));
    }
    return table;
  }
}
