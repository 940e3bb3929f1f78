package io.ensemble.check.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.process.JsonOutput;
import io.ensemble.check.workload.TreeUse.TreeAnswers;
import io.ensemble.check.workload.TreeUse.TreeSteps;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.tree.SharedTree;
import io.ensemble.tree.TreeResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Histories of a tree in memory, as they are and with one change. */
@Timeout(300)
class TreeHistoriesTest {

  private static final int CLIENTS = 4;
  private static final int TRANSACTIONS = 60;

  private static List<HistoryOperation> honest = List.of();

  private interface Transactions {
    TreeAnswers make(SharedTree tree, TreeSteps steps);
  }

  @BeforeAll
  static void record() throws Exception {
    honest = record(TreeUse::make);
  }

  private static List<HistoryOperation> record(Transactions transactions) throws Exception {
    List<HistoryOperation> all = new CopyOnWriteArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try (MemoryStore store = new MemoryStore(1);
        AtomicObjectFactory factory = AtomicObjectFactory.on(store);
        SharedTree tree = TreeUse.open(factory, "tree-0")) {
      List<Future<?>> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int client = i;
        clients.add(
            threads.submit(
                () -> {
                  SplittableRandom random = new SplittableRandom(client);
                  for (int j = 1; j <= TRANSACTIONS; j++) {
                    TreeSteps steps = TreeUse.steps(random, client * 1000L + j);
                    long call = System.nanoTime();
                    TreeAnswers answers = transactions.make(tree, steps);
                    all.add(operation(client, "transaction", steps, answers, call));
                  }
                }));
      }
      for (Future<?> client : clients) {
        client.get();
      }
      long call = System.nanoTime();
      Object last = new TreeUse(tree).last().ask().get();
      all.add(operation(CLIENTS, "last", null, Objects.requireNonNull(last), call));
    } finally {
      threads.shutdownNow();
    }
    return all;
  }

  private static HistoryOperation operation(
      long client, String op, @Nullable Object in, Object out, long call) {
    return new HistoryOperation(
        client,
        "tree-0",
        op,
        null,
        JsonOutput.mapper().valueToTree(in),
        JsonOutput.mapper().valueToTree(out),
        call,
        System.nanoTime(),
        HistoryOutcome.OK);
  }

  private static String why(List<HistoryOperation> history) {
    return TreeHistories.violation(history).map(TreeHistories.TreeViolation::why).orElse("none");
  }

  @Test
  void anHonestHistoryIsStrictlySerializable() {
    assertThat(why(honest)).isEqualTo("none");
    assertThat(honest).hasSize(CLIENTS * TRANSACTIONS + 1);
  }

  /** The reads of a transaction are not part of what its commit compares. */
  @Test
  void aConflictCheckThatForgetsReadsIsFound() throws Exception {
    List<HistoryOperation> history =
        record(
            (tree, steps) -> {
              List<String> read = tree.transact(t -> TreeUse.body(t, reads(steps)));
              TreeResult<List<String>> made = tree.commit(t -> TreeUse.body(t, steps));
              List<String> results = new ArrayList<>(made.value());
              for (int i = 0; i < results.size(); i++) {
                if (steps.id() != 0 && isRead(steps, i) && !isAfterWrite(steps, i)) {
                  results.set(i, read.get(i));
                }
              }
              return new TreeAnswers(made.base(), made.commit(), results);
            });

    assertThat(why(history)).contains("the transactions before it left");
  }

  private static boolean isRead(TreeSteps steps, int step) {
    return steps.steps().get(step).get(0).matches("read|children");
  }

  private static boolean isAfterWrite(TreeSteps steps, int step) {
    return !steps.steps().subList(0, step).stream()
        .allMatch(s -> s.get(0).matches("read|children"));
  }

  private static TreeSteps reads(TreeSteps steps) {
    return new TreeSteps(
        0,
        steps.steps().stream()
            .map(s -> s.get(0).matches("read|children") ? s : List.of("read", s.get(1)))
            .toList());
  }

  @Test
  void aChangedHistoryIsFound() {
    Predicate<HistoryOperation> isChange =
        o -> o.op().equals("transaction") && o.in().get("id").asLong() != 0;
    HistoryOperation some = honest.stream().filter(isChange).skip(50).findFirst().orElseThrow();
    String commit = some.out().get("commit").asText();

    assertThat(why(with(some, null))).contains("is that of no transaction");
    assertThat(why(with(some, outcome(some, HistoryOutcome.REFUSED))))
        .isEqualTo("it was refused, but is commit " + commit);
    assertThat(why(with(some, outcome(some, HistoryOutcome.UNKNOWN)))).isEqualTo("none");

    long late = honest.get(honest.size() - 2).returnNanos();
    HistoryOperation tooLate =
        new HistoryOperation(
            some.client(),
            some.key(),
            some.op(),
            null,
            some.in(),
            some.out(),
            late + 1,
            late + 2,
            some.outcome());
    assertThat(why(with(some, tooLate))).contains("had returned or been read before its call");

    HistoryOperation reading =
        honest.stream()
            .filter(o -> o.op().equals("transaction"))
            .filter(o -> o.out().get("results").get(0).asText().matches("absent|\\d+-\\d"))
            .skip(10)
            .findFirst()
            .orElseThrow();
    List<String> results = new ArrayList<>();
    reading.out().get("results").forEach(result -> results.add(result.asText()));
    results.set(0, "never written");
    TreeAnswers invented =
        new TreeAnswers(
            reading.out().get("base").asLong(), reading.out().get("commit").asLong(), results);
    assertThat(why(with(reading, out(reading, invented)))).contains("returned \"never written\"");

    HistoryOperation last = honest.get(honest.size() - 1);
    assertThat(why(with(last, null))).isEqualTo("none");

    long after = last.out().get("base").asLong() + 1;
    HistoryOperation ofLostCommit =
        new HistoryOperation(
            reading.client(),
            reading.key(),
            reading.op(),
            null,
            JsonOutput.mapper().valueToTree(new TreeSteps(0, List.of())),
            JsonOutput.mapper().valueToTree(new TreeAnswers(after, after, List.of())),
            last.callNanos() + 1,
            last.returnNanos(),
            HistoryOutcome.OK);
    List<HistoryOperation> lost = new ArrayList<>(honest);
    lost.add(ofLostCommit);
    assertThat(why(lost))
        .isEqualTo(
            "it read commit %d, but the last commit in the tree is %d".formatted(after, after - 1));
  }

  private static HistoryOperation outcome(HistoryOperation one, HistoryOutcome outcome) {
    return new HistoryOperation(
        one.client(),
        one.key(),
        one.op(),
        null,
        one.in(),
        one.out(),
        one.callNanos(),
        outcome == HistoryOutcome.UNKNOWN ? null : one.returnNanos(),
        outcome);
  }

  private static HistoryOperation out(HistoryOperation one, Object out) {
    return new HistoryOperation(
        one.client(),
        one.key(),
        one.op(),
        null,
        one.in(),
        JsonOutput.mapper().valueToTree(out),
        one.callNanos(),
        one.returnNanos(),
        one.outcome());
  }

  private static List<HistoryOperation> with(
      HistoryOperation old, @Nullable HistoryOperation replacement) {
    List<HistoryOperation> changed = new ArrayList<>(honest);
    int index = changed.indexOf(old);
    changed.remove(index);
    if (replacement != null) {
      changed.add(index, replacement);
    }
    return changed;
  }
}
