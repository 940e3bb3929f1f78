package io.ensemble.tree.state;

import io.ensemble.tree.TreePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A page: paths in order with their records, or references to pages that have them, with patches
 * that those pages do not have yet.
 */
public sealed interface TreePage {

  /** The version of the bytes, and of the rules by which pages are made. */
  int FORMAT = 3;

  /** Records under their paths, both in order. */
  record Leaf(List<TreePath> paths, List<NodeRecord> records) implements TreePage {}

  /**
   * References, in the order of their paths.
   *
   * @param buffer changes of records in the pages below, and new records
   */
  record Inner(List<PageReference> references, PageBuffer buffer) implements TreePage {}

  /**
   * A reference to a page.
   *
   * @param level 0 for a leaf, otherwise one more than that of the pages in it
   * @param first the first path of a record in it
   * @param lastChange the last commit that changed a record in it
   */
  record PageReference(PageId id, int level, TreePath first, long lastChange) {

    /** The bytes of a reference that may be absent. */
    public static byte[] encoded(Optional<PageReference> reference) {
      TreeOutput out = new TreeOutput();
      writeOptional(out, reference);
      return out.toBytes();
    }

    static void writeOptional(TreeOutput out, Optional<PageReference> reference) {
      out.octet(reference.isPresent() ? 1 : 0);
      reference.ifPresent(present -> present.write(out));
    }

    static Optional<PageReference> readOptional(TreeInput in) {
      return in.index(2) == 0 ? Optional.empty() : Optional.of(read(in));
    }

    void write(TreeOutput out) {
      id.write(out);
      out.number(level);
      out.path(first);
      out.number(lastChange);
    }

    static PageReference read(TreeInput in) {
      return new PageReference(PageId.read(in), (int) in.number(), in.path(), in.number());
    }
  }

  /** The bytes of a page. */
  default byte[] encoded() {
    TreeOutput out = new TreeOutput();
    out.octet(FORMAT);
    if (this instanceof Leaf leaf) {
      out.octet(0);
      out.number(leaf.paths.size());
      for (int i = 0; i < leaf.paths.size(); i++) {
        out.path(leaf.paths.get(i));
        leaf.records.get(i).write(out);
      }
    } else if (this instanceof Inner inner) {
      out.octet(1);
      out.number(inner.references.size());
      inner.references.forEach(reference -> reference.write(out));
      inner.buffer.write(out);
    }
    return out.toBytes();
  }

  /**
   * Reads a page; throws {@link IllegalArgumentException} if its bytes are not those of {@code id}.
   */
  static TreePage decoded(PageId id, byte[] bytes) {
    if (PageId.digest(bytes) != id.digest()) {
      throw new IllegalArgumentException("the bytes of page " + id + " are damaged");
    }
    TreeInput in = new TreeInput(bytes);
    int format = in.octet();
    if (format != FORMAT) {
      throw new IllegalArgumentException("expected pages of format " + FORMAT + "; got " + format);
    }
    boolean isLeaf = in.index(2) == 0;
    int count = in.count();
    if (isLeaf) {
      List<TreePath> paths = new ArrayList<>(count);
      List<NodeRecord> records = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        paths.add(in.path());
        records.add(NodeRecord.read(in));
      }
      in.end();
      return new Leaf(paths, records);
    }
    List<PageReference> references = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      references.add(PageReference.read(in));
    }
    PageBuffer buffer = PageBuffer.read(in);
    in.end();
    return new Inner(references, buffer);
  }
}
