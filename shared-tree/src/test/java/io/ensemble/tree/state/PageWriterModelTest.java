package io.ensemble.tree.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.tree.NodeAccess;
import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.TreePath;
import io.ensemble.tree.state.PageWriter.Checkpoint;
import io.ensemble.tree.state.TreePage.Inner;
import io.ensemble.tree.state.TreePage.Leaf;
import io.ensemble.tree.state.TreePage.PageReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checkpoints of random commits against a plain map of records. The pages are so small that inner
 * pages of several levels hold patches while others are split, joined and removed.
 */
@Execution(ExecutionMode.CONCURRENT)
class PageWriterModelTest {

  private static final List<String> OWNERS = List.of("admin", "ann", "bob", "eve");

  /** A tree. */
  private static final class Run {
    final Random random;
    final int pageBytes;
    final TreeMap<TreePath, NodeRecord> nodes = new TreeMap<>();
    final Map<String, OwnerUsage> totals = new TreeMap<>();

    /** The usage of the commit that is being made. */
    final Map<String, OwnerUsage> usage = new TreeMap<>();

    final Map<PageId, TreePage> pages = new HashMap<>();
    final List<LoggedCommit> log = new ArrayList<>();
    Optional<PageReference> root = Optional.empty();
    long last;
    long checkpoint;
    int highest;

    /** The levels of pages that held patches while nodes were removed. */
    final Set<Integer> buffering = new HashSet<>();

    Run(long seed, int pageBytes) {
      this.random = new Random(seed);
      this.pageBytes = pageBytes;
      last++;
      TreeChange create = new TreeChange.Create(TreePath.ROOT, new byte[0], permissions());
      apply(create);
      log(List.of(create));
    }

    TreePage page(PageId id) {
      return Objects.requireNonNull(pages.get(id), "a missing page");
    }

    NodePermissions permissions() {
      NodePermissions permissions =
          NodePermissions.of(
              OWNERS.get(random.nextInt(OWNERS.size())), NodeAccess.values()[random.nextInt(4)]);
      for (int i = random.nextInt(5) - 2; i > 0; i--) {
        permissions = permissions.with("user" + random.nextInt(100), NodeAccess.READ);
      }
      return permissions;
    }

    byte[] value() {
      byte[] value = new byte[random.nextInt(random.nextInt(40) == 0 ? 4 * pageBytes : 20)];
      Arrays.fill(value, (byte) random.nextInt(100));
      return value;
    }

    TreePath path() {
      StringBuilder path = new StringBuilder("/g").append(random.nextInt(12));
      for (int i = random.nextInt(3); i > 0; i--) {
        path.append('/').append((char) ('a' + random.nextInt(8)));
        if (random.nextInt(10) == 0) {
          path.append('!'); // Sorts before a separator where the order is that of characters.
        }
      }
      return TreePath.of(path.toString());
    }

    /** Makes some changes in one commit; of these, removals with this probability in percent. */
    void commit(int removals) {
      last++;
      List<TreeChange> changes = new ArrayList<>();
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        TreeChange change = change(removals);
        apply(change);
        changes.add(change);
      }
      log(changes);
    }

    private TreeChange change(int removals) {
      TreePath path = path();
      if (!nodes.containsKey(path)) {
        while (!nodes.containsKey(Objects.requireNonNull(path.parent()))) {
          path = path.parent();
        }
        return new TreeChange.Create(path, value(), permissions());
      }
      if (random.nextInt(100) < removals) {
        return new TreeChange.Remove(path);
      }
      return random.nextInt(3) == 0
          ? new TreeChange.SetPermissions(path, permissions())
          : new TreeChange.SetValue(path, value());
    }

    private void log(List<TreeChange> changes) {
      byte[] payload = new CommitRequest(0, 0, new ReadSet(), Map.of(), usage, changes).payload();
      log.add(LoggedCommit.withChanges(last, 0, payload));
      usage.clear();
    }

