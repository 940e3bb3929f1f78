package io.ensemble.tree.state;

import java.util.ArrayList;
import java.util.List;

/**
 * The name of a page, which never changes.
 *
 * @param checkpoint the checkpoint that wrote it
 * @param index its number within the checkpoint
 * @param digest of its bytes: if a store loses a step that it has shown, two checkpoints may have
 *     one number, but their pages have different names
 */
public record PageId(long checkpoint, int index, long digest) {

  void write(TreeOutput out) {
    out.number(checkpoint);
    out.number(index);
    out.number(digest);
  }

  static PageId read(TreeInput in) {
    return new PageId(in.number(), (int) in.number(), in.number());
  }

  /** Makes the name of a page with these bytes. */
  static PageId of(long checkpoint, int index, byte[] bytes) {
    return new PageId(checkpoint, index, digest(bytes));
  }

  /** The bytes of a list of names. */
  public static byte[] encoded(List<PageId> ids) {
    TreeOutput out = new TreeOutput();
    out.number(ids.size());
    ids.forEach(id -> id.write(out));
    return out.toBytes();
  }

  /** The inverse of {@link #encoded}. */
  public static List<PageId> decoded(byte[] bytes) {
    TreeInput in = new TreeInput(bytes);
    List<PageId> ids = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      ids.add(read(in));
    }
    return ids;
  }

  static long digest(byte[] bytes) {
    long digest = 0xcbf29ce484222325L;
    for (byte b : bytes) {
      digest = (digest ^ b & 0xff) * 0x100000001b3L;
    }
    digest = (digest ^ digest >>> 32) * 0xd6e8feb86659fd93L;
    return digest ^ digest >>> 32;
  }
}
