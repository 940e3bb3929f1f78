package io.ensemble.tree.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.tree.NodeAccess;
import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.TreePath;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The paths of a commit, and which of them a user may see. */
class WrittenPathTest {

  private static final NodePermissions HIDDEN = NodePermissions.of("admin", NodeAccess.NONE);
  private static final NodePermissions OPEN = NodePermissions.of("admin", NodeAccess.READ);
  private static final NodePermissions LISTING = HIDDEN.with("bob", NodeAccess.BOTH);
  private static final Predicate<NodePermissions> BY_ADA =
      permissions -> permissions.accessOf("ada").mayRead();

  private static TreeChange.Create create(String path, NodePermissions permissions) {
    return new TreeChange.Create(TreePath.of(path), new byte[0], permissions);
  }

  private static TreeChange.SetPermissions set(String path, NodePermissions permissions) {
    return new TreeChange.SetPermissions(TreePath.of(path), permissions);
  }

  private static TreeChange.SetValue write(String path) {
    return new TreeChange.SetValue(TreePath.of(path), new byte[1]);
  }

  private static TreeChange.Remove remove(String path) {
    return new TreeChange.Remove(TreePath.of(path));
  }

  private static LoggedCommit commit(TreeChange... changes) {
    return LoggedCommit.withChanges(
        2,
        7,
        new CommitRequest(1, 0, new ReadSet(), Map.of(), Map.of(), List.of(changes)).payload());
  }

  /** What ada sees of a commit: while the log has it, and the same when only the window has it. */
  private static List<String> seen(List<TreeChange> before, String watched, LoggedCommit commit) {
    List<String> paths = seen(before, watched, commit, false);
    assertThat(seen(before, watched, commit, true)).isEqualTo(paths);
    return paths;
  }

  private static List<String> seen(
      List<TreeChange> before, String watched, LoggedCommit commit, boolean isInWindow) {
    ChangedTree tree = new ChangedTree(TreeView.EMPTY);
    before.forEach(change -> tree.apply(change, 1));
    return new ReadableChanges(tree, BY_ADA)
        .next(isInWindow ? commit.withoutChanges() : commit, TreePath.of(watched)).stream()
            .map(TreePath::toString)
            .toList();
  }

  @Test
  void theWindowHasThePermissionsThatACommitSet() {
    LoggedCommit commit =
        commit(
            create("/a", OPEN),
            create("/a/b", OPEN),
            write("/a/b"),
            set("/a", LISTING),
            remove("/c"),
            create("/c", LISTING),
            create("/c/d", OPEN));

    List<WrittenPath> paths = commit.withoutChanges().paths();

    assertThat(paths).isEqualTo(commit.paths());
    assertThat(paths)
        .extracting(WrittenPath::permissions)
        .containsExactly(OPEN, OPEN, null, LISTING, null, LISTING, OPEN);
  }

  @Test
  void thePathsGiveTheNodesTheirLastPermissions() {
    assertThat(commit(create("/a", OPEN), write("/a"), set("/a", HIDDEN), set("/a", OPEN)).paths())
        .hasSize(4)
        .last()
        .isEqualTo(new WrittenPath(TreePath.of("/a"), WrittenPath.PERMISSIONS, OPEN));
    assertThat(commit(set("/a", OPEN), set("/a", HIDDEN), set("/a", OPEN)).paths())
        .extracting(WrittenPath::permissions)
        .containsExactly(HIDDEN, OPEN);
    assertThat(commit(create("/a", OPEN), remove("/a"), create("/a", OPEN)).paths())
        .extracting(WrittenPath::kinds)
        .containsExactly(WrittenPath.REMOVED, WrittenPath.CREATED);
  }

  @Test
  void aRemovalIsSeenOfAReadableNode() {
    List<TreeChange> before =
        List.of(create("/a", HIDDEN), create("/a/open", OPEN), create("/a/hidden", HIDDEN));

    assertThat(seen(before, "/", commit(remove("/a/open")))).containsExactly("/a/open");
    assertThat(seen(before, "/", commit(remove("/a/hidden")))).isEmpty();
    assertThat(seen(before, "/a/open", commit(remove("/a")))).containsExactly("/a");
    assertThat(seen(before, "/a/hidden", commit(remove("/a")))).isEmpty();
  }

  @Test
  void aNodeThatComesInThePlaceOfAnotherIsJudgedByItsOwnPermissions() {
    List<TreeChange> before = List.of(create("/hidden", HIDDEN), create("/open", OPEN));

    assertThat(seen(before, "/", commit(write("/hidden"), remove("/hidden")))).isEmpty();
    assertThat(seen(before, "/", commit(remove("/hidden"), create("/hidden", OPEN))))
        .containsExactly("/hidden");
    assertThat(seen(before, "/", commit(set("/open", HIDDEN)))).containsExactly("/open");
  }

  @Test
  void aWriteIsSeenThoughANodeAboveIsRemovedAndMadeAgainByTheSameCommit() {
    List<TreeChange> before = List.of(create("/a", HIDDEN), create("/a/b", OPEN));

    assertThat(
            seen(
                before,
                "/",
                commit(
                    write("/a/b"),
                    remove("/a"),
                    create("/a", HIDDEN),
                    create("/a/b", HIDDEN),
                    write("/a/b"))))
        .containsExactly("/a/b");
  }
}
