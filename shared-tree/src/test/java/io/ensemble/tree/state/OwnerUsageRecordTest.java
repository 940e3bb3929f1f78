package io.ensemble.tree.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.tree.NodeAccess;
import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.TreePath;
import io.ensemble.tree.TreeSettings;
import io.ensemble.tree.state.PageWriter.Checkpoint;
import io.ensemble.tree.state.TreePage.PageReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The records of owners that the pages have. */
class OwnerUsageRecordTest {

  private static final NodePermissions ADA = NodePermissions.of("ada", NodeAccess.NONE);
  private static final TreePath NODE = TreePath.of("/ada");

  private final TreeState state =
      TreeState.create("birth", TreeSettings.DEFAULT.sizes(1, 1, 96), ADA.ownedBy("admin"));
  private final Map<PageId, byte[]> pages = new HashMap<>();
  private long checkpoints;

  private void commit(OwnerUsage ofAda, TreeChange... changes) {
    checkpoint(); // the log is so short that it is full after a commit
    CommitRequest request =
        new CommitRequest(
            state.last(),
            state.chain(),
            new ReadSet(),
            Map.of(),
            Map.of("ada", ofAda),
            List.of(changes));
    assertThat(state.commit(request.encoded()).kind()).isEqualTo(CommitOutcome.Kind.COMMITTED);
  }

  /** The records of the new pages. */
  private PageTree checkpoint() {
    while (state.plannedTo() > 0) {
      List<LoggedCommit> log = state.log(state.plannedTo());
      checkpoints++;
      Checkpoint checkpoint =
          PageWriter.write(
              checkpoints, state.settings().pageBytes(), state.root(), this::page, log);
      pages.putAll(checkpoint.written());
      state.advance(
          checkpoints,
          log.get(log.size() - 1).chain(),
          PageReference.encoded(checkpoint.root()),
          checkpoints,
          0);
    }
    return new PageTree(state.root(), this::page);
  }

  private TreePage page(PageId id) {
    return TreePage.decoded(id, Objects.requireNonNull(pages.get(id)));
  }

  private static boolean hasUsageRecord(PageTree tree) {
    return Optional.ofNullable(tree.find(OwnerRecords.usagePath("ada"))).isPresent();
  }

  @Test
  void anOwnerWithoutNodesHasNoRecord() {
    commit(new OwnerUsage(1, 2), new TreeChange.Create(NODE, new byte[2], ADA));
    assertThat(hasUsageRecord(checkpoint())).isTrue();

    commit(new OwnerUsage(-1, -2), new TreeChange.Remove(NODE));
    assertThat(hasUsageRecord(checkpoint())).isFalse();

    commit(new OwnerUsage(1, 0), new TreeChange.Create(NODE, new byte[0], ADA));
    PageTree again = checkpoint();
    assertThat(OwnerRecords.usage(again, "ada")).isEqualTo(new OwnerUsage(1, 0));
    assertThat(again.find(TreePath.ROOT)).isNotNull();
  }

  @Test
  void anOwnerThatComesAndGoesBetweenCheckpointsGetsNoRecord() {
    commit(
        OwnerUsage.NONE,
        new TreeChange.Create(NODE, new byte[2], ADA),
        new TreeChange.Remove(NODE));

    assertThat(hasUsageRecord(checkpoint())).isFalse();
  }
}
