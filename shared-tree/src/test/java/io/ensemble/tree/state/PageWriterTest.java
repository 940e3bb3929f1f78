package io.ensemble.tree.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.tree.NodeAccess;
import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.TreePath;
import io.ensemble.tree.TreeSettings;
import io.ensemble.tree.state.PageWriter.Checkpoint;
import io.ensemble.tree.state.TreePage.PageReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many pages checkpoints write, and what the buffers of inner pages hold. */
class PageWriterTest {

  private static final NodePermissions PERMISSIONS = NodePermissions.of("admin", NodeAccess.NONE);
  private static final int PAGE_BYTES = 512;
  private static final int CREATED_AT_A_TIME = 50;

  private int pageBytes = PAGE_BYTES;
  private TreeState state =
      TreeState.create(
          "birth", TreeSettings.DEFAULT.sizes(4 << 10, 1 << 10, PAGE_BYTES), PERMISSIONS);
  private final Map<PageId, TreePage> pages = new HashMap<>();
  private final Map<TreePath, String> expected = new HashMap<>();
  private int written;
  private int largestPage;

  private static TreePath path(int node) {
    return TreePath.of("/g%d/n%d".formatted(node / 100, node));
  }

  private void commit(List<TreeChange> changes) {
    commit(Map.of(), changes);
  }

  private void commit(Map<String, OwnerUsage> usage, List<TreeChange> changes) {
    CommitRequest request =
        new CommitRequest(state.last(), state.chain(), new ReadSet(), Map.of(), usage, changes);
    assertThat(state.commit(request.encoded()).kind()).isEqualTo(CommitOutcome.Kind.COMMITTED);
    while (state.plannedTo() > 0) {
      checkpoint();
    }
  }

  private void checkpoint() {
    List<LoggedCommit> log = state.log(state.plannedTo());
    long number = state.checkpoint() + 1;
    Checkpoint checkpoint = PageWriter.write(number, pageBytes, state.root(), this::page, log);
    checkpoint
        .written()
        .forEach(
            (id, bytes) -> {
              pages.put(id, TreePage.decoded(id, bytes));
              largestPage = Math.max(largestPage, bytes.length);
            });
    pages.keySet().removeAll(checkpoint.replaced());
    written += checkpoint.written().size();
    state.advance(
        number, log.get(log.size() - 1).chain(), PageReference.encoded(checkpoint.root()), 0, 0);
  }

  private TreePage page(PageId id) {
    return Objects.requireNonNull(pages.get(id), "a missing page");
  }

  private void create(int nodes) {
    for (int from = 0; from < nodes; from += CREATED_AT_A_TIME) {
      List<TreeChange> changes = new ArrayList<>();
      for (int i = from; i < Math.min(nodes, from + CREATED_AT_A_TIME); i++) {
        TreePath group = Objects.requireNonNull(path(i).parent());
        if (i % 100 == 0) {
          changes.add(new TreeChange.Create(group, new byte[0], PERMISSIONS));
          expected.put(group, "");
        }
        changes.add(new TreeChange.Create(path(i), new byte[0], PERMISSIONS));
        expected.put(path(i), "");
      }
      commit(changes);
    }
  }

  private void set(TreePath path, String value) {
    commit(List.of(new TreeChange.SetValue(path, value.getBytes(UTF_8))));
    expected.put(path, value);
  }

  private void checkTree() {
    TreeSnapshot snapshot = new TreeSnapshot(state, this::page);
    Map<TreePath, String> found = new HashMap<>();
    snapshot
        .view()
        .subtree(
            TreePath.ROOT,
            path ->
                found.put(
                    path,
                    new String(Objects.requireNonNull(snapshot.view().find(path)).value(), UTF_8)));
    found.remove(TreePath.ROOT);
    assertThat(found).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {300, 20_000})
  void aChangeOfARandomNodeWritesAFractionOfAPage(int nodes) {
    create(nodes);
    Random random = new Random(nodes);
    written = 0;

    for (int i = 0; i < 4_000; i++) {
      set(path(random.nextInt(nodes)), "value " + i);
    }

    checkTree();
    assertThat(written / 4_000.0).as("pages for each change").isLessThan(0.35);
  }

  @Test
  void changesThatDoNotFitIntoABufferGoToThePagesBelow() {
    create(2_000);
    String large = "x".repeat(PageWriter.BUFFER_PAGES * PAGE_BYTES / 4);

    for (int i = 0; i < 40; i++) {
      set(path(i * 37), large + i);
      assertThat(largestBuffer()).isLessThanOrEqualTo(PageWriter.BUFFER_PAGES * PAGE_BYTES);
    }

    checkTree();
  }

  /** An ensemble cache refuses values of more than 1 MiB by default. */
  @Test
  void theLargestPagesFitIntoAnEntry() {
    pageBytes = 64 << 10;
    state =
        TreeState.create(
            "birth", TreeSettings.DEFAULT.sizes(128 << 10, 32 << 10, pageBytes), PERMISSIONS);
    NodePermissions longest =
        NodePermissions.of("\u754c".repeat(NodePermissions.LONGEST_USER), NodeAccess.NONE);

    for (int from = 0; from < 20_000; from += CREATED_AT_A_TIME) {
      List<TreeChange> changes = new ArrayList<>();
      for (int i = from; i < from + CREATED_AT_A_TIME; i++) {
        changes.add(new TreeChange.Create(TreePath.of("/\u754c" + i), new byte[0], longest));
      }
      commit(changes);
    }

    assertThat(state.root().orElseThrow().level()).isPositive();
    assertThat(largestPage).isBetween(100 << 10, 512 << 10);
  }

