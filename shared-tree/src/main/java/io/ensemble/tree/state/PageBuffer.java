package io.ensemble.tree.state;

import io.ensemble.tree.TreePath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The patches that an inner page holds for the pages below it, by path. Immutable. */
public final class PageBuffer {

  /** A buffer without patches. */
  static final PageBuffer NONE = new PageBuffer(List.of(), List.of());

  private final List<TreePath> paths;
  private final List<NodePatch> patches;

  /** The paths whose patches create records, in order. */
  private final List<TreePath> created = new ArrayList<>();

  private PageBuffer(List<TreePath> paths, List<NodePatch> patches) {
    this.paths = paths;
    this.patches = patches;
    for (int i = 0; i < paths.size(); i++) {
      if (patches.get(i).created() != null) {
        created.add(paths.get(i));
      }
    }
  }

  static PageBuffer of(SortedMap<TreePath, NodePatch> patches) {
    return patches.isEmpty()
        ? NONE
        : new PageBuffer(new ArrayList<>(patches.keySet()), new ArrayList<>(patches.values()));
  }

  /** The patches, in a map of their own. */
  NavigableMap<TreePath, NodePatch> toMap() {
    NavigableMap<TreePath, NodePatch> map = new TreeMap<>();
    for (int i = 0; i < paths.size(); i++) {
      map.put(paths.get(i), patches.get(i));
    }
    return map;
  }

  boolean isEmpty() {
    return paths.isEmpty();
  }

  /** The paths, in order. */
  public List<TreePath> paths() {
    return paths;
  }

  /** The patches, in the order of their paths. */
  public List<NodePatch> patches() {
    return patches;
  }

  /** The patch of a record; null for none. */
  @Nullable NodePatch find(TreePath path) {
    int found = Collections.binarySearch(paths, path);
    return found < 0 ? null : patches.get(found);
  }

  /** The first record that is created here; null for none. */
  @Nullable TreePath firstCreated() {
    return created.isEmpty() ? null : created.get(0);
  }

  /** The first record after {@code bound} that is created here; null for none. */
  @Nullable TreePath nextCreated(TreePath bound) {
    int found = Collections.binarySearch(created, bound);
    int index = found < 0 ? -found - 1 : found + 1;
    return index == created.size() ? null : created.get(index);
  }

  /** The last commit of all patches; 0 for none. */
  long lastChange() {
    return patches.stream().mapToLong(NodePatch::lastChange).max().orElse(0);
  }

  /** The last commit of the patches from one path to another; 0 for none. */
  long lastChange(TreePath from, TreePath end) {
    int found = Collections.binarySearch(paths, from);
    long last = 0;
    for (int i = found < 0 ? -found - 1 : found;
        i < paths.size() && paths.get(i).compareTo(end) <= 0;
        i++) {
      last = Math.max(last, patches.get(i).lastChange());
    }
    return last;
  }

  void write(TreeOutput out) {
    out.number(paths.size());
    for (int i = 0; i < paths.size(); i++) {
      out.path(paths.get(i));
      patches.get(i).write(out);
    }
  }

  static PageBuffer read(TreeInput in) {
    int count = in.count();
    List<TreePath> paths = new ArrayList<>(count);
    List<NodePatch> patches = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      paths.add(in.path());
      patches.add(NodePatch.read(in));
    }
    return count == 0 ? NONE : new PageBuffer(paths, patches);
  }
}
