package io.ensemble.tree;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.tree.NaiveTree.Operation;
import io.ensemble.tree.NaiveTree.Part;
import io.ensemble.tree.runtime.MissingPageException;
import io.ensemble.tree.state.CommitOutcome;
import io.ensemble.tree.state.CommitOutcome.Kind;
import io.ensemble.tree.state.LoggedCommit;
import io.ensemble.tree.state.PageId;
import io.ensemble.tree.state.PageWriter;
import io.ensemble.tree.state.PageWriter.Checkpoint;
import io.ensemble.tree.state.SequencerCalls.AdvanceOutcome;
import io.ensemble.tree.state.TreePage.PageReference;
import io.ensemble.tree.state.TreeSnapshot;
import io.ensemble.tree.state.TreeState;
import io.ensemble.tree.state.TreeStateCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Transactions in random order against a {@link NaiveTree}: those that are committed read what they
 * read in commit order one after another, and none that the naive rule would accept is refused.
 */
@Execution(ExecutionMode.CONCURRENT)
class TreeModelTest {

  private static final TreeStateCodec CODEC = new TreeStateCodec();

  /** A transaction that has read, and is not committed. */
  private static final class Pending {
    final TreeTransaction transaction;
    final List<Operation> operations = new ArrayList<>();
    final List<String> results = new ArrayList<>();
    final Set<Part> reads = NaiveTree.parts();
    final Set<Part> writes = NaiveTree.parts();
    final NaiveTree tree;

    Pending(TreeTransaction transaction, NaiveTree tree) {
      this.transaction = transaction;
      this.tree = tree;
    }
  }

  /** A run. */
  private static final class Run {
    final Random random;
    final PagesInMemory pages = new PagesInMemory();
    final NaiveTree committed = new NaiveTree();
    final List<Set<Part>> writes = new ArrayList<>();
    TreeState state;
    int conflicts;
    int rebased;
    int commits;

    Run(long seed, TreeSettings settings) {
      random = new Random(seed);
      state =
          TreeState.create(
              "birth", settings, NodePermissions.of(SharedTree.ADMINISTRATOR, NodeAccess.NONE));
    }

    TreeSnapshot snapshot() {
      return new TreeSnapshot(CODEC.read(CODEC.write(state)), pages::read);
    }

    String path() {
      StringBuilder path = new StringBuilder();
      int depth = 1 + random.nextInt(4);
      for (int i = 0; i < depth; i++) {
        path.append('/').append((char) ('a' + random.nextInt(i == 0 ? 6 : 3)));
        if (random.nextInt(8) == 0) {
          path.append("-b");
        }
      }
      return path.toString();
    }

    Pending begin() {
      Pending pending = new Pending(new TreeTransaction("admin", snapshot()), committed.copy());
      int count = 1 + random.nextInt(4);
      for (int i = 0; i < count; i++) {
        String[] kinds = {"read", "write", "create", "children", "write", "remove"};
        String kind = kinds[random.nextInt(random.nextInt(3) == 0 ? 6 : 5)];
        Operation operation = new Operation(kind, path(), "v" + random.nextInt(1000));
        pending.operations.add(operation);
        String result = make(pending.transaction, operation);
        pending.results.add(result);
        assertThat(pending.tree.make(operation, pending.reads, pending.writes))
            .as("%s", operation)
            .isEqualTo(result);
      }
      return pending;
    }

    static String make(TreeTransaction transaction, Operation operation) {
      byte[] value = operation.value().getBytes(UTF_8);
      switch (operation.kind()) {
        case "read":
          return transaction.read(operation.path()).map(v -> new String(v, UTF_8)).orElse("absent");
        case "write":
          transaction.write(operation.path(), value);
          return "written";
        case "create":
          try {
            transaction.create(operation.path(), value);
            return "written";
          } catch (TreeException.NodeExists e) {
            return "exists";
          }
        case "children":
          try {
            return transaction.children(operation.path()).toString();
          } catch (TreeException.NoSuchNode e) {
            return "absent";
          }
        default:
          return transaction.remove(operation.path()) ? "removed" : "absent";
      }
    }