    private void apply(TreeChange change) {
      long commit = last;
      TreePath path = change.path();
      NodeRecord before = nodes.get(path);
      if (change instanceof TreeChange.Create create) {
        put(path, NodeRecord.createdBy(commit, create.value(), create.permissions()));
      } else if (change instanceof TreeChange.SetValue set) {
        put(path, Objects.requireNonNull(before).withValue(set.value(), commit));
      } else if (change instanceof TreeChange.SetPermissions set) {
        put(path, Objects.requireNonNull(before).withPermissions(set.permissions(), commit));
      } else {
        List.copyOf(nodes.subMap(path, true, path.afterSubtree(), true).keySet())
            .forEach(gone -> put(gone, null));
      }
      boolean isOfParent =
          change instanceof TreeChange.Create || change instanceof TreeChange.Remove;
      if (isOfParent && path.parent() != null) {
        nodes.computeIfPresent(
            path.parent(), (parent, record) -> record.withChildrenChanged(commit));
      }
    }

    private void put(TreePath path, @Nullable NodeRecord record) {
      NodeRecord before = record == null ? nodes.remove(path) : nodes.put(path, record);
      count(before, -1);
      count(record, 1);
    }

    private void count(@Nullable NodeRecord record, int sign) {
      if (record != null) {
        OwnerUsage more = new OwnerUsage(sign, sign * record.ownedBytes());
        usage.merge(record.permissions().owner(), more, OwnerUsage::plus);
        totals.merge(record.permissions().owner(), more, OwnerUsage::plus);
      }
    }

    /** Writes a checkpoint of all commits; returns the pages that it read beside the known ones. */
    int checkpoint() {
      long number = ++checkpoint;
      Map<PageId, TreePage> known = new HashMap<>();
      for (int i = 0; i < 2 * root.map(top -> top.level() + 1).orElse(0); i++) {
        PageWriter.unknownPages(pageBytes, root, id -> Optional.ofNullable(known.get(id)), log)
            .forEach(id -> known.put(id, page(id)));
      }
      Set<PageId> unforeseen = new HashSet<>();
      Checkpoint written =
          PageWriter.write(
              number,
              pageBytes,
              root,
              id -> {
                if (!known.containsKey(id)) {
                  unforeseen.add(id);
                }
                return page(id);
              },
              log);
      Checkpoint other = PageWriter.write(number, pageBytes, root, this::page, log);
      assertThat(other.root()).isEqualTo(written.root());
      assertThat(other.written().keySet()).containsExactlyElementsOf(written.written().keySet());
      assertThat(other.replaced()).isEqualTo(written.replaced());
      assertThat(written.replaced()).doesNotHaveDuplicates();
      assertThat(pages.keySet()).containsAll(written.replaced());
      written.written().forEach((id, bytes) -> pages.put(id, TreePage.decoded(id, bytes)));
      pages.keySet().removeAll(written.replaced());
      root = written.root();
      log.clear();
      return unforeseen.size();
    }

    /** Remembers on which levels a page holds patches. */
    void noteBuffers(PageReference reference) {
      if (page(reference.id()) instanceof Inner inner) {
        if (!inner.buffer().isEmpty()) {
          buffering.add(reference.level());
        }
        inner.references().forEach(this::noteBuffers);
      }
    }

    void check() {
      PageTree tree = new PageTree(root, this::page);
      List<TreePath> found = new ArrayList<>();
      for (TreePath at = TreePath.ROOT; at != null && at.isOfNode(); at = tree.next(at)) {
        found.add(at);
      }
      assertThat(found).containsExactlyElementsOf(nodes.keySet());
      nodes.forEach(
          (path, record) ->
              assertThat(encoded(tree.find(path))).as("%s", path).isEqualTo(encoded(record)));
      for (int i = 0; i < 30; i++) {
        TreePath path = path();
        if (!nodes.containsKey(path)) {
          assertThat(tree.find(path)).as("%s", path).isNull();
        }
        assertThat(tree.lastChange(path)).as("%s", path).isEqualTo(lastChange(path));
        assertThat(children(tree, path)).as("%s", path).isEqualTo(children(path));
      }
      assertThat(tree.lastChange(TreePath.ROOT)).isEqualTo(lastChange(TreePath.ROOT));
      for (String owner : OWNERS) {
        OwnerUsage total = totals.getOrDefault(owner, OwnerUsage.NONE);
        assertThat(OwnerRecords.usage(tree, owner)).as(owner).isEqualTo(total);
        assertThat(tree.find(OwnerRecords.usagePath(owner)) == null)
            .as("no record of %s", owner)
            .isEqualTo(total.equals(OwnerUsage.NONE));
      }
      checkPages();
    }

