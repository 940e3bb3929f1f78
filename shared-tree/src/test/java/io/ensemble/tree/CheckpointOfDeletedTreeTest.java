package io.ensemble.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.tree.runtime.Checkpointer;
import io.ensemble.tree.state.SequencerCalls.AdvanceOutcome;
import io.ensemble.tree.state.TreeState;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Another process deletes the tree while a checkpoint is written. */
class CheckpointOfDeletedTreeTest {

  @Test
  void thePagesOfTheCheckpointAreRemoved() {
    PagesInMemory pages = new PagesInMemory();
    TreeState planned =
        TreeState.create(
            "birth",
            TreeSettings.DEFAULT.sizes(1, 1, 96),
            NodePermissions.of(SharedTree.ADMINISTRATOR, NodeAccess.NONE));
    UnusedSequencer deleted =
        new UnusedSequencer() {
          @Override
          public TreeState read() {
            return planned;
          }

          @Override
          public Optional<AdvanceOutcome> advance(
              long checkpoint, int chain, byte[] root, long removedTo) {
            assertThat(pages.pages).isNotEmpty();
            assertThat(pages.replaced).containsOnlyKeys(1L);
            throw new TreeException.NoSuchTree("tree");
          }
        };

    assertThatThrownBy(() -> new Checkpointer(deleted, pages, Runnable::run).writePlanned())
        .isInstanceOf(TreeException.NoSuchTree.class);

    assertThat(pages.pages).isEmpty();
    assertThat(pages.replaced).isEmpty();
  }
}
