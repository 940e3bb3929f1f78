package io.ensemble.tree;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.tree.runtime.TreeWatches;
import io.ensemble.tree.state.CommitComparison;
import io.ensemble.tree.state.CommitOutcome;
import io.ensemble.tree.state.TreeSnapshot;
import io.ensemble.tree.state.TreeState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A store shows a step, loses it, and another step gets its number. */
class LostStepTest {

  private final PagesInMemory pages = new PagesInMemory();

  private static TreeState state() {
    return TreeState.create(
        "birth",
        TreeSettings.DEFAULT,
        NodePermissions.of(SharedTree.ADMINISTRATOR, NodeAccess.NONE));
  }

  private TreeSnapshot snapshot(TreeState state) {
    return new TreeSnapshot(state, pages::read);
  }

  private void write(TreeState state, String path, String value) {
    TreeTransaction transaction = new TreeTransaction("admin", snapshot(state));
    transaction.write(path, value.getBytes(UTF_8));
    assertThat(state.commit(transaction.request().encoded()).kind())
        .isEqualTo(CommitOutcome.Kind.COMMITTED);
  }

  /** Two histories; the numbers in all records are the same. */
  private TreeState with(String... values) {
    TreeState state = state();
    for (String value : values) {
      write(state, "/a", value);
    }
    return state;
  }

  @Test
  void aWatchReportsAGapThoughTheNumbersOfCommitsAreTheSame() {
    List<TreeSnapshot> now = new ArrayList<>(List.of(snapshot(with("1", "lost"))));
    TreeWatches watches =
        new TreeWatches(new UnusedSequencer(), () -> now.get(0), task -> {}, Duration.ofSeconds(1));
    List<TreeEvent> events = new ArrayList<>();
    TreeWatch watch = watches.add(TreePath.of("/a"), events::add, Optional.empty());
    assertThat(watch.since()).isEqualTo(3);

    now.set(0, snapshot(with("1", "other")));
    watches.deliver();
    watches.deliver();

    assertThat(events)
        .containsExactly(new TreeEvent(watch.path(), 3, List.of(), TreeEvent.Kind.GAP));

    now.set(0, snapshot(with("1")));
    watches.deliver();

    assertThat(events)
        .hasSize(2)
        .last()
        .isEqualTo(new TreeEvent(watch.path(), 2, List.of(), TreeEvent.Kind.GAP));
  }

  @Test
  void aTransactionThatReadALostStepIsNotMovedToALaterState() {
    TreeTransaction transaction = new TreeTransaction("admin", snapshot(with("1", "lost")));
    assertThat(transaction.read("/a")).hasValue("lost".getBytes(UTF_8));
    TreeState later = with("1", "other");
    write(later, "/b", "further");

    assertThat(later.compare(3, snapshot(with("1", "lost")).state().chain()))
        .isEqualTo(CommitComparison.OTHER);
    assertThat(snapshot(later).hasSame(transaction.reads(), transaction.snapshot())).isTrue();
    assertThat(transaction.rebase(snapshot(later))).isFalse();

    TreeTransaction other = new TreeTransaction("admin", snapshot(with("1", "other")));
    other.read("/a");
    assertThat(other.rebase(snapshot(later))).isTrue();
  }
}