    private long lastChange(TreePath path) {
      return nodes.subMap(path, true, path.afterSubtree(), true).values().stream()
          .mapToLong(NodeRecord::lastChange)
          .max()
          .orElse(0);
    }

    private List<TreePath> children(TreePath parent) {
      return nodes.subMap(parent, false, parent.afterSubtree(), true).keySet().stream()
          .filter(path -> parent.equals(path.parent()))
          .toList();
    }

    private static List<TreePath> children(TreeView view, TreePath parent) {
      List<TreePath> children = new ArrayList<>();
      view.children(parent, "", children::add);
      return children;
    }

    private static byte[] encoded(@Nullable NodeRecord record) {
      TreeOutput out = new TreeOutput();
      Objects.requireNonNull(record, "a missing record").write(out);
      return out.toBytes();
    }

    /** References say what is below them, and nothing but the tree is left. */
    private void checkPages() {
      Set<PageId> reached = new HashSet<>();
      PageReference top = root.orElseThrow();
      highest = Math.max(highest, top.level());
      records(top, null, null, reached);
      assertThat(reached).isEqualTo(pages.keySet());
      if (page(top.id()) instanceof Inner inner) {
        assertThat(inner.references().size() > 1 || !inner.buffer().isEmpty())
            .as("the root page is needed")
            .isTrue();
      }
    }

    private TreeMap<TreePath, NodeRecord> records(
        PageReference reference,
        @Nullable TreePath from,
        @Nullable TreePath end,
        Set<PageId> reached) {
      assertThat(reached.add(reference.id())).as("referred to once").isTrue();
      TreeMap<TreePath, NodeRecord> all = new TreeMap<>();
      TreePage page = page(reference.id());
      if (page instanceof Leaf leaf) {
        assertThat(reference.level()).isZero();
        for (int i = 0; i < leaf.paths().size(); i++) {
          all.put(leaf.paths().get(i), leaf.records().get(i));
        }
      } else if (page instanceof Inner inner) {
        List<PageReference> references = inner.references();
        for (int i = 0; i < references.size(); i++) {
          assertThat(references.get(i).level()).isEqualTo(reference.level() - 1);
          all.putAll(
              records(
                  references.get(i),
                  i == 0 ? from : references.get(i).first(),
                  i + 1 < references.size() ? references.get(i + 1).first() : end,
                  reached));
        }
        assertThat(inner.buffer().paths()).isSorted();
        for (int i = 0; i < inner.buffer().paths().size(); i++) {
          TreePath path = inner.buffer().paths().get(i);
          NodePatch patch = inner.buffer().patches().get(i);
          NodeRecord below = all.get(path);
          assertThat(below != null || patch.created() != null)
              .as("a patch of a record that exists; %s", path)
              .isTrue();
          all.put(
              path,
              patch.created() != null ? patch.created() : patch.on(Objects.requireNonNull(below)));
        }
      }
      assertThat(reference.first()).isEqualTo(all.firstKey());
      assertThat(reference.lastChange())
          .isEqualTo(all.values().stream().mapToLong(NodeRecord::lastChange).max().orElseThrow());
      assertThat(from == null || from.compareTo(all.firstKey()) <= 0).isTrue();
      assertThat(end == null || end.compareTo(all.lastKey()) > 0).isTrue();
      return all;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {3, 4, 5, 6, 7, 8})
  @Tag("nightly")
  void pagesHaveWhatTheCommitsMadeWithMoreSeeds(long seed) {
    pagesHaveWhatTheCommitsMade(seed);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void pagesHaveWhatTheCommitsMade(long seed) {
    Run run = new Run(seed, seed % 2 == 0 ? 96 : 200);
    for (int step = 0; step < 400; step++) {
      // The tree grows, changes with few removals, nearly ends, and grows again.
      int phase = step / 50 % 4;
      int removals = phase == 2 ? 40 : phase == 0 ? 0 : 1;
      for (int i = 1 + run.random.nextInt(12); i > 0; i--) {
        run.commit(removals);
      }
      if (removals > 0 && run.root.isPresent()) {
        run.noteBuffers(run.root.get());
      }
      run.checkpoint();
      run.check();
    }

    assertThat(run.highest).as("levels").isGreaterThan(2);
    assertThat(run.buffering).as("levels with patches").hasSizeGreaterThan(1);
  }
}
