package io.ensemble.benchmarks.tree;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.objects.FigureFiles;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.tree.SharedTree;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToDoubleFunction;

/**
 * Question: how long do transactions take that read the same node and write different ones?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure tree --operations 500 --clients 128}, in the repository's
 * directory.
 *
 * <p>Figure 6 of the paper of OXenstored: {@code --clients} clients make {@code --operations}
 * transactions each in a closed loop. For each client: the fastest, the mean and the slowest
 * transaction. Rivals: the same tree under the rule of the first Xenstored, by which any change of
 * the tree is a conflict, for a minute at most; a transaction of etcd; a {@code multi} of
 * ZooKeeper. All clients are threads of this process; those of trees share {@code --processes}
 * factories.
 */
public final class TreeBenchmark {

  /**
   * The performance of one contestant in one round.
   *
   * @param transactions the number of committed transactions
   * @param repeated how often transactions were repeated, in all
   * @param clients for each client, in the order of their completion
   */
  public record TreeRound(
      String contestant,
      int round,
      long transactions,
      long repeated,
      double perSecond,
      double p50Millis,
      double p99Millis,
      double slowestMillis,
      List<ClientTimes> clients) {}

  /** The times of one client's transactions. */
  public record ClientTimes(
      double fastestMillis, double meanMillis, double slowestMillis, double completedMillis) {}

  private interface ContestantFactory {
    TreeContestant client(int number) throws Exception;
  }

  private static final long WHOLE_TREE_NANOS = 60_000_000_000L;
  private static final Duration LONGEST_TRANSACTION = Duration.ofMinutes(10);
  private static final double NANOS_OF_A_MILLI = 1e6;

