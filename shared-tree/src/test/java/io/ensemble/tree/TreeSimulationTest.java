package io.ensemble.tree;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.tree.NaiveTree.Operation;
import io.ensemble.tree.TreeSimulation.Client;
import io.ensemble.tree.TreeSimulation.PlantedTreeFault;
import io.ensemble.tree.runtime.Checkpointer;
import io.ensemble.tree.state.PageId;
import io.ensemble.tree.state.TreePage;
import io.ensemble.tree.state.TreePage.PageReference;
import io.ensemble.tree.state.TreeState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that run transactions, checkpoints and removals while answers are lost, writes are late
 * and clients die: the commits in their order are those of a {@link NaiveTree}.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class TreeSimulationTest {

  private static final int CLIENTS = 5;
  private static final int TRANSACTIONS = 40;

  /** What a transaction did; its commit is known from its own node if its answer was lost. */
  private static final class Made {
    final List<Operation> operations = new ArrayList<>();
    final List<String> results = new ArrayList<>();
    long id;
  }

  private static final class Run {
    final TreeSimulation simulation;
    final Map<Long, Made> made = new HashMap<>();
    final Map<Long, Long> commits = new TreeMap<>();
    private final Random random;
    private long ids;

    Run(long seed, PlantedTreeFault planted) {
      random = new Random(seed);
      simulation =
          new TreeSimulation(
              seed,
              TreeSettings.DEFAULT.sizes(300, 200, 150).retention(Duration.ofMillis(40)),
              planted);
    }

    void run() {
      Client first = simulation.start(client -> prepare(runner(client, 0)));
      first.mayDie = false;
      simulation.run(Duration.ofSeconds(10));
      for (int i = 0; i < CLIENTS; i++) {
        int number = i;
        simulation.start(client -> work(client, number));
      }
      simulation.run(Duration.ofSeconds(600));
      // One client that does not die completes what others have left.
      Client last = simulation.start(client -> work(client, CLIENTS));
      last.mayDie = false;
      simulation.run(Duration.ofSeconds(600));
      judge();
    }

    private TransactionRunner runner(Client client, int number) {
      return new TransactionRunner(
          client,
          client,
          new Checkpointer(client, client, Runnable::run),
          new Random(number),
          1000,
          Duration.ofSeconds(120));
    }

    private void prepare(TransactionRunner runner) {
      try {
        runner.run(
            SharedTree.ADMINISTRATOR,
            t -> {
              t.create("/ids", new byte[0]);
              return true;
            });
      } catch (TreeException.Unknown made) {
        // It was made: only the answer was lost.
      }
    }

    private void work(Client client, int number) {
      TransactionRunner runner = runner(client, number);
      for (int i = 0; i < TRANSACTIONS; i++) {
        long id = ++ids;
        Made one = new Made();
        one.id = id;
        int count = 1 + random.nextInt(3);
        for (int j = 0; j < count; j++) {
          String[] kinds = {"read", "write", "children", "write", "create", "remove"};
          String kind = kinds[random.nextInt(random.nextInt(4) == 0 ? 6 : 5)];
          String path = "/" + (char) ('a' + random.nextInt(3));
          path += random.nextBoolean() ? "/" + (char) ('x' + random.nextInt(3)) : "";
          one.operations.add(new Operation(kind, path, "v" + id));
        }
        made.put(id, one);
        try {
          runner.run(SharedTree.ADMINISTRATOR, t -> body(t, one));
        } catch (TreeException.Unknown unknown) {
          // Its node shows whether it was made.
        }
      }
    }

    private boolean body(TreeTransaction transaction, Made one) {
      one.results.clear();
      for (Operation operation : one.operations) {
        one.results.add(result(transaction, operation));
      }
      transaction.create("/ids/" + one.id, new byte[0]);
      return true;
    }

    private static String result(TreeTransaction transaction, Operation operation) {
      byte[] value = operation.value().getBytes(UTF_8);
      switch (operation.kind()) {
        case "read":
          return transaction.read(operation.path()).map(v -> new String(v, UTF_8)).orElse("absent");
        case "write":
          transaction.write(operation.path(), value);
          return "written";
        case "create":
          if (transaction.exists(operation.path())) {
            return "exists";
          }
          transaction.create(operation.path(), value);
          return "written";
        case "children":
          return transaction.exists(operation.path())
              ? transaction.children(operation.path()).toString()
              : "absent";
        default:
          return transaction.remove(operation.path()) ? "removed" : "absent";
      }
    }

    private void judge() {
      PagesInMemory pages = new PagesInMemory();
      pages.pages.putAll(simulation.pages);
      TreeState state = simulation.state();
      io.ensemble.tree.state.TreeSnapshot snapshot =
          new io.ensemble.tree.state.TreeSnapshot(state, pages::read);
      TreeTransaction end = new TreeTransaction(SharedTree.ADMINISTRATOR, snapshot);
      for (String id : end.children("/ids")) {
        Long before =
            commits.put(end.node("/ids/" + id).orElseThrow().created(), Long.parseLong(id));
        assertThat(before).isNull();
      }
      assertThat(commits.keySet()).hasSize((int) state.last() - 2);

      NaiveTree naive = new NaiveTree();
      commits.forEach(
          (commit, id) -> {
            Made one = made.get(id);
            for (int i = 0; i < one.operations.size(); i++) {
              assertThat(naive.make(one.operations.get(i), NaiveTree.parts(), NaiveTree.parts()))
                  .as("commit %d: %s", commit, one.operations.get(i))
                  .isEqualTo(one.results.get(i));
            }
          });
      Map<String, String> nodes = new TreeMap<>();
      snapshot
          .view()
          .subtree(
              TreePath.ROOT,
              path -> {
                if (!path.toString().startsWith("/ids")) {
                  nodes.put(path.toString(), new String(snapshot.view().find(path).value(), UTF_8));
                }
              });
      assertThat(nodes).isEqualTo(naive.nodes);
      checkEntries(pages, state);
    }

    /** No page is left but those of the tree, those to be removed, and those written late. */
    private void checkEntries(PagesInMemory pages, TreeState state) {
      Set<PageId> expected = new HashSet<>(pages.reachable(state.root()));
      simulation.replaced.values().forEach(expected::addAll);
      Set<PageId> left = new HashSet<>(pages.pages.keySet());
      left.removeAll(expected);
      long planned = state.checkpoint() + 1;
      left.removeIf(id -> id.checkpoint() == planned);
      assertThat(left.size()).isLessThanOrEqualTo(simulation.lateWrites);
      assertThat(simulation.replaced).hasSizeLessThan(40);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void commitsAreSerializableWhileClientsDie(long seed) {
    new Run(seed, PlantedTreeFault.NONE).run();
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(longs = {1000, 2000, 3000, 4000})
  void commitsAreSerializableWhileManyClientsDie(long first) {
    for (long seed = first; seed < first + 250; seed++) {
      try {
        new Run(seed, PlantedTreeFault.NONE).run();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aPlantedFaultIsFound(PlantedTreeFault planted) {
    assertThatThrownBy(
            () -> {
              for (long seed = 1; seed <= 20; seed++) {
                new Run(seed, planted).run();
              }
            })
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void clientsThatWriteOneCheckpointEachLeaveFewReplacedPages() {
    Run run = new Run(7, PlantedTreeFault.NONE);
    Client only =
        run.simulation.start(
            client -> {
              for (int i = 0; i < 300; i++) {
                byte[] value = new byte[i % 90];
                String path = "/n" + i % 10;
                try {
                  run.runner(client, i)
                      .run(
                          SharedTree.ADMINISTRATOR,
                          t -> {
                            t.write(path, value);
                            return true;
                          });
                } catch (TreeException.Unknown lost) {
                  // It was made: only the answer was lost.
                }
              }
            });
    only.mayDie = false;
    run.simulation.run(Duration.ofSeconds(600));

    assertThat(run.simulation.state().checkpoint()).isGreaterThan(40);
    assertThat(run.simulation.replaced).hasSizeLessThan(30);
  }

  @ParameterizedTest
  @ValueSource(longs = 1)
  void theSimulationHasItsFaults(long seed) {
    Run run = new Run(seed, PlantedTreeFault.NONE);
    run.run();

    assertThat(run.simulation.lost).isPositive();
    assertThat(run.simulation.lateWrites).isPositive();
    assertThat(run.simulation.state().checkpoint()).isGreaterThan(3);
    assertThat(run.simulation.state().readableFrom()).isPositive();
    TreePage page =
        TreePage.decoded(
            run.simulation.state().root().map(PageReference::id).orElseThrow(),
            run.simulation.pages.get(
                run.simulation.state().root().map(PageReference::id).orElseThrow()));
    assertThat(page).isNotNull();
  }
}
