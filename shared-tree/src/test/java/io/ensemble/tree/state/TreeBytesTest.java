package io.ensemble.tree.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.tree.NodeAccess;
import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.TreePath;
import io.ensemble.tree.TreeSettings;
import io.ensemble.tree.state.CommitRequest.QuotaClaim;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Bytes of requests, states and pages: as written, cut off, and changed. */
class TreeBytesTest {

  private static final NodePermissions PERMISSIONS =
      NodePermissions.of("ada", NodeAccess.READ).with("bob", NodeAccess.BOTH);
  private static final TreeStateCodec CODEC = new TreeStateCodec();

  private static CommitRequest request(TreeState state) {
    ReadSet reads = new ReadSet();
    reads.add(TreePath.of("/a/😀"), ReadSet.RECORD);
    reads.add(TreePath.of("/a/😁"), ReadSet.SUBTREE);
    return new CommitRequest(
        state.last(),
        state.chain(),
        reads,
        Map.of("ada", new QuotaClaim(OwnerUsage.NONE, new OwnerUsage(5, 50))),
        Map.of("ada", new OwnerUsage(1, 3)),
        List.of(
            new TreeChange.Create(TreePath.of("/a"), new byte[] {1, 2, 3}, PERMISSIONS),
            new TreeChange.SetValue(TreePath.of("/a"), new byte[0]),
            new TreeChange.SetPermissions(TreePath.ROOT, PERMISSIONS),
            new TreeChange.Remove(TreePath.of("/b/c"))));
  }

  private static TreeState state() {
    TreeState state = TreeState.create("birth", TreeSettings.DEFAULT, PERMISSIONS);
    assertThat(state.commit(request(state).encoded()).kind())
        .isEqualTo(CommitOutcome.Kind.COMMITTED);
    return state;
  }

  @Test
  void aStateIsReadAsItWasWritten() {
    byte[] bytes = CODEC.write(state());
    TreeState read = CODEC.read(bytes);

    assertThat(CODEC.write(read)).isEqualTo(bytes);
    assertThat(read.last()).isEqualTo(2);
    LoggedCommit commit = read.log(2).get(1);
    assertThat(commit.changes()).hasSize(4);
    assertThat(commit.changes().get(2))
        .isEqualTo(new TreeChange.SetPermissions(TreePath.ROOT, PERMISSIONS));
    assertThat(commit.usage()).isEqualTo(Map.of("ada", new OwnerUsage(1, 3)));
    assertThat(read.settings()).isEqualTo(TreeSettings.DEFAULT);
  }

  @Test
  void cutBytesAreRefused() {
    TreeState state = state();
    byte[] bytes = CODEC.write(state);
    byte[] request = request(state).encoded();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatIllegalArgumentException().isThrownBy(() -> CODEC.read(cut));
    }
    for (int length = 0; length < request.length; length++) {
      byte[] cut = Arrays.copyOf(request, length);
      assertThatIllegalArgumentException().isThrownBy(() -> state.commit(cut));
    }
    assertThat(state.last()).isEqualTo(2);
  }

  @Test
  void changedBytesAreRefusedOrRead() {
    TreeState state = state();
    byte[] bytes = CODEC.write(state);
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      byte[] changed = bytes.clone();
      changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      try {
        CODEC.read(changed).commits().forEach(LoggedCommit::paths);
      } catch (IllegalArgumentException refused) {
        // Nothing else may be thrown.
      }
      byte[] request = request(state).encoded();
      request[random.nextInt(request.length)] = (byte) random.nextInt();
      try {
        CODEC.read(bytes).commit(request);
      } catch (IllegalArgumentException refused) {
        // Nothing else may be thrown.
      }
    }
  }

  @Test
  void aPageWithOtherBytesIsRefused() {
    TreePage page =
        new TreePage.Leaf(
            List.of(TreePath.ROOT, TreePath.of("/a")),
            List.of(
                NodeRecord.createdBy(1, new byte[0], PERMISSIONS),
                NodeRecord.createdBy(2, new byte[] {1}, PERMISSIONS).withValue(new byte[9], 7)));
    byte[] bytes = page.encoded();
    PageId id = PageId.of(3, 4, bytes);

    TreePage.Leaf read = (TreePage.Leaf) TreePage.decoded(id, bytes);
    assertThat(read.paths()).containsExactly(TreePath.ROOT, TreePath.of("/a"));
    assertThat(read.records().get(1).valueSet()).isEqualTo(7);
    for (int i = 0; i < bytes.length; i++) {
      byte[] changed = bytes.clone();
      changed[i] ^= 1;
      assertThatIllegalArgumentException().isThrownBy(() -> TreePage.decoded(id, changed));
    }
  }

  @Test
  void aTransactionOfAnotherHistoryIsStale() {
    TreeState state = state();
    CommitRequest request = request(state);
    byte[] ofOther =
        new CommitRequest(
                request.base(),
                request.chain() + 1,
                new ReadSet(),
                Map.of(),
                request.usage(),
                request.changes())
            .encoded();

    assertThat(state.commit(ofOther).kind()).isEqualTo(CommitOutcome.Kind.STALE);
  }
}