  private TreeBenchmark() {}

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions options) {
    List<Integer> sizes = options.objectPlan().clients();
    int clients = sizes.get(sizes.size() - 1);
    List<TreeRound> rounds = new ArrayList<>();
    try (TreeTestbed testbed = new TreeTestbed(options, options.objectPlan().processes(), true)) {
      for (int round = 0; round < options.objectPlan().rounds(); round++) {
        String name = "round-" + round;
        List<SharedTree> trees = open(testbed, name);
        List<SharedTree> others = open(testbed, name + "-whole");
        int each = options.operations();
        rounds.add(
            measure(
                options,
                "tree",
                round,
                clients,
                each,
                Long.MAX_VALUE,
                i -> TreeRivals.tree(trees.get(i % trees.size()), i, false)));
        rounds.add(
            measure(
                options,
                "ZooKeeper, multi",
                round,
                clients,
                each,
                Long.MAX_VALUE,
                i -> TreeRivals.zooKeeper(testbed.zooKeeper().server(i), i)));
        rounds.add(
            measure(
                options,
                "etcd, transaction",
                round,
                clients,
                each,
                Long.MAX_VALUE,
                i -> TreeRivals.etcd(testbed.etcd().server(i % testbed.etcd().size()), i)));
        rounds.add(
            measure(
                options,
                "tree, any change is a conflict",
                round,
                clients,
                each,
                WHOLE_TREE_NANOS,
                i -> TreeRivals.tree(others.get(i % others.size()), i, true)));
        trees.forEach(SharedTree::close);
        others.forEach(SharedTree::close);
      }
    }
    FigureFiles.write(options, "tree-commits.svg", figure(rounds));
    return new BenchmarkResult(rounds, table(rounds));
  }

  /** The paper's figure 6, of the last round. */
  private static String figure(List<TreeRound> rounds) {
    int last = rounds.get(rounds.size() - 1).round;
    List<TreeRound> shown = rounds.stream().filter(one -> one.round == last).toList();
    return LinePlot.draw(
        List.of(
            panel(
                "(a) fastest transaction of each client, in ms", shown, ClientTimes::fastestMillis),
            panel(
                "(b) mean of the transactions of each client, in ms",
                shown,
                ClientTimes::meanMillis),
            panel(
                "(c) slowest transaction of each client, in ms",
                shown,
                ClientTimes::slowestMillis)));
  }

  private static LinePlot.Panel panel(
      String title, List<TreeRound> rounds, ToDoubleFunction<ClientTimes> time) {
    Map<String, List<LinePlot.Point>> lines = new LinkedHashMap<>();
    for (TreeRound round : rounds) {
      List<LinePlot.Point> points = new ArrayList<>();
      for (int i = 0; i < round.clients.size(); i++) {
        points.add(new LinePlot.Point(i + 1, time.applyAsDouble(round.clients.get(i))));
      }
      lines.put(round.contestant, points);
    }
    return new LinePlot.Panel(title, "client, in the order of completion", true, lines);
  }

  private static List<SharedTree> open(TreeTestbed testbed, String name) {
    List<SharedTree> trees = new ArrayList<>();
    for (AtomicObjectFactory factory : testbed.factories()) {
      trees.add(
          SharedTree.builder(factory, name)
              .maxAttempts(Integer.MAX_VALUE)
              .timeout(LONGEST_TRANSACTION)
              .open());
    }
    trees.get(0).write(TreeRivals.SHARED, new byte[1]);
    return trees;
  }

  private static TreeRound measure(
      BenchmarkOptions options,
      String contestant,
      int round,
      int clients,
      int transactions,
      long longestNanos,
      ContestantFactory factory) {
    options.say("round %d: %s", round, contestant);
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    CountDownLatch ready = new CountDownLatch(clients);
    CountDownLatch go = new CountDownLatch(1);
    try {
      List<Future<long[]>> all = new ArrayList<>();
      long[] repeated = new long[clients];
      for (int i = 0; i < clients; i++) {
        int client = i;
        all.add(
            threads.submit(
                () -> {
                  try (TreeContestant one = factory.client(client)) {
                    one.transaction(0);
                    ready.countDown();
                    go.await();
                    return timed(one, transactions, longestNanos, repeated, client);
                  } finally {
                    ready.countDown();
                  }
                }));
      }
      ready.await();
      long begin = System.nanoTime();
      go.countDown();
      List<long[]> times = new ArrayList<>();
      for (Future<long[]> one : all) {
        times.add(one.get());
      }
      double seconds = (System.nanoTime() - begin) / 1e9;
      TreeRound result = round(contestant, round, seconds, Arrays.stream(repeated).sum(), times);
      options.say(
          "%s: %,.0f a second, slowest %.0f ms, %d repeated",
          contestant, result.perSecond, result.slowestMillis, result.repeated);
      return result;
    } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
      throw new IllegalStateException(contestant + " failed: " + e, e);
    } finally {
      threads.shutdownNow();
    }
  }

  private static long[] timed(
      TreeContestant one, int transactions, long longestNanos, long[] repeated, int client)
      throws Exception {
    long[] nanos = new long[transactions];
    long begin = System.nanoTime();
    for (int i = 0; i < transactions; i++) {
      long call = System.nanoTime();
      if (call - begin > longestNanos) {
        return Arrays.copyOf(nanos, i);
      }
      repeated[client] += one.transaction(i);
      nanos[i] = System.nanoTime() - call;
    }
    return nanos;
  }

  private static TreeRound round(
      String contestant, int round, double seconds, long repeated, List<long[]> times) {
    long[] all = times.stream().flatMapToLong(Arrays::stream).sorted().toArray();
    List<ClientTimes> clients = new ArrayList<>();
    for (long[] one : times) {
      if (one.length > 0) {
        clients.add(
            new ClientTimes(
                Arrays.stream(one).min().orElseThrow() / NANOS_OF_A_MILLI,
                Arrays.stream(one).average().orElseThrow() / NANOS_OF_A_MILLI,
                Arrays.stream(one).max().orElseThrow() / NANOS_OF_A_MILLI,
                Arrays.stream(one).sum() / NANOS_OF_A_MILLI));
      }
    }
    clients.sort((a, b) -> Double.compare(a.completedMillis, b.completedMillis));
    return new TreeRound(
        contestant,
        round,
        all.length,
        repeated,
        all.length / seconds,
        all[all.length / 2] / NANOS_OF_A_MILLI,
        all[(int) (all.length * 0.99)] / NANOS_OF_A_MILLI,
        all[all.length - 1] / NANOS_OF_A_MILLI,
        Collections.unmodifiableList(clients));
  }

  private static List<String> table(List<TreeRound> rounds) {
    List<String> table = new ArrayList<>();
    table.add(
        "| round | | transactions | repeated | a second | p50 / p99 / slowest ms |"
            + " slowest client's mean ms |");
    table.add("|---|---|---|---|---|---|---|");
    for (TreeRound one : rounds) {
      table.add(
          String.format(
              Locale.ROOT,
              "| %d | %s | %d | %d | %,.0f | %.1f / %.1f / %.1f | %.1f |",
              one.round,
              one.contestant,
              one.transactions,
              one.repeated,
              one.perSecond,
              one.p50Millis,
              one.p99Millis,
              one.slowestMillis,
              one.clients.stream().mapToDouble(ClientTimes::meanMillis).max().orElse(0)));
    }
    return table;
  }
}