  /** References have paths, too: an inner page of few characters a name would have thousands. */
  @Test
  void inLargePagesWithTheLongestPathsFewerReferencesAreTogether() {
    pageBytes = 64 << 10;
    state =
        TreeState.create(
            "birth", TreeSettings.DEFAULT.sizes(128 << 10, 32 << 10, pageBytes), PERMISSIONS);
    String name = "\u754c".repeat(TreePath.LONGEST_NAME - 5);

    for (int i = 0; i < 1_200; i++) {
      List<TreeChange> changes = new ArrayList<>();
      TreePath path = TreePath.ROOT.child("n" + i);
      changes.add(new TreeChange.Create(path, new byte[0], PERMISSIONS));
      while (path.encoded().length() + TreePath.LONGEST_NAME < TreePath.LONGEST) {
        path = path.child(name);
        changes.add(new TreeChange.Create(path, new byte[0], PERMISSIONS));
      }
      commit(changes);
    }

    assertThat(state.root().orElseThrow().level()).isGreaterThan(1);
    assertThat(largestPage).isBetween(100 << 10, 512 << 10);
  }

  /** With one reference in each page, a level has as many pages as the level below. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Timeout(60)
  void aSmallPageHasTwoReferencesHoweverLongTheirPathsAre(boolean isDescending) {
    pageBytes = 96;
    state =
        TreeState.create(
            "birth", TreeSettings.DEFAULT.sizes(4 << 10, 1 << 10, pageBytes), PERMISSIONS);
    String name = "x".repeat(200);

    for (int i = 100; i < 1_000; i++) {
      TreePath path = TreePath.ROOT.child((isDescending ? 1_100 - i : i) + name);
      commit(List.of(new TreeChange.Create(path, new byte[0], PERMISSIONS)));
      expected.put(path, "");
    }

    checkTree();
    assertThat(state.root().orElseThrow().level()).isBetween(6, 11);
  }

  private int largestBuffer() {
    return pages.values().stream()
        .filter(TreePage.Inner.class::isInstance)
        .mapToInt(
            page ->
                ((TreePage.Inner) page)
                    .buffer().patches().stream().mapToInt(NodePatch::contentBytes).sum())
        .max()
        .orElse(0);
  }

  @Test
  void aRemovalIsNotBuffered() {
    create(2_000);
    for (int i = 0; i < 100; i++) {
      set(path(i * 20), "value " + i);
    }
    TreePath removed = TreePath.of("/g3");

    commit(List.of(new TreeChange.Remove(removed)));
    expected.keySet().removeIf(removed::contains);
    for (int i = 0; i < 200; i++) {
      set(path(i * 10 < 300 || i * 10 >= 400 ? i * 10 : 0), "later " + i);
    }

    checkTree();
    TreeSnapshot snapshot = new TreeSnapshot(state, this::page);
    assertThat(snapshot.view().find(path(320))).isNull();
    assertThat(snapshot.lastChange(TreePath.ROOT)).isEqualTo(state.last());
  }

  /** A checkpoint adds to the usage of each owner, and removes the record of one without nodes. */
  @ParameterizedTest
  @ValueSource(ints = {0, -1})
  void theRecordsOfOwnersAreReadAhead(int nodes) {
    create(500);
    for (int i = 0; i < 500; i++) {
      TreeChange set = new TreeChange.SetValue(path(i), new byte[] {1});
      commit(Map.of("owner-" + i, new OwnerUsage(1, 0)), List.of(set));
    }
    List<LoggedCommit> log = new ArrayList<>();
    for (int i = 0; i < 500; i += 50) {
      TreeChange set = new TreeChange.SetValue(path(i), new byte[] {2});
      Map<String, OwnerUsage> usage = Map.of("owner-" + i, new OwnerUsage(nodes, 0));
      byte[] payload =
          new CommitRequest(0, 0, new ReadSet(), Map.of(), usage, List.of(set)).payload();
      log.add(LoggedCommit.withChanges(state.last() + log.size() + 1, 0, payload));
    }
    Map<PageId, TreePage> known = new HashMap<>();
    int rounds = 0;
    while (true) {
      List<PageId> unknown =
          PageWriter.unknownPages(
              PAGE_BYTES, state.root(), id -> Optional.ofNullable(known.get(id)), log);
      if (unknown.isEmpty()) {
        break;
      }
      rounds++;
      unknown.forEach(id -> known.put(id, page(id)));
    }
    List<PageId> others = new ArrayList<>();

    PageWriter.write(
        state.checkpoint() + 1,
        PAGE_BYTES,
        state.root(),
        id -> {
          if (!known.containsKey(id)) {
            others.add(id);
          }
          return page(id);
        },
        log);

    assertThat(others).as("pages that are read one after another").isEmpty();
    assertThat(rounds).isLessThanOrEqualTo(2 * (state.root().orElseThrow().level() + 1));
  }
}