    void end(Pending pending) {
      if (!pending.transaction.hasChanges()) {
        return;
      }
      long base = pending.transaction.base();
      CommitOutcome outcome = state.commit(pending.transaction.request().encoded());
      if (outcome.kind() == Kind.STALE) {
        try {
          if (!pending.transaction.rebase(snapshot())) {
            checkConflict(base, pending);
            return;
          }
        } catch (MissingPageException removed) {
          assertThat(pending.transaction.snapshot().state().checkpoint())
              .isLessThan(state.readableFrom());
          return; // It is older than the retention: a client would run it again.
        }
        rebased++;
        outcome = state.commit(pending.transaction.request().encoded());
        assertThat(outcome.kind()).isIn(Kind.COMMITTED, Kind.FULL);
      }
      if (outcome.kind() == Kind.COMMITTED) {
        commits++;
        Set<Part> written = NaiveTree.parts();
        for (int i = 0; i < pending.operations.size(); i++) {
          assertThat(committed.make(pending.operations.get(i), NaiveTree.parts(), written))
              .as("%s of %s", pending.operations.get(i), pending.operations)
              .isEqualTo(pending.results.get(i));
        }
        writes.add(written);
        assertThat(outcome.commit()).isEqualTo(writes.size() + 1L);
      } else if (outcome.kind() == Kind.CONFLICT) {
        conflicts++;
        checkConflict(base, pending);
      } else {
        assertThat(outcome.kind()).isEqualTo(Kind.FULL);
        checkpoint();
      }
    }

    void checkConflict(long base, Pending pending) {
      assertThat(writes.subList((int) base - 1, writes.size()))
          .as("naive conflicts")
          .anyMatch(written -> NaiveTree.meets(written, pending.reads));
    }

    void checkpoint() {
      if (state.plannedTo() == 0) {
        return;
      }
      List<LoggedCommit> log = state.log(state.plannedTo());
      long number = state.checkpoint() + 1;
      Checkpoint checkpoint =
          PageWriter.write(number, state.settings().pageBytes(), state.root(), pages::read, log);
      pages.write(number, checkpoint.written(), checkpoint.replaced());
      for (long old = state.removedTo() + 1; old <= state.readableFrom(); old++) {
        pages.removeReplaced(old);
      }
      AdvanceOutcome outcome =
          state.advance(
              number,
              log.get(log.size() - 1).chain(),
              PageReference.encoded(checkpoint.root()),
              number * 1000,
              state.readableFrom());
      assertThat(outcome.advanced()).isTrue();
    }

    void checkTree() {
      TreeSnapshot snapshot = snapshot();
      TreeMap<String, String> found = new TreeMap<>();
      snapshot
          .view()
          .subtree(
              TreePath.ROOT,
              path ->
                  found.put(
                      path.toString(), new String(snapshot.view().find(path).value(), UTF_8)));
      assertThat(found).isEqualTo(committed.nodes);
      long bytes = committed.nodes.values().stream().mapToLong(String::length).sum();
      assertThat(snapshot.usage("admin").nodes()).isEqualTo(committed.nodes.size());
      assertThat(snapshot.usage("admin").bytes()).isEqualTo(bytes);
    }

    /** Every page that is not reachable is in a list of replaced pages. */
    void checkPages() {
      Set<PageId> reachable = pages.reachable(state.root());
      Set<PageId> listed = new HashSet<>(reachable);
      pages.replaced.values().forEach(listed::addAll);
      assertThat(listed).isEqualTo(pages.pages.keySet());
      pages
          .replaced
          .values()
          .forEach(list -> assertThat(list).doesNotContainAnyElementsOf(reachable));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {3, 4, 5, 6})
  void committedTransactionsAreSerializable(long seed) {
    run(seed, 4000);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 7, 8, 101, 102, 103, 104, 105, 106, 107, 108})
  void manyCommittedTransactionsAreSerializable(long seed) {
    run(seed, 40_000);
  }

  private static void run(long seed, int steps) {
    int window = seed % 2 == 0 ? 8 << 10 : 40;
    int page = seed % 3 == 0 ? 2 << 10 : 200;
    Run run =
        new Run(
            seed,
            TreeSettings.DEFAULT
                .sizes(500 + (int) (seed % 4) * 400, window, page)
                .retention(Duration.ofSeconds(5)));
    int mostPending = window < 100 ? 30 : 6;
    List<Pending> pending = new ArrayList<>();
    for (int step = 0; step < steps; step++) {
      int choice = run.random.nextInt(20);
      if (choice < 10 && pending.size() < mostPending) {
        pending.add(run.begin());
      } else if (choice < 18 && !pending.isEmpty()) {
        run.end(pending.remove(run.random.nextInt(pending.size())));
      } else if (choice == 18) {
        run.checkpoint();
      } else {
        run.state = CODEC.read(CODEC.write(run.state));
      }
      if (step % 100 == 0) {
        run.checkTree();
        run.checkPages();
      }
    }
    run.checkTree();
    run.checkPages();
    assertThat(run.commits).isGreaterThan(steps / 10);
    assertThat(run.conflicts).isGreaterThan(steps / 100);
    assertThat(run.rebased > 0).isEqualTo(window < 1000);
    assertThat(CODEC.write(run.state)).hasSizeLessThan(8000 + window);
  }
}
