package io.ensemble.tree.state;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.tree.TreePath;
import io.ensemble.tree.state.TreePage.Inner;
import io.ensemble.tree.state.TreePage.Leaf;
import io.ensemble.tree.state.TreePage.PageReference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes the pages of a checkpoint: those of an earlier one with changes. Pages without changes are
 * shared. The result depends on nothing but its input, so several processes may write one
 * checkpoint, each the same bytes under the same names.
 *
 * <p>Patches stay in the highest inner page until they are more than {@link #BUFFER_PAGES} page
 * sizes; then all of them go to the pages below, which do the same. So a page is written again for
 * many changes at a time, also where the changes of one checkpoint are on as many leaves: the
 * buffer tree of "Lower Bounds for External Memory Dictionaries" (Brodal, Fagerberg), section 4. A
 * removal does not wait: all patches on the way to the removed nodes go to the leaves with it.
 */
public final class PageWriter {

  /**
   * A checkpoint.
   *
   * @param root empty for a tree without records
   * @param written the new pages with their bytes
   * @param replaced the pages that the new root does not refer to
   */
  public record Checkpoint(
      Optional<PageReference> root, Map<PageId, byte[]> written, List<PageId> replaced) {}

  /** A page that exists, or that is being made: then it has entries or children. */
  private static final class Draft {
    final @Nullable PageReference existing;
    final List<TreePath> paths = new ArrayList<>();
    final List<NodeRecord> records = new ArrayList<>();
    final List<Draft> children = new ArrayList<>();
    final NavigableMap<TreePath, NodePatch> buffer = new TreeMap<>();
    int bytes;

    Draft(@Nullable PageReference existing) {
      this.existing = existing;
    }

    boolean isLeaf() {
      return children.isEmpty();
    }

    /** The first path of a record in it. */
    TreePath first() {
      if (existing != null) {
        return existing.first();
      }
      if (isLeaf()) {
        return paths.get(0);
      }
      TreePath first = children.get(0).first();
      TreePath created = PageBuffer.of(buffer).firstCreated();
      return created == null || first.compareTo(created) < 0 ? first : created;
    }
  }

  /**
   * About the bytes of a record without its path, its value and the names of users. A reference in
   * an inner page has twice as many. Half of a path counts: paths share their beginnings.
   */
  private static final int OVERHEAD = 24;

  /**
   * The minimum number of references in a part of an inner page, however long their paths are. With
   * one reference in each page, a level has as many pages as the level below.
   */
  private static final int MIN_REFERENCES = 2;

  /** An inner page holds about this many times the size of a page in patches. */
  static final int BUFFER_PAGES = 16;

  /** The maximum of that, so that large pages with their patches fit into an entry of the store. */
  static final int MAX_BUFFER_BYTES = 128 << 10;

  private final long checkpoint;
  private final int pageBytes;
  private final Function<PageId, TreePage> pages;
  private final ChangedTree changed;
  private final Map<PageId, byte[]> written = new LinkedHashMap<>();
  private final List<PageId> replaced = new ArrayList<>();

  private PageWriter(
      long checkpoint, int pageBytes, Function<PageId, TreePage> pages, ChangedTree changed) {
    this.checkpoint = checkpoint;
    this.pageBytes = pageBytes;
    this.pages = pages;
    this.changed = changed;
  }

  /**
   * Makes the pages of a checkpoint.
   *
   * @param checkpoint its number
   * @param pageBytes the size of a page without its buffer; a page is made smaller when it is twice
   *     as large
   * @param root the pages so far
   * @param pages reads a page
   * @param commits those that the pages do not have yet, in order
   */
  public static Checkpoint write(
      long checkpoint,
      int pageBytes,
      Optional<PageReference> root,
      Function<PageId, TreePage> pages,
      List<LoggedCommit> commits) {
    PageWriter writer = new PageWriter(checkpoint, pageBytes, pages, changes(root, pages, commits));
    List<Draft> drafts =
        root.isEmpty()
            ? split(writer.merged(List.of(), List.of(), patches(writer.changed)), pageBytes)
            : writer.rewritten(root.get(), null, null, patches(writer.changed));
    while (drafts.size() > 1) {
      drafts = split(inner(drafts), pageBytes);
    }
    Draft top = drafts.isEmpty() ? null : drafts.get(0);
    return new Checkpoint(
        Optional.ofNullable(top == null ? null : writer.finished(writer.collapsed(top))),
        writer.written,
        writer.replaced);
  }

  private static NavigableMap<TreePath, NodePatch> patches(ChangedTree changed) {
    NavigableMap<TreePath, NodePatch> patches = new TreeMap<>();
    changed
        .patches()
        .forEach(
            (path, patch) -> {
              if (patch.record != NodePatch.NONE) {
                patches.put(path, patch.record);
              }
            });
    return patches;
  }

  /** The changes of all commits, with the new usage of owners. */
  private static ChangedTree changes(
      Optional<PageReference> root, Function<PageId, TreePage> pages, List<LoggedCommit> commits) {
    PageTree before = new PageTree(root, pages);
    ChangedTree changed = new ChangedTree(before);
    Map<String, OwnerUsage> usage = new TreeMap<>();
    for (LoggedCommit commit : commits) {
      changed.apply(commit);
      commit.usage().forEach((owner, more) -> usage.merge(owner, more, OwnerUsage::plus));
    }
    long last = commits.isEmpty() ? 0 : commits.get(commits.size() - 1).number();
    usage.forEach(
        (owner, more) -> {
          OwnerUsage total = OwnerRecords.usage(before, owner).plus(more);
          if (!total.equals(OwnerUsage.NONE)) {
            changed.apply(OwnerRecords.usageChange(owner, total), last);
          } else if (before.find(OwnerRecords.usagePath(owner)) != null) {
            changed.apply(new TreeChange.Remove(OwnerRecords.usagePath(owner)), last);
          }
        });
    return changed;
  }

  /**
   * The pages that {@link #write} reads and that are not known here, so that they can be read at
   * the same time. Pages below an unknown one are found when that one is known; a page that is
   * removed with all below it is not among them.
   *
   * @param known the pages that need not be read
   */
  public static List<PageId> unknownPages(
      int pageBytes,
      Optional<PageReference> root,
      Function<PageId, Optional<TreePage>> known,
      List<LoggedCommit> commits) {
    Set<PageId> unknown = new LinkedHashSet<>();
    Function<PageId, TreePage> pages =
        id ->
            known
                .apply(id)
                .orElseGet(
                    () -> {
                      unknown.add(id);
                      return new Leaf(List.of(), List.of());
                    });
    PageWriter reader = new PageWriter(0, pageBytes, pages, changes(root, pages, commits));
    root.ifPresent(
        reference -> reader.readAffected(reference, null, null, patches(reader.changed)));
    return List.copyOf(unknown);
  }

  /** Reads the pages that {@link #rewritten} reads. */
  private void readAffected(
      PageReference reference,
      @Nullable TreePath from,
      @Nullable TreePath end,
      NavigableMap<TreePath, NodePatch> patches) {
    if (!(pages.apply(reference.id()) instanceof Inner inner)) {
      return;
    }
    NavigableMap<TreePath, NodePatch> all = buffered(inner, patches);
    if (isKept(reference, from, end, all)) {
      return;
    }
    List<PageReference> references = inner.references();
    for (int i = 0; i < references.size(); i++) {
      TreePath childFrom = i == 0 ? from : references.get(i).first();
      TreePath childEnd = i + 1 < references.size() ? references.get(i + 1).first() : end;
      NavigableMap<TreePath, NodePatch> ofChild = range(all, childFrom, childEnd);
      if (!ofChild.isEmpty() || changed.hasCut(childFrom, childEnd)) {
        readAffected(references.get(i), childFrom, childEnd, ofChild);
      }
    }
  }

  private static NavigableMap<TreePath, NodePatch> range(
      NavigableMap<TreePath, NodePatch> patches, @Nullable TreePath from, @Nullable TreePath end) {
    NavigableMap<TreePath, NodePatch> tail = from == null ? patches : patches.tailMap(from, true);
    return end == null ? tail : tail.headMap(end, false);
  }

  /** The patches of a page, and later ones; without those of records that are removed. */
  private NavigableMap<TreePath, NodePatch> buffered(
      Inner page, NavigableMap<TreePath, NodePatch> later) {
    NavigableMap<TreePath, NodePatch> all = page.buffer().toMap();
    all.keySet().removeIf(path -> changed.cutAbove(path) != null);
    later.forEach((path, patch) -> all.merge(path, patch, (before, after) -> after.after(before)));
    return all;
  }

  /** Whether a page keeps its patches, and the pages below it stay as they are. */
  private boolean isKept(
      PageReference reference,
      @Nullable TreePath from,
      @Nullable TreePath end,
      NavigableMap<TreePath, NodePatch> patches) {
    if (changed.cutAbove(reference.first()) != null || changed.hasCut(from, end)) {
      return false;
    }
    long bytes = 0;
    for (Map.Entry<TreePath, NodePatch> patch : patches.entrySet()) {
      bytes += bytes(patch.getKey(), patch.getValue().contentBytes());
    }
    return bytes <= Math.min(MAX_BUFFER_BYTES, (long) BUFFER_PAGES * pageBytes);
  }

  /**
   * The pages in place of one.
   *
   * @param from the first path that belongs into it; null if there is no page before it
   * @param end the first path that does not belong into it; null if there is no page after it
   * @param patches those of its records
   */
  private List<Draft> rewritten(
      PageReference reference,
      @Nullable TreePath from,
      @Nullable TreePath end,
      NavigableMap<TreePath, NodePatch> patches) {
    TreePath cut = changed.cutAbove(reference.first());
    if (patches.isEmpty() && cut == null && !changed.hasCut(from, end)) {
      return List.of(new Draft(reference));
    }
    if (cut != null
        && end != null
        && end.compareTo(cut.afterSubtree()) <= 0
        && patches.values().stream().noneMatch(patch -> patch.created() != null)) {
      dropped(reference);
      return List.of();
    }
    TreePage page = pages.apply(reference.id());
    replaced.add(reference.id());
    if (page instanceof Leaf leaf) {
      return split(merged(leaf.paths(), leaf.records(), patches), pageBytes);
    }
    Inner inner = (Inner) page;
    List<PageReference> references = inner.references();
    NavigableMap<TreePath, NodePatch> all = buffered(inner, patches);
    if (isKept(reference, from, end, all)) {
      Draft draft = inner(references.stream().map(Draft::new).toList());
      draft.buffer.putAll(all);
      return List.of(draft);
    }
    List<Draft> drafts = new ArrayList<>();
    for (int i = 0; i < references.size(); i++) {
      TreePath childFrom = i == 0 ? from : references.get(i).first();
      TreePath childEnd = i + 1 < references.size() ? references.get(i + 1).first() : end;
      drafts.addAll(
          rewritten(references.get(i), childFrom, childEnd, range(all, childFrom, childEnd)));
    }
    return split(inner(joined(drafts)), pageBytes);
  }

  /** A page that is removed with all below it; its leaves need not be read. */
  private void dropped(PageReference reference) {
    replaced.add(reference.id());
    if (reference.level() > 0 && pages.apply(reference.id()) instanceof Inner inner) {
      inner.references().forEach(this::dropped);
    }
  }

  /** Entries of one leaf with the patches; not yet split. */
  private Draft merged(
      List<TreePath> paths, List<NodeRecord> records, NavigableMap<TreePath, NodePatch> patches) {
    Draft draft = new Draft(null);
    TreeMap<TreePath, NodeRecord> all = new TreeMap<>();
    for (int i = 0; i < paths.size(); i++) {
      TreePath path = paths.get(i);
      if (changed.cutAbove(path) == null) {
        all.put(path, patches.getOrDefault(path, NodePatch.NONE).on(records.get(i)));
      }
    }
    patches.forEach(
        (path, patch) -> {
          if (patch.created() != null) {
            all.put(path, patch.created());
          }
        });
    all.forEach(
        (path, record) -> {
          draft.paths.add(path);
          draft.records.add(record);
          draft.bytes += bytes(path, record);
        });
    return draft;
  }

  private static int bytes(TreePath path, NodeRecord record) {
    return bytes(path, record.contentBytes());
  }

  private static int bytes(TreePath path, int contentBytes) {
    return contentBytes + path.encoded().getBytes(UTF_8).length / 2 + OVERHEAD;
  }

  private static Draft inner(List<Draft> children) {
    Draft draft = new Draft(null);
    draft.children.addAll(children);
    children.forEach(child -> draft.bytes += bytes(child));
    return draft;
  }

  /** About the bytes of a reference to a page. */
  private static int bytes(Draft page) {
    return bytes(page.first(), OVERHEAD);
  }

  /** Small new leaves are joined with the new leaf before them. */
  private List<Draft> joined(List<Draft> drafts) {
    List<Draft> joined = new ArrayList<>();
    for (Draft draft : drafts) {
      Draft before = joined.isEmpty() ? null : joined.get(joined.size() - 1);
      boolean isSmall = before != null && (isSmall(draft) || isSmall(before));
      Draft one = isSmall ? opened(java.util.Objects.requireNonNull(before)) : null;
      Draft other = isSmall ? opened(draft) : null;
      if (one != null
          && other != null
          && one.isLeaf() == other.isLeaf()
          && (one.bytes + other.bytes <= pageBytes + pageBytes / 2
              || !one.isLeaf()
                  && one.children.size() + other.children.size() < 2 * MIN_REFERENCES)) {
        Draft both = new Draft(null);
        for (Draft part : List.of(one, other)) {
          both.paths.addAll(part.paths);
          both.records.addAll(part.records);
          both.children.addAll(part.children);
          both.buffer.putAll(part.buffer);
          both.bytes += part.bytes;
          if (part != before && part != draft) {
            replaced.add(part == one ? id(java.util.Objects.requireNonNull(before)) : id(draft));
          }
        }
        joined.set(joined.size() - 1, both);
      } else {
        joined.add(draft);
      }
    }
    return joined;
  }

  private boolean isSmall(Draft draft) {
    return draft.existing == null && (draft.bytes < pageBytes / 2 || draft.children.size() == 1);
  }

  private static PageId id(Draft draft) {
    return java.util.Objects.requireNonNull(draft.existing).id();
  }

  /** The contents of a draft; reads the page if it exists. */
  private Draft opened(Draft draft) {
    if (draft.existing == null) {
      return draft;
    }
    TreePage page = pages.apply(draft.existing.id());
    if (page instanceof Leaf leaf) {
      Draft open = new Draft(null);
      open.paths.addAll(leaf.paths());
      open.records.addAll(leaf.records());
      for (int i = 0; i < leaf.paths().size(); i++) {
        open.bytes += bytes(leaf.paths().get(i), leaf.records().get(i));
      }
      return open;
    }
    Draft open = inner(((Inner) page).references().stream().map(Draft::new).toList());
    open.buffer.putAll(((Inner) page).buffer().toMap());
    return open;
  }

  /**
   * Pages of about the same size in place of one that may be too large; none for an empty one. A
   * page that is too large has no patches, since it has just passed them on.
   */
  private static List<Draft> split(Draft draft, int pageBytes) {
    int count = draft.isLeaf() ? draft.paths.size() : draft.children.size();
    if (count == 0) {
      return List.of();
    }
    if (draft.bytes <= 2 * pageBytes) {
      return List.of(draft);
    }
    List<Draft> parts = new ArrayList<>();
    int most = draft.bytes / (draft.bytes / pageBytes) + 1;
    Draft part = new Draft(null);
    for (int i = 0; i < count; i++) {
      int more =
          draft.isLeaf()
              ? bytes(draft.paths.get(i), draft.records.get(i))
              : bytes(draft.children.get(i));
      int least = draft.isLeaf() ? 1 : MIN_REFERENCES;
      boolean isPart = part.paths.size() + part.children.size() >= least && count - i >= least;
      if (isPart && part.bytes + more > most) {
        parts.add(part);
        part = new Draft(null);
      }
      if (draft.isLeaf()) {
        part.paths.add(draft.paths.get(i));
        part.records.add(draft.records.get(i));
      } else {
        part.children.add(draft.children.get(i));
      }
      part.bytes += more;
    }
    parts.add(part);
    return parts;
  }

  /** The lowest page that has everything: one child alone needs no page above it. */
  private Draft collapsed(Draft top) {
    Draft at = top;
    while (true) {
      if (at.existing != null) {
        if (!(pages.apply(at.existing.id()) instanceof Inner inner)
            || inner.references().size() > 1
            || !inner.buffer().isEmpty()) {
          return at;
        }
        replaced.add(at.existing.id());
        at = new Draft(inner.references().get(0));
      } else if (at.children.size() == 1 && at.buffer.isEmpty()) {
        at = at.children.get(0);
      } else {
        return at;
      }
    }
  }

  /** Gives new pages their names, those below first. */
  private PageReference finished(Draft draft) {
    if (draft.existing != null) {
      return draft.existing;
    }
    if (draft.isLeaf()) {
      long last = draft.records.stream().mapToLong(NodeRecord::lastChange).max().orElse(0);
      return named(new Leaf(draft.paths, draft.records), 0, draft.paths.get(0), last);
    }
    List<PageReference> references = draft.children.stream().map(this::finished).toList();
    PageBuffer buffer = PageBuffer.of(draft.buffer);
    long last = references.stream().mapToLong(PageReference::lastChange).max().orElse(0);
    return named(
        new Inner(references, buffer),
        references.get(0).level() + 1,
        draft.first(),
        Math.max(last, buffer.lastChange()));
  }

  private PageReference named(TreePage page, int level, TreePath first, long lastChange) {
    byte[] bytes = page.encoded();
    PageId id = PageId.of(checkpoint, written.size(), bytes);
    written.put(id, bytes);
    return new PageReference(id, level, first, lastChange);
  }
}
